"""When to send again: the round-trip estimator of RFC 6298, with a floor fitted to a rack instead of the Internet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled

INITIAL = 0.2
FLOOR = 0.02
CEILING = 1.0
"""Seconds: the timeout before anything is measured, and its bounds afterwards."""

SLOWLY = 4
"""How much less a round trip counts that took longer than expected."""
DOUBTS = 8
"""Results in a row, not one of them measured, after which the timeout is taken to be too short."""


Timer = NDArray[np.void]
"""One worker's estimate of the round trip, shape (1,)."""
_TIMER = np.dtype(
    [
        # Seconds.
        ("smoothed", np.float64),
        ("variation", np.float64),
        ("timeout", np.float64),
        # How many results in a row came only after their contribution was sent again.
        ("unmeasured", np.int64),
    ]
)


def new_timer() -> Timer:
    timer = np.zeros(1, _TIMER)
    timer["timeout"] = INITIAL
    return timer


@compiled
def observe(timer: Timer, sample: float) -> None:
    """Takes in a round trip whose packet was sent once: one that was sent again tells nothing (Karn). What took longer
    than expected counts less, since it may well be that it was another worker's packet that was lost."""
    if timer[0].smoothed == 0.0:
        timer[0].smoothed = sample
        timer[0].variation = sample / 2
    else:
        timer[0].variation = _towards(timer[0].variation, abs(sample - timer[0].smoothed), 4)
        timer[0].smoothed = _towards(timer[0].smoothed, sample, 8)
    timer[0].unmeasured = 0
    # Twice, because packets that leave together queue behind each other, and the first of them is the quickest.
    margin = max(timer[0].smoothed, 4 * timer[0].variation)
    timer[0].timeout = min(max(timer[0].smoothed + margin, FLOOR), CEILING)


@compiled
def _towards(average: float, sample: float, weight: int) -> float:
    return average + (sample - average) / (weight if sample < average else SLOWLY * weight)


@compiled
def doubt(timer: Timer) -> None:
    """Takes in a result that came only after its contribution was sent again. One is a loss; many in a row may mean
    that the timeout is too short, all packets are sent twice, and nothing is ever measured: it is doubled."""
    timer[0].unmeasured += 1
    if timer[0].unmeasured >= DOUBTS:
        timer[0].unmeasured = 0
        timer[0].timeout = min(2 * timer[0].timeout, CEILING)


@compiled
def patience(timer: Timer, tries: int) -> float:
    """How long to wait after sending a packet again for that many times: twice as long each time."""
    return min(float(timer[0].timeout) * 2.0**tries, CEILING)
