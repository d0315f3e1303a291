"""How many lanes a worker keeps going: DCTCP (SIGCOMM'10) where packets are marked, what the network takes elsewhere.

Once a round trip, that is whenever as many results have come as there were contributions under way:

- If any was of a congested round, the window shrinks by half the share of congested ones, smoothed. Otherwise it grows,
  by one, or to twice its size when nothing has been congested for long.
- It never grows beyond GAIN times what the network holds, which is the rate at which results come times the least round
  trip, and what comes in AWAY besides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES

SMOOTHING = 1 / 16
"""The weight of the newest share of congested rounds; one below it counts as none."""
GAIN = 4.0
"""One would be the bandwidth-delay product. But the rate is known late: while a window opens, it is that of smaller
ones."""
AWAY = 8e-3
"""Seconds for which links go on though a process gets no core, as others use it or the machine is somebody else's, too:
what one worker's link misses, all wait for. And switch and workers handle packets in batches, whose cost a packet falls
with their length, while the least round trips are of short ones."""
ENOUGH = 16.0
"""Lanes that are always kept going where nothing is congested; more when their packets are small."""
PERIOD = 10.0
"""Seconds after which a least round trip is forgotten, or twice that."""

_FULL = OUTER_BYTES + MAX_PAYLOAD


Window = NDArray[np.void]
"""One worker's window, shape (1,)."""
_WINDOW = np.dtype(
    [
        # Lanes, at least 1.
        ("size", np.float64),
        # Of results that were of congested rounds, smoothed.
        ("share", np.float64),
        # Results, those of congested rounds, and the bytes of all, in this round trip.
        ("arrived", np.int64),
        ("congested", np.int64),
        ("received", np.int64),
        # It is a call's first, which also measures how long the others took to get here.
        ("opening", np.bool_),
        # When it began (seconds).
        ("began", np.float64),
        # How long the quickest round in it took (seconds); infinity: none was measured.
        ("quickest", np.float64),
        # Bytes that came in the last round trips, and the seconds that took, both smoothed.
        ("lately", np.float64, (2,)),
        # The least round trip of this period, and of the one before (seconds).
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
    window["quickest"] = window["least"] = np.inf
    window["period"] = -np.inf
    return window


@compiled
def begin(window: Window, now: float) -> None:
    """A call begins: the first one of a period with one lane, to see how short a round trip is when nothing is queued,
    as BBR does (2016)."""
    if now - window[0].period > PERIOD and window[0].share < SMOOTHING:
        window[0].least[1] = window[0].least[0]
        window[0].least[0] = np.inf
        window[0].period = now
        window[0].size = 1.0
    start(window, now)
    window[0].opening = True


@compiled
def start(window: Window, now: float) -> None:
    """A round trip begins."""
    window[0].arrived = window[0].congested = window[0].received = 0
    window[0].opening = False
    window[0].began = now
    window[0].quickest = np.inf


@compiled
def sample(window: Window, round_trip: float) -> None:
    """Takes in the round trip of a packet that was sent once."""
    window[0].quickest = min(window[0].quickest, round_trip)
    window[0].least[0] = min(window[0].least[0], round_trip)


@compiled
def round_trip(window: Window) -> float:
    """How long a round would take now if all packets were full (seconds); 0: nothing was measured in this round trip.

    It is the quickest one that counts, as the others may have waited for lost packets. What it took longer than the
    least round trip is what queues took, and these grow with the packets: they change from call to call.
    """
    least = min(window[0].least[0], window[0].least[1])
    if np.isinf(window[0].quickest):
        return 0.0
    return float(least + (window[0].quickest - least) * (window[0].arrived + 1) * _FULL / max(window[0].received, 1))


@compiled
def note(window: Window, congested: bool, unfinished: int, lanes: int, now: float) -> bool:
    """Takes in a result, whose bytes are in `received`; `unfinished` of the job's `lanes` have something left to do.
    Says whether it was a round trip's last one, after which the window may be another."""
    size = window[0].size
    window[0].arrived += 1
    window[0].congested += congested
    if window[0].arrived < min(int(size), unfinished):
        return False
    share = window[0].congested / window[0].arrived
    steady = window[0].share < SMOOTHING
    if window[0].congested:
        # The first time for long: as when TCP leaves slow start.
        window[0].share = 1.0 if steady else window[0].share + (share - window[0].share) * SMOOTHING
        window[0].size = max(1.0, size * (1 - window[0].share / 2))
    elif unfinished >= size:
        window[0].share -= window[0].share * SMOOTHING
        # Few lanes measure how long a round trip is instead.
        if not window[0].opening and size >= min(ENOUGH, lanes):
            # Of sums, because results that waited for the worker come all at once afterwards.
            window[0].lately[0] += window[0].received - window[0].lately[0] * SMOOTHING
            window[0].lately[1] += now - window[0].began - window[0].lately[1] * SMOOTHING
        least = min(window[0].least[0], window[0].least[1])
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
