"""The retransmission timer: a multiple of the median round trip, later doubled as in [RFC6298].

A round trip lasts until all workers have contributed, so it may contain the timeout of another worker, whose packet was
lost: with 8 workers and 5 % loss, half of all rounds do. Averages of such round trips would grow with the timeout, and
the timeout with them. So the timer follows the median of the round trips that it can be sure of (rounds.py).

How long round trips vary, say because a host is busy, only repetitions tell: the multiple grows with each that was
needless, and shrinks with each that was not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled

INITIAL = 0.02
FLOOR = 0.004
CEILING = 1.0
"""Seconds: the timeout before the first measurement, and the bounds of all."""

ROUND_TRIPS = 2.5
MOST_ROUND_TRIPS = 40.0
"""The timeout in typical round trips, and at most: packets that leave together queue behind each other."""
LONGER = 1 / 64
SHORTER = 1 / 4
"""By how much a needless repetition lengthens the timeout, and one that was needed shortens it. If one of 32 workers
loses a packet, the others' repetitions are needless, and should not outweigh its own."""
STEP = 1 / 16
"""How far a measurement moves the median; the first ones further."""
PATIENT = 5
"""Retransmissions before the timeout doubles: with many workers, one of them often loses a packet twice."""
DOUBTS = 16
"""Consecutive unmeasured results after which the timeout counts as too short."""


Timer = NDArray[np.void]
"""One worker's estimate of the round trip, shape (1,)."""
_TIMER = np.dtype(
    [
        # Seconds.
        ("median", np.float64),
        ("timeout", np.float64),
        # In median round trips.
        ("multiple", np.float64),
        # Measurements.
        ("measured", np.int64),
        # Consecutive results whose round trip was not measured.
        ("unmeasured", np.int64),
    ]
)


def new_timer() -> Timer:
    timer = np.zeros(1, _TIMER)
    timer["timeout"] = INITIAL
    timer["multiple"] = ROUND_TRIPS
    return timer


@compiled
def observe(timer: Timer, sample: float) -> None:
    """Adds a round trip, in seconds. Retransmitted packets' are ambiguous (Karn's algorithm, [RFC6298] section 3)."""
    step = max(STEP, 1 / (timer[0].measured + 1))
    if timer[0].median == 0.0:
        timer[0].median = sample
    else:
        timer[0].median *= 1 + step if sample >= timer[0].median else 1 - step
    timer[0].measured += 1
    timer[0].unmeasured = 0
    timer[0].timeout = min(max(timer[0].multiple * timer[0].median, FLOOR), CEILING)


@compiled
def doubt(timer: Timer) -> None:
    """Counts a result whose round trip was not measured. A single one is a loss. After DOUBTS in a row, doubles the
    timeout: if it is too short, all packets are sent twice, and nothing is ever measured."""
    timer[0].unmeasured += 1
    if timer[0].unmeasured >= DOUBTS:
        timer[0].unmeasured = 0
        timer[0].median *= 2
        timer[0].timeout = min(2 * timer[0].timeout, CEILING)


@compiled
def lengthen(timer: Timer) -> None:
    """Counts a needless repetition: the next timeout is longer."""
    timer[0].multiple = min(timer[0].multiple * (1 + LONGER), MOST_ROUND_TRIPS)


@compiled
def shorten(timer: Timer) -> None:
    """Counts a repetition that was needed: the next timeout is shorter."""
    timer[0].multiple = max(timer[0].multiple * (1 - SHORTER), ROUND_TRIPS)


@compiled
def patience(timer: Timer, queueing: float) -> float:
    """Seconds to wait for the first result of a contribution that takes `queueing` seconds to leave."""
    return min(float(timer[0].timeout) + queueing, CEILING)


@compiled
def backoff(timer: Timer, tries: int) -> float:
    """Seconds to wait after the `tries`-th retransmission: after the PATIENT-th, each doubles it ([RFC6298] section
    5.5)."""
    return min(float(timer[0].timeout) * 2.0 ** max(tries - PATIENT, 0), CEILING)
