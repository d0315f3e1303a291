"""What the code of each architecture consists of. The rest of a packet's path is the same in all: batches, replication,
queues and the output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from llvmlite import ir

from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.forwarding.recirculation import RecirculatedPacket
from dropzero.softswitch.compiler.forwarding.stages import Stages
from dropzero.softswitch.native.emission import Body
from dropzero.softswitch.state.layout import Place

if TYPE_CHECKING:
    from dropzero.softswitch.compiler.forwarding.traffic_manager import Packet, TrafficManager


class Architecture(ABC):
    """Writes the stages of a packet's path, and what happens between them.

    Attributes:
        stages: the module, and what all stages need
        depart: the function (context, vector, length, port, now, packet, bytes extracted, target) -> bytes written, or
            DROPPED or less (see WRITTEN in queued_packets.py): egress, deparser, and all between them
        written: the places of the packet vector that `depart` may write
    """

    depart: ir.Function
    written: set[Place]

    def __init__(self, stages: Stages) -> None:
        self.stages = stages

    def expressions(self, body: Body) -> Expressions:
        """The fields of the packet that a body works on."""
        return Expressions(body, self.stages.program, self.stages.vector)

    @abstractmethod
    def arrive(self, body: Body, port: ir.Value, length: ir.Value, time: ir.Value) -> None:
        """Sets the metadata of a packet that has arrived. length: i32. time: microseconds, i64."""

    @abstractmethod
    def run(self, traffic: TrafficManager, contents: ir.Value, length: ir.Value, port: ir.Value) -> None:
        """Runs a packet from the parser to the traffic manager."""

    @abstractmethod
    def prepare_again(self, body: Body, packet: RecirculatedPacket) -> ir.Value:
        """Sets the metadata of a packet of the ring that is parsed again, in a cleared vector. Returns its port."""

    @abstractmethod
    def send_egress_clone(self, traffic: TrafficManager, packet: RecirculatedPacket) -> None:
        """Sends a packet of the ring that is a clone from egress."""

    @property
    @abstractmethod
    def clones_in_egress(self) -> bool:
        """Whether the ring may have clones from egress."""

    @abstractmethod
    def set_instance(self, body: Body, instance: ir.Value) -> None:
        """Sets the metadata for the instance number of a copy."""

    @abstractmethod
    def truncated_clone(self, body: Body, packet: Packet, most: ir.Value) -> Packet:
        """Limits a clone to `most` bytes, i32; 0: no limit."""

    def priority(self, body: Body) -> ir.Value | None:
        """The packet's priority in the queues, i64; None: the program does not set it."""
        return None

    def set_queueing_metadata(  # noqa: B027 - an architecture may have none
        self,
        body: Body,
        queue: ir.Value,
        times: tuple[ir.Value, ir.Value],
        depths: tuple[ir.Value, ir.Value],
        *,
        empty: bool = False,
    ) -> None:
        """Sets the metadata about the queue that egress reads.

        times: when the packet entered and left the queue. depths: the packets in it then. empty: the packet did not
        wait, so fields that are 0 stay.
        """

    @abstractmethod
    def expected_bytes(self, body: Body, packet: Packet) -> ir.Value:
        """The size of the packet if it were written now, in bytes, i64."""
