"""First come, first served slots with a timeout in the switch, after Trio-ML (Yang et al., SIGCOMM'22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np

from dropzero.controller.p4runtime.device import Group
from dropzero.ina.protocol import Claim, Nanoseconds, Place, Protocol, Rows, Slot, Tensor, delivery
from dropzero.ina.window import CHUNK, WindowWorker
from dropzero.p4.names import Entry

HEADER = Struct("!IIB")
"""Workers, block, and whether it is a result."""
SLOTS = 1024


@dataclass(frozen=True)
class TrioML(Protocol):
    """slots: of the job, a power of two. window: packets of a worker in flight. timeout: until it sends one again.
    patience: how long the switch waits for a worker."""

    slots: int = 128
    window: int = 64
    timeout: Nanoseconds = Nanoseconds("10ms")  # noqa: RUF009 (it cannot change)
    patience: Nanoseconds = Nanoseconds("100ms")  # noqa: RUF009
    port = 0x7210
    partial = True

    def __post_init__(self) -> None:
        if self.slots.bit_count() != 1 or self.slots > SLOTS:
            raise ValueError(f"slots must be a power of two, at most {SLOTS}")

    def rows(self, places: Sequence[Place]) -> Rows:
        common = {"of": (1 << self.workers) - 1, "slots_": self.slots, "patience_": self.patience // 1000}
        senders = [
            Entry("sender", {"std.ingress_port": place.port}, "ingress.worker", {"mask": 1 << rank, **common})
            for rank, place in enumerate(places)
        ]
        return Rows([*senders, *delivery(places)], [Group(1, frozenset((place.port, 0) for place in places))])

    def worker(self, rank: int, tensor: Tensor) -> WindowWorker:
        return TrioMLWorker(self, rank, tensor, self.window, self.timeout)

    def read_slots(self, read: Callable[[str], list[int]]) -> list[Slot]:
        """round: the block."""
        everybody = (1 << self.workers) - 1
        cells = enumerate(zip(read("taken"), read("seen"), read("complete"), strict=True))
        return [
            Slot(number, 1, taken - 1, seen, 0 if complete else everybody & ~seen)
            for number, (taken, seen, complete) in cells
            if taken
        ]

    def claim(self, payload: bytes) -> Claim:
        workers, block, _ = HEADER.unpack_from(payload)
        return Claim(workers, CHUNK * block, np.frombuffer(payload, ">i4", offset=HEADER.size).astype(np.int32))


class TrioMLWorker(WindowWorker):
    def packet(self, number: int, tries: int) -> bytes:
        return HEADER.pack(1 << self.rank, number, 0)
