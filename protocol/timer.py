"""When to send again: the round-trip estimator of RFC 6298, with a floor fitted to a rack instead of the Internet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

INITIAL = 0.2
FLOOR = 0.02
CEILING = 1.0
"""Seconds: the timeout before anything is measured, and its bounds afterwards. The lower one may be raised."""


class Timer(NamedTuple):
    """One worker's estimate of the round trip, as arrays of one element (seconds) that compiled code can write to."""

    smoothed: NDArray[np.float64]
    variation: NDArray[np.float64]
    timeout: NDArray[np.float64]
    floor: NDArray[np.float64]
    expiries: NDArray[np.int64]
    """How many deadlines have passed since something was measured."""

    @classmethod
    def new(cls) -> Timer:
        return cls(np.zeros(1), np.zeros(1), np.full(1, INITIAL), np.full(1, FLOOR), np.zeros(1, np.int64))


@njit(cache=True, nogil=True)
def observe(timer: Timer, sample: float) -> None:
    """Takes in the round trip of a packet that was sent once: one that was sent again tells nothing (Karn)."""
    if timer.smoothed[0] == 0.0:
        timer.smoothed[0] = sample
        timer.variation[0] = sample / 2
    else:
        timer.variation[0] += (abs(sample - timer.smoothed[0]) - timer.variation[0]) / 4
        timer.smoothed[0] += (sample - timer.smoothed[0]) / 8
    timer.expiries[0] = 0
    timer.timeout[0] = min(max(timer.smoothed[0] + 4 * timer.variation[0], timer.floor[0]), CEILING)


@njit(cache=True, nogil=True)
def raise_floor(timer: Timer, seconds: float) -> None:
    """Takes in how long a round trip may take without any loss, however short those were that were measured."""
    timer.floor[0] = max(FLOOR, seconds)


@njit(cache=True, nogil=True)
def expire(timer: Timer) -> None:
    """Takes in that a deadline has passed. The first time since something was measured, that was a loss; the next time
    it may be that the timeout is too short, all packets are sent twice, and nothing is ever measured: it is doubled."""
    timer.expiries[0] += 1
    if timer.expiries[0] > 1:
        timer.timeout[0] = min(2 * timer.timeout[0], CEILING)


@njit(cache=True, nogil=True)
def patience(timer: Timer, tries: int) -> float:
    """How long to wait after sending a packet again for that many times: twice as long each time."""
    return min(float(timer.timeout[0]) * 2.0**tries, CEILING)
