"""A packet between two neighbours, as part of a lane's history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from dropzero.protocol.packet import Packet
from dropzero.protocol.wire import ASSIGNED, COLUMNS, NO_BLOCK, Kind, ranks
from dropzero.traces.capture import Direction
from dropzero.units import intervals


@dataclass(eq=False)
class Message:
    """A packet between two neighbours.

    Attributes:
        time: microseconds since the Unix epoch, at the first of the switches' ports that saw it.
        sender, receiver: names of hosts and switches.
        again: an equal packet was sent before.
        lost: this packet was lost, or the answer to it. Captures cannot tell these apart, because the switch program
            drops packets inside the switch. If the switch added up one of several copies without an answer, that is
            assumed to be the last one.
    """

    time: int
    sender: str
    receiver: str
    packet: Packet
    again: bool = False
    lost: bool = False

    @property
    def text(self) -> str:
        """The message in a few words."""
        packet = self.packet
        said = f"{packet.kind.name.lower()} {packet.round}"
        match packet.kind:
            case Kind.EPOCH:
                return f"epoch is {packet.epoch}"
            case Kind.WAITING:
                return f"{said}: other switches"
            case Kind.MISSING if not packet.workers:
                return f"{said}: no worker"
            case Kind.MISSING | Kind.CONFLICT:
                return f"{said}: worker {', '.join(map(str, ranks(packet.workers)))}"
            case Kind.QUERY:
                return f"{said}: {'result' if packet.columns else 'missing workers'}"
        wide = COLUMNS // max(1, len(packet.columns))
        blocks = len({column // wide for column in packet.data})
        chunks = [column.next - ASSIGNED for column in packet.columns if ASSIGNED <= column.next < NO_BLOCK]
        parts = [f"{blocks} block{'s' * (blocks > 1)}"] if blocks else []
        parts += [f"chunk{'s' * (len(chunks) > 1)} {' '.join(intervals(chunks))}"] if chunks else []
        return ": ".join([said, ", ".join(parts)] if parts else [said])

    @property
    def plain(self) -> dict[str, Any]:
        """The message as JSON types, without the time."""
        kind = self.packet.kind.name.lower()
        where = {"from": self.sender, "to": self.receiver, "kind": kind, "epoch": self.packet.epoch}
        return where | {"round": self.packet.round, "text": self.text, "again": self.again, "lost": self.lost}


class Sight(NamedTuple):
    """A message at a port of a switch."""

    time: int
    direction: Direction
    message: Message
