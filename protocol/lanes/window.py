"""The window: how many lanes a worker keeps active. It follows DCTCP, and is bounded by the bandwidth-delay product.

Once per round trip, which is over when as many results have arrived as contributions were in flight:

- If any result was congested, the window shrinks by half the smoothed share of congested results ([DCTCP] section
  3.1). Otherwise it grows by one, or doubles if nothing has been congested for long.
- It never exceeds GAIN times the bandwidth-delay product (the rate of results times the minimum round trip) plus what
  arrives in AWAY.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES

SMOOTHING = 1 / 16
"""Weight of the newest share of congested results; a smoothed share below it counts as 0."""
GAIN = 4.0
"""1 would be the bandwidth-delay product, but the measured rate lags while the window opens."""
AWAY = 8e-3
"""Seconds of traffic kept in flight, for two reasons: all workers wait while one is descheduled, and packets cost less
in large batches, while minimum round trips are measured with small ones."""
ENOUGH = 16.0
"""Lanes that are always active without congestion; more if their packets are small."""
PERIOD = 10.0
"""Seconds, once or twice over, after which a minimum round trip is forgotten."""

_FULL = OUTER_BYTES + MAX_PAYLOAD


Window = NDArray[np.void]
"""One worker's window, shape (1,)."""
_WINDOW = np.dtype(
    [
        # Lanes, at least 1.
        ("size", np.float64),
        # Share of results that were congested, smoothed.
        ("share", np.float64),
        # In this round trip: results, congested ones, and bytes.
        ("arrived", np.int64),
        ("congested", np.int64),
        ("received", np.int64),
        # It is a call's first, which includes the time until the others made the call.
        ("opening", np.bool_),
        # When it began (seconds).
        ("began", np.float64),
        # Bytes that arrived in the last round trips, and the seconds they took, both smoothed.
        ("lately", np.float64, (2,)),
        # The minimum round trip of this period and of the one before (seconds).
        ("least", np.float64, (2,)),
        # When this period began (seconds).
        ("period", np.float64),
    ],
    align=True,
)


def new_window() -> Window:
    window = np.zeros(1, _WINDOW)
    window["size"] = 1.0
    window["opening"] = True
    window["least"] = np.inf
    window["period"] = -np.inf
    return window


@compiled
def begin(window: Window, now: float) -> None:
    """Begins a call. The first of a period begins with one lane, to measure a round trip without queueing, as [BBR]
    does."""
    if now - window[0].period > PERIOD and window[0].share < SMOOTHING:
        window[0].least[1] = window[0].least[0]
        window[0].least[0] = np.inf
        window[0].period = now
        window[0].size = 1.0
    start(window, now)
    window[0].opening = True


@compiled
def start(window: Window, now: float) -> None:
    """Begins a round trip."""
    window[0].arrived = window[0].congested = window[0].received = 0
    window[0].opening = False
    window[0].began = now


@compiled
def sample(window: Window, round_trip: float) -> None:
    """Adds the round trip, in seconds, of a packet that was sent only once."""
    window[0].least[0] = min(window[0].least[0], round_trip)


@compiled
def least_round_trip(window: Window) -> float:
    """The minimum round trip lately (seconds); infinity: none was measured."""
    return float(min(window[0].least[0], window[0].least[1]))


@compiled
def note(window: Window, congested: bool, unfinished: int, lanes: int, now: float) -> bool:
    """Counts a result, whose bytes are in `received` already; `unfinished` of the job's `lanes` have work left.
    Returns whether it ended a round trip, which may change the window."""
    size = window[0].size
    window[0].arrived += 1
    window[0].congested += congested
    if window[0].arrived < min(int(size), unfinished):
        return False
    share = window[0].congested / window[0].arrived
    steady = window[0].share < SMOOTHING
    if window[0].congested:
        # The first congestion in a long time: halve the window, as TCP does at the end of slow start.
        window[0].share = 1.0 if steady else window[0].share + (share - window[0].share) * SMOOTHING
        window[0].size = max(1.0, size * (1 - window[0].share / 2))
    elif unfinished >= size:
        window[0].share -= window[0].share * SMOOTHING
        # A round trip of fewer lanes measures delay, not rate.
        if not window[0].opening and size >= min(ENOUGH, lanes):
            # Sums, not rates: results that waited for this worker arrive all at once.
            window[0].lately[0] += window[0].received - window[0].lately[0] * SMOOTHING
            window[0].lately[1] += now - window[0].began - window[0].lately[1] * SMOOTHING
        least = least_round_trip(window)
        grown, most = 2 * size if steady else size + 1, float(lanes)
        packets = window[0].arrived / window[0].received
        enough = ENOUGH * max(1.0, packets * _FULL)
        if steady and not np.isinf(least):
            grown = max(grown, enough)
        if window[0].lately[1] > 0 and not np.isinf(least):
            rate = packets * window[0].lately[0] / window[0].lately[1]
            most = min(max(rate * (GAIN * least + AWAY), enough), most)
        window[0].size = min(grown, most)
    start(window, now)
    return True
