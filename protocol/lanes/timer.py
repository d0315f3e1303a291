"""The retransmission timer: a multiple of the median round trip, plus the time that the packets in flight take to
drain, with a late exponential backoff ([RFC6298] section 5.5).

A round trip lasts until all workers have contributed, so it may include the timeout of another worker whose packet was
lost: with 8 workers and 5 % loss, half of all rounds do. An average over such round trips would grow with the timeout,
and the timeout with the average. So the timer follows the median, and only of round trips that are unambiguous
(rounds.py).

The median lags when a queue builds up: after a pause, a call's first packets pass through empty queues, the next ones
through full ones. Only spurious retransmissions tell how much delay each packet in flight adds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled

INITIAL_TIMEOUT = 0.02
"""Seconds, before the first measurement."""
MIN_TIMEOUT = 0.004
MAX_TIMEOUT = 1.0
"""The bounds of the timeout (seconds)."""
INITIAL_DRAIN = 0.5e-3
"""Seconds that each packet in flight may add, before any retransmission: a full packet at 20 Mbit/s."""

ROUND_TRIPS = 2.5
"""The timeout in median round trips."""
LENGTHENING = 1 / 8
"""The weight of a spurious retransmission: it moves the drain time this far towards the value that avoids it."""
SHORTENING = 1 / 10
"""The share of the drain time that a necessary retransmission takes away. It must outweigh the few spurious ones that
follow a loss; if the drain time is too short, there are many at once."""
MEDIAN_STEP = 1 / 16
"""The relative step by which a measurement moves the median; the first measurements move it further."""
BACKOFF_AFTER = 5
"""Retransmissions before the timeout doubles: with many workers, one of them often loses a packet twice."""
MAX_UNMEASURED = 16
"""Consecutive results without a measurement after which the timeout counts as too short."""


Timer = NDArray[np.void]
"""One worker's estimate of the round trip, shape (1,)."""
_TIMER = np.dtype(
    [
        # Seconds; `drain`: for each packet in flight.
        ("median", np.float64),
        ("timeout", np.float64),
        ("drain", np.float64),
        # Number of measurements.
        ("measured", np.int64),
        # Consecutive results whose round trip was not measured.
        ("unmeasured", np.int64),
    ]
)


def new_timer() -> Timer:
    timer = np.zeros(1, _TIMER)
    timer["timeout"] = INITIAL_TIMEOUT
    timer["drain"] = INITIAL_DRAIN
    return timer


@compiled
def observe(timer: Timer, sample: float) -> None:
    """Adds an unambiguous round trip, in seconds. A retransmitted packet's is ambiguous (Karn's algorithm, [RFC6298]
    section 3)."""
    step = max(MEDIAN_STEP, 1 / (timer[0].measured + 1))
    if timer[0].median == 0.0:
        timer[0].median = sample
    else:
        timer[0].median *= 1 + step if sample >= timer[0].median else 1 - step
    timer[0].measured += 1
    timer[0].unmeasured = 0
    timer[0].timeout = min(max(ROUND_TRIPS * timer[0].median, MIN_TIMEOUT), MAX_TIMEOUT)


@compiled
def count_unmeasured(timer: Timer) -> None:
    """Counts a result whose round trip is ambiguous. A single one means a loss. MAX_UNMEASURED in a row mean that the
    timeout is too short, so that every packet is sent twice and nothing is ever measured: doubles the timeout."""
    timer[0].unmeasured += 1
    if timer[0].unmeasured >= MAX_UNMEASURED:
        timer[0].unmeasured = 0
        timer[0].median *= 2
        timer[0].timeout = min(2 * timer[0].timeout, MAX_TIMEOUT)


@compiled
def lengthen_drain(timer: Timer, drain: float) -> None:
    """Counts a spurious retransmission. drain: the least drain time that would have avoided it (seconds)."""
    timer[0].drain += max(drain - timer[0].drain, 0.0) * LENGTHENING


@compiled
def shorten_drain(timer: Timer) -> None:
    """Counts a necessary retransmission."""
    timer[0].drain *= 1 - SHORTENING


@compiled
def backed_off(timer: Timer, in_flight: int, tries: int) -> float:
    """Returns how many seconds to wait for a result after `tries` retransmissions, with `in_flight` packets in flight.
    Each retransmission after the first BACKOFF_AFTER doubles the wait."""
    return min(float(timer[0].timeout + timer[0].drain * in_flight) * 2.0 ** max(tries - BACKOFF_AFTER, 0), MAX_TIMEOUT)
