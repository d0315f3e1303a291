"""SwitchML (Sapio et al., NSDI'21): dense tensors, a fixed pool of slots with two halves, a timer for each packet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np

from dropzero.ina.protocol import Claim, Nanoseconds, Place, Protocol, Rows, Slot, Tensor, Worker, delivery, groups
from dropzero.ina.window import CHUNK, WindowWorker
from dropzero.p4.names import Entry

HEADER = Struct("!BBHIB")
"""Worker, version, slot, offset, and whether it is a result."""
SLOTS = 512


@dataclass(frozen=True)
class SwitchML(Protocol):
    """pool: slots of a job; the paper has 128 at 10 Gbit/s, 512 at 100 Gbit/s. timeout: until a worker sends its
    elements again, which must be longer than a link takes to send a packet of each slot; the paper's is 1 ms."""

    pool: int = 64
    jobs: int = 1
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    port = 0xBEE0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.pool * self.jobs <= SLOTS:
            raise ValueError(f"SwitchML takes a pool of 1 to {SLOTS} slots, of all jobs")

    def rows(self, places: Sequence[Place]) -> Rows:
        workers = [
            Entry(
                "worker",
                {"hdr.switchml.worker": rank, "std.ingress_port": place.port},
                "found",
                {"mask": 1 << rank, "of": self.workers // self.jobs, "to": 1 + self.job(rank)},
            )
            for rank, place in enumerate(places)
        ]
        return Rows([*workers, *delivery(places)], groups(self, places))

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return SwitchMLWorker(self, rank, tensor, self.pool, self.timeout)

    def read_slots(self, read: Callable[[str], list[int]]) -> list[Slot]:
        """round: the half."""
        seen, count = read("seen"), read("count")
        found = []
        for number in range(self.pool * self.jobs):
            job = number // self.pool
            # If both are complete, or empty, the later one.
            half = max((number, number + SLOTS), key=lambda cell: (count[cell] > 0, seen[cell].bit_count()))
            found.append(Slot(number, 1 + job, half // SLOTS, seen[half], self.members(job) & ~seen[half]))
        return found

    def claim(self, payload: bytes) -> Claim:
        rank, _, _, offset, result = HEADER.unpack_from(payload)
        workers = self.team(rank) if result else 1 << rank
        return Claim(workers, offset, np.frombuffer(payload, ">i4", offset=HEADER.size).astype(np.int32))


class SwitchMLWorker(WindowWorker):
    """Algorithm 4: in each slot, a worker has one packet in flight; the result makes room for the slot's next one, in
    the other half."""

    def packet(self, number: int, tries: int) -> bytes:
        turn, slot = divmod(number, self.window)
        slot += self.window * self.protocol.job(self.rank)
        return HEADER.pack(self.rank, turn % 2, slot, CHUNK * number, 0)
