"""How many lanes a worker keeps going: DCTCP (SIGCOMM'10) where packets are marked, what the network takes elsewhere.

Once a round trip, that is whenever as many results have come as there were contributions under way:

- If any was of a congested round, the window shrinks by half the share of congested ones, smoothed. Otherwise it grows,
  by one, or to twice its size when nothing has been congested for long.
- It never grows beyond GAIN times what the network holds: the rate at which results come times the least round trip.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protocol.native import compiled
from protocol.wire import MAX_PAYLOAD, OUTER_BYTES

SMOOTHING = 1 / 16
"""The weight of the newest share of congested rounds; one below it counts as none."""
GAIN = 8.0
"""One would be the bandwidth-delay product. But switch and workers handle packets in batches, whose cost a packet falls
with their length, and the least round trips are of short batches: to be as fast, more must be under way."""
ENOUGH = 16.0
"""Lanes that are always kept going where nothing is congested; more when their packets are small."""
TURN = 250e-6
"""Seconds that a round trip is taken for at least, when it is reckoned what is under way: the least one may be of a
moment when all processes had a core, and mostly they take turns."""
PERIOD = 10.0
"""Seconds after which a least round trip is forgotten, or twice that."""

_FULL = OUTER_BYTES + MAX_PAYLOAD


class Window(NamedTuple):
    """One worker's window, as arrays of one element that compiled code can write to."""

    size: NDArray[np.float64]
    """Lanes, at least 1."""
    share: NDArray[np.float64]
    """Of results that were of congested rounds, smoothed."""
    arrived: NDArray[np.int64]
    congested: NDArray[np.int64]
    received: NDArray[np.int64]
    """Results, those of congested rounds, and the bytes of all, in this round trip."""
    opening: NDArray[np.bool_]
    """It is a call's first, which also measures how long the others took to get here."""
    began: NDArray[np.float64]
    """When it began (seconds)."""
    quickest: NDArray[np.float64]
    """How long the quickest round in it took (seconds); infinity: none was measured."""
    lately: NDArray[np.float64]
    """Bytes that came in the last round trips, and the seconds that took, both smoothed, shape (2,)."""
    least: NDArray[np.float64]
    """The least round trip of this period, and of the one before (seconds), shape (2,)."""
    period: NDArray[np.float64]
    """When this period began (seconds)."""

    @classmethod
    def new(cls) -> Window:
        return cls(
            size=np.ones(1),
            share=np.zeros(1),
            arrived=np.zeros(1, np.int64),
            congested=np.zeros(1, np.int64),
            received=np.zeros(1, np.int64),
            opening=np.ones(1, np.bool_),
            began=np.zeros(1),
            quickest=np.full(1, np.inf),
            lately=np.zeros(2),
            least=np.full(2, np.inf),
            period=np.full(1, -np.inf),
        )


@compiled
def begin(window: Window, now: float) -> None:
    """A call begins: the first one of a period with one lane, to see how short a round trip is when nothing is queued,
    as BBR does (2016)."""
    if now - window.period[0] > PERIOD and window.share[0] < SMOOTHING:
        window.least[1] = window.least[0]
        window.least[0] = np.inf
        window.period[0] = now
        window.size[0] = 1.0
    start(window, now)
    window.opening[0] = True


@compiled
def start(window: Window, now: float) -> None:
    """A round trip begins."""
    window.arrived[0] = window.congested[0] = window.received[0] = 0
    window.opening[0] = False
    window.began[0] = now
    window.quickest[0] = np.inf


@compiled
def sample(window: Window, round_trip: float) -> None:
    """Takes in the round trip of a packet that was sent once."""
    window.quickest[0] = min(window.quickest[0], round_trip)
    window.least[0] = min(window.least[0], round_trip)


@compiled
def round_trip(window: Window) -> float:
    """How long a round would take now if all packets were full (seconds); 0: nothing was measured in this round trip.

    It is the quickest one that counts, as the others may have waited for lost packets. What it took longer than the
    least round trip is what queues took, and these grow with the packets: they change from call to call.
    """
    least = min(window.least[0], window.least[1])
    if np.isinf(window.quickest[0]):
        return 0.0
    return float(least + (window.quickest[0] - least) * (window.arrived[0] + 1) * _FULL / max(window.received[0], 1))


@compiled
def note(window: Window, congested: bool, unfinished: int, lanes: int, now: float) -> bool:
    """Takes in a result, whose bytes are in `received`; `unfinished` of the job's `lanes` have something left to do.
    Says whether it was a round trip's last one, after which the window may be another."""
    size = window.size[0]
    window.arrived[0] += 1
    window.congested[0] += congested
    if window.arrived[0] < min(int(size), unfinished):
        return False
    share = window.congested[0] / window.arrived[0]
    steady = window.share[0] < SMOOTHING
    if window.congested[0]:
        # The first time for long: as when TCP leaves slow start.
        window.share[0] = 1.0 if steady else window.share[0] + (share - window.share[0]) * SMOOTHING
        window.size[0] = max(1.0, size * (1 - window.share[0] / 2))
    elif unfinished >= size:
        window.share[0] -= window.share[0] * SMOOTHING
        # Few lanes measure how long a round trip is instead.
        if not window.opening[0] and size >= min(ENOUGH, lanes):
            # Of sums, because results that waited for the worker come all at once afterwards.
            window.lately[0] += window.received[0] - window.lately[0] * SMOOTHING
            window.lately[1] += now - window.began[0] - window.lately[1] * SMOOTHING
        least = min(window.least[0], window.least[1])
        grown, most = 2 * size if steady else size + 1, float(lanes)
        packets = window.arrived[0] / window.received[0]
        enough = ENOUGH * max(1.0, packets * _FULL)
        if steady and not np.isinf(least):
            grown = max(grown, enough)
        if window.lately[1] > 0 and not np.isinf(least):
            rate = packets * window.lately[0] / window.lately[1]
            most = min(max(GAIN * rate * max(least, TURN), enough), most)
        window.size[0] = min(grown, most)
    start(window, now)
    return True
