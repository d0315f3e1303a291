"""When to send again: the round-trip estimator of RFC 6298, with a floor fitted to a rack instead of the Internet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protocol.native import compiled

INITIAL = 0.2
FLOOR = 0.02
CEILING = 1.0
"""Seconds: the timeout before anything is measured, and its bounds afterwards."""

SLOWLY = 4
"""How much less a round trip counts that took longer than expected."""
DOUBTS = 8
"""Results in a row, not one of them measured, after which the timeout is taken to be too short."""


class Timer(NamedTuple):
    """One worker's estimate of the round trip, as arrays of one element (seconds) that compiled code can write to."""

    smoothed: NDArray[np.float64]
    variation: NDArray[np.float64]
    timeout: NDArray[np.float64]
    unmeasured: NDArray[np.int64]
    """How many results in a row came only after their contribution was sent again."""

    @classmethod
    def new(cls) -> Timer:
        return cls(np.zeros(1), np.zeros(1), np.full(1, INITIAL), np.zeros(1, np.int64))


@compiled
def observe(timer: Timer, sample: float) -> None:
    """Takes in a round trip whose packet was sent once: one that was sent again tells nothing (Karn). What took longer
    than expected counts less, since it may well be that it was another worker's packet that was lost."""
    if timer.smoothed[0] == 0.0:
        timer.smoothed[0] = sample
        timer.variation[0] = sample / 2
    else:
        timer.variation[0] = _towards(timer.variation[0], abs(sample - timer.smoothed[0]), 4)
        timer.smoothed[0] = _towards(timer.smoothed[0], sample, 8)
    timer.unmeasured[0] = 0
    # Twice, because packets that leave together queue behind each other, and the first of them is the quickest.
    margin = max(timer.smoothed[0], 4 * timer.variation[0])
    timer.timeout[0] = min(max(timer.smoothed[0] + margin, FLOOR), CEILING)


@compiled
def _towards(average: float, sample: float, weight: int) -> float:
    return average + (sample - average) / (weight if sample < average else SLOWLY * weight)


@compiled
def doubt(timer: Timer) -> None:
    """Takes in a result that came only after its contribution was sent again. One is a loss; many in a row may mean
    that the timeout is too short, all packets are sent twice, and nothing is ever measured: it is doubled."""
    timer.unmeasured[0] += 1
    if timer.unmeasured[0] >= DOUBTS:
        timer.unmeasured[0] = 0
        timer.timeout[0] = min(2 * timer.timeout[0], CEILING)


@compiled
def patience(timer: Timer, tries: int) -> float:
    """How long to wait after sending a packet again for that many times: twice as long each time."""
    return min(float(timer.timeout[0]) * 2.0**tries, CEILING)
