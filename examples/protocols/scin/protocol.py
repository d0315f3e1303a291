"""Quantization in the switch, after SCIN (Jiang et al., arXiv 2603.28239): elements and sums of 8 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from dropzero.ina.protocol import Claim, Nanoseconds, Place, Protocol, Rows, Tensor, Worker, delivery, groups
from dropzero.ina.window import WindowWorker
from dropzero.p4.names import Entry

HEADER = Struct("!BBHIB")
"""Worker, version, slot, offset, and whether it is a result."""
SLOTS = 512
ELEMENTS = 1024
"""Elements in a packet."""
STEP = 1 << 24
"""The int32 difference between two neighbouring 8-bit values."""
ZERO = 128
"""The byte for 0."""


@dataclass(frozen=True)
class SCIN(Protocol):
    """pool: slots. timeout: until a worker sends its elements again."""

    pool: int = 64
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    port = 0x5C10
    bits = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.pool <= SLOTS:
            raise ValueError(f"SCIN takes a pool of 1 to {SLOTS} slots")

    def rows(self, places: Sequence[Place]) -> Rows:
        common = {"of": self.workers, "by": _shift(self.workers)}
        workers = [
            Entry(
                "worker",
                {"hdr.scin.worker": rank, "std.ingress_port": place.port},
                "found",
                {"mask": 1 << rank, **common},
            )
            for rank, place in enumerate(places)
        ]
        return Rows([*workers, *delivery(places)], groups(self, places))

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return SCINWorker(self, rank, tensor, self.pool, self.timeout)

    def encode(self, tensor: Tensor) -> Tensor:
        return tensor // STEP

    def decode(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        return (mean + 0.5) * STEP

    def rounded(self, sums: Tensor, workers: int) -> Tensor:
        shift = _shift(workers)
        half = (1 << shift) >> 1
        return ((sums + ZERO * workers + half) >> shift << shift) - ZERO * workers

    def claim(self, payload: bytes) -> Claim:
        rank, _, _, offset, result = HEADER.unpack_from(payload)
        count = self.workers if result else 1
        values = np.frombuffer(payload, np.uint8, offset=HEADER.size).astype(np.int32)
        return Claim(self.team(rank) if result else 1 << rank, offset, (values << _shift(count)) - ZERO * count)


def _shift(workers: int) -> int:
    """Returns the bits by which the switch shifts a sum of `workers` bytes right, so that it fits in a byte."""
    return (workers - 1).bit_length()


class SCINWorker(WindowWorker):
    """As SwitchML's: in each slot, one packet is in flight."""

    chunk = ELEMENTS

    def packet(self, number: int, tries: int) -> bytes:
        turn, slot = divmod(number, self.window)
        return HEADER.pack(self.rank, turn % 2, slot, ELEMENTS * number, 0)

    def elements(self, start: int, count: int) -> bytes:
        values = np.full(count, ZERO, np.uint8)
        here = self.tensor[start : start + count]
        values[: len(here)] = here + ZERO
        return values.tobytes()
