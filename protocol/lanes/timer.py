"""The retransmission timer of [RFC6298], with a minimum for a rack instead of the Internet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled

INITIAL = 0.2
FLOOR = 0.02
CEILING = 1.0
"""Seconds: the timeout before the first measurement, and its bounds afterwards."""

SLOWLY = 4
"""A round trip above the estimate weighs this many times less."""
DOUBTS = 8
"""Consecutive unmeasured results after which the timeout counts as too short."""


Timer = NDArray[np.void]
"""One worker's estimate of the round trip, shape (1,)."""
_TIMER = np.dtype(
    [
        # Seconds.
        ("smoothed", np.float64),
        ("variation", np.float64),
        ("timeout", np.float64),
        # Consecutive results whose contribution was sent more than once.
        ("unmeasured", np.int64),
    ]
)


def new_timer() -> Timer:
    timer = np.zeros(1, _TIMER)
    timer["timeout"] = INITIAL
    return timer


@compiled
def observe(timer: Timer, sample: float) -> None:
    """Adds the round trip, in seconds, of a packet that was sent once: retransmitted ones are ambiguous (Karn's
    algorithm, [RFC6298] section 3). A round trip above the estimate weighs less: another worker's packet may have been
    lost."""
    if timer[0].smoothed == 0.0:
        timer[0].smoothed = sample
        timer[0].variation = sample / 2
    else:
        timer[0].variation = _towards(timer[0].variation, abs(sample - timer[0].smoothed), 4)
        timer[0].smoothed = _towards(timer[0].smoothed, sample, 8)
    timer[0].unmeasured = 0
    # Packets that leave together queue behind each other, and the first is the fastest, so double the estimate.
    margin = max(timer[0].smoothed, 4 * timer[0].variation)
    timer[0].timeout = min(max(timer[0].smoothed + margin, FLOOR), CEILING)


@compiled
def _towards(average: float, sample: float, weight: int) -> float:
    return average + (sample - average) / (weight if sample < average else SLOWLY * weight)


@compiled
def doubt(timer: Timer) -> None:
    """Counts a result whose contribution was sent more than once. A single one is a loss. After DOUBTS in a row,
    doubles the timeout: if it is too short, all packets are sent twice, and nothing is ever measured."""
    timer[0].unmeasured += 1
    if timer[0].unmeasured >= DOUBTS:
        timer[0].unmeasured = 0
        timer[0].timeout = min(2 * timer[0].timeout, CEILING)


@compiled
def backoff(timer: Timer, tries: int) -> float:
    """Seconds to wait after the `tries`-th retransmission: doubles each time ([RFC6298] section 5.5)."""
    return min(float(timer[0].timeout) * 2.0**tries, CEILING)
