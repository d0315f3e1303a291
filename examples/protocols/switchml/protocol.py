"""SwitchML (Sapio et al., NSDI'21): dense tensors, a fixed pool of slots with two halves, a timer for each packet."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np

from dropzero.controller.p4runtime.device import Group
from dropzero.controller.p4runtime.p4info import Entry
from dropzero.ina.protocol import Claim, Nanoseconds, Place, Protocol, Rows, Tensor, Worker, delivery

HEADER = Struct("!BBHIB")
"""Worker, version, slot, offset, and whether it is a result."""
ELEMENTS = 256
SLOTS = 512


@dataclass(frozen=True)
class SwitchML(Protocol):
    """pool: slots of the job; the paper has 128 at 10 Gbit/s, 512 at 100 Gbit/s. timeout: until a worker sends its
    elements again, which must be longer than a link takes to send a packet of each slot; the paper's is 1 ms."""

    pool: int = 64
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    port = 0xBEE0

    def __post_init__(self) -> None:
        if not (1 <= self.pool <= SLOTS and 1 <= self.workers <= 32):
            raise ValueError(f"SwitchML takes 1 to 32 workers and a pool of 1 to {SLOTS} slots")

    def rows(self, places: Sequence[Place]) -> Rows:
        workers = [
            Entry(
                "worker",
                {"hdr.switchml.worker": rank, "std.ingress_port": place.port},
                "found",
                {"mask": 1 << rank, "of": self.workers},
            )
            for rank, place in enumerate(places)
        ]
        return Rows([*workers, *delivery(places)], [Group(1, frozenset((place.port, 0) for place in places))])

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return SwitchMLWorker(self, rank, tensor)

    def claim(self, payload: bytes) -> Claim:
        rank, _, _, offset, result = HEADER.unpack_from(payload)
        workers = (1 << self.workers) - 1 if result else 1 << rank
        return Claim(workers, offset, np.frombuffer(payload, ">i4", offset=HEADER.size).astype(np.int32))


class SwitchMLWorker(Worker):
    """Algorithm 4: in each slot, a worker has one packet in flight; the result makes room for the slot's next one.

    Unlike there, the timer of a packet doubles each time: on machines that are busy, it would go off over and over.
    """

    def __init__(self, protocol: SwitchML, rank: int, tensor: Tensor) -> None:
        super().__init__(rank, tensor)
        self._protocol = protocol
        self._stride = ELEMENTS * protocol.pool
        self._tries: dict[int, int] = {}

    def start(self) -> None:
        for offset in range(0, min(self._stride, len(self.tensor)), ELEMENTS):
            self._contribute(offset)

    def receive(self, payload: bytes) -> None:
        claim = self._protocol.claim(payload)
        # Results that come twice are not kept again.
        if self.keep(claim):
            self.stop_timer(claim.start)
            del self._tries[claim.start]
            if claim.start + self._stride < len(self.tensor):
                self._contribute(claim.start + self._stride)

    def expire(self, timer: Hashable) -> None:
        assert isinstance(timer, int)
        self._contribute(timer)

    def _contribute(self, offset: int) -> None:
        """Sends the elements at an offset. They use the slot's halves in turn."""
        turn, within = divmod(offset, self._stride)
        header = HEADER.pack(self.rank, turn % 2, within // ELEMENTS, offset, 0)
        self.send(header + self.elements(offset, ELEMENTS))
        tries = self._tries[offset] = self._tries.get(offset, -1) + 1
        self.set_timer(offset, self._protocol.timeout << min(tries, 6))
