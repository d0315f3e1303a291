"""Two-rate three-colour meters, as in [RFC2698] and BMv2. Direct meters are in their tables' rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.arrays import Array
from dropzero.softswitch.state.memory import zeros

CONFIGURED, PEAK, COMMITTED, COUNTED, METER_WORDS = 0, 1, 5, 9, 15
"""Words of a meter: whether it is configured, four for each rate, and the packets and bytes counted for each colour."""

RATE, BURST, TOKENS, LAST = range(4)
"""Words of a rate: units per microsecond (the bits of a float64); burst in units; tokens left; tokens granted so
far."""


ColourCounts = tuple[tuple[int, int], ...]
"""(packets, bytes) of green, yellow and red packets, in this order."""


@dataclass(frozen=True)
class MeterRates:
    """Rates in units per microsecond, and bursts in units. A unit is a packet, or a byte of a packet on arrival."""

    committed_rate: float
    committed_burst: int
    peak_rate: float
    peak_burst: int

    def __post_init__(self) -> None:
        numbers = self.committed_rate, self.committed_burst, self.peak_rate, self.peak_burst
        if not all(0 <= number < math.inf for number in numbers):
            raise ValueError("a meter's rates and bursts must be finite and not negative")
        if self.peak_rate < self.committed_rate:
            raise ValueError("a meter's peak rate must not be below its committed rate")


class Meter(Array):
    """Meters, which colour packets green (0), yellow (1) or red (2): (size, METER_WORDS) uint64. Without rates, all
    packets are green.

    meter[index] gets or sets a meter's rates; None: no rates. Raises IndexError, as all methods do.
    """

    def __init__(self, name: str, size: int) -> None:
        super().__init__(name, size, zeros((size, METER_WORDS), np.uint64))

    def __getitem__(self, index: int) -> MeterRates | None:
        return read_rates(self.cells[self.checked(index)])

    def __setitem__(self, index: int, rates: MeterRates | None) -> None:
        write_rates(self.cells[self.checked(index)], rates)

    def counts(self, index: int) -> ColourCounts:
        return read_counts(self.cells[self.checked(index)])

    def set_counts(self, index: int, counts: ColourCounts) -> None:
        write_counts(self.cells[self.checked(index)], counts)


def write_rates(cell: NDArray[np.uint64], rates: MeterRates | None) -> None:
    """Sets a meter's rates, and fills its buckets; None removes the rates. cell: (METER_WORDS,)."""
    cell[:COUNTED] = 0
    if rates is None:
        return
    cell[CONFIGURED] = 1
    for at, rate, burst in (
        (PEAK, rates.peak_rate, rates.peak_burst),
        (COMMITTED, rates.committed_rate, rates.committed_burst),
    ):
        cell[at + RATE] = np.float64(rate).view(np.uint64)
        cell[at + BURST] = cell[at + TOKENS] = burst


def read_rates(cell: NDArray[np.uint64]) -> MeterRates | None:
    """The rates of a meter; None: no rates. cell: (METER_WORDS,)."""
    if not cell[CONFIGURED]:
        return None
    peak, committed = (float(cell[at + RATE].view(np.float64)) for at in (PEAK, COMMITTED))
    return MeterRates(committed, int(cell[COMMITTED + BURST]), peak, int(cell[PEAK + BURST]))


def write_counts(cell: NDArray[np.uint64], counts: ColourCounts) -> None:
    """Sets the counts of a meter. cell: (METER_WORDS,)."""
    cell[COUNTED:] = np.array(counts, dtype=np.uint64).reshape(-1)


def read_counts(cell: NDArray[np.uint64]) -> ColourCounts:
    """The counts of a meter. cell: (METER_WORDS,)."""
    return tuple((int(packets), int(size)) for packets, size in cell[COUNTED:].reshape(3, 2))
