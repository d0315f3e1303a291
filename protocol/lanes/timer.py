"""The retransmission timer: a multiple of the median round trip and the time that the packets in flight take to drain,
later doubled as in [RFC6298].

A round trip lasts until all workers have contributed, so it may contain the timeout of another worker, whose packet was
lost: with 8 workers and 5 % loss, half of all rounds do. Averages of such round trips would grow with the timeout, and
the timeout with them. So the timer follows the median of the round trips that it can be sure of (rounds.py).

The median lags when a queue grows: a call that begins after a pause sends its first packets through empty queues, its
next ones through full ones. How much a packet in flight adds, only needless repetitions tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled

INITIAL = 0.02
FLOOR = 0.004
CEILING = 1.0
"""Seconds: the timeout before the first measurement, and the bounds of all."""
INITIAL_DRAIN = 0.5e-3
"""Seconds that each packet in flight may add, before repetitions have told more: full packets at 20 Mbit/s."""

ROUND_TRIPS = 2.5
"""The timeout in typical round trips."""
LONGER = 1 / 8
SHORTER = 1 / 10
"""How far a needless repetition moves the drain time towards what would have avoided it, and by how much one that was
needed shortens it. If the drain time is too short, many at once are needless; after a loss, some are, too."""
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
        # Seconds; `drain`: for each packet in flight.
        ("median", np.float64),
        ("timeout", np.float64),
        ("drain", np.float64),
        # Measurements.
        ("measured", np.int64),
        # Consecutive results whose round trip was not measured.
        ("unmeasured", np.int64),
    ]
)


def new_timer() -> Timer:
    timer = np.zeros(1, _TIMER)
    timer["timeout"] = INITIAL
    timer["drain"] = INITIAL_DRAIN
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
    timer[0].timeout = min(max(ROUND_TRIPS * timer[0].median, FLOOR), CEILING)


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
def lengthen(timer: Timer, drain: float) -> None:
    """Counts a needless repetition. drain: the drain time with which there would have been none (seconds)."""
    timer[0].drain += max(drain - timer[0].drain, 0.0) * LONGER


@compiled
def shorten(timer: Timer) -> None:
    """Counts a repetition that was needed."""
    timer[0].drain *= 1 - SHORTER


@compiled
def patience(timer: Timer, in_flight: int, tries: int) -> float:
    """Returns how many seconds to wait for a result after `tries` retransmissions, with `in_flight` packets in flight.
    Each retransmission after the PATIENT-th doubles the wait ([RFC6298] section 5.5)."""
    return min(float(timer[0].timeout + timer[0].drain * in_flight) * 2.0 ** max(tries - PATIENT, 0), CEILING)
