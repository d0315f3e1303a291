"""The window: how many lanes a worker keeps active. It follows DCTCP, and is bounded by the bandwidth-delay product.

A round trip is over when as many results have arrived as contributions were in flight when it began. The window then
changes:

- If any result was congested, it shrinks by half the smoothed share of congested results ([DCTCP] section 3.1).
  Otherwise it grows by one lane, or doubles if nothing has been congested for long.
- On fast links, calls of several lanes begin with what arrives in DESCHEDULED seconds.
- It never exceeds GAIN times the bandwidth-delay product (the rate of results times the minimum round trip), plus what
  arrives in DESCHEDULED seconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.records import record
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES

SMOOTHING = 1 / 16
"""Weight of the newest share of congested results (g in [DCTCP]); a smoothed share below it counts as 0."""
GAIN = 4.0
"""1 would be the bandwidth-delay product, but the measured rate lags while the window opens."""
DESCHEDULED = 8e-3
"""Seconds of traffic kept in flight, for two reasons: all workers wait while one is descheduled, and packets cost less
in large batches, while minimum round trips are measured with small ones."""
MIN_LANES = 16.0
"""Lanes that are always active without congestion; more if their packets are small."""
INITIAL_LANES = 4.0
"""Lanes active in a period's first round trip, but in short calls. Its first packet waits for no other; the rest tell
of the rate."""
FAST = 64e6
"""Bytes of a packet for each second until its result arrives; through two links of 1 Gbit/s, at most 62.5e6. On slower
links, packets take so long that a window is full before it has opened."""
MIN_RTT_PERIOD = 10.0
"""Seconds: a minimum round trip is forgotten after one to two periods."""

FULL = OUTER_BYTES + MAX_PAYLOAD
"""Bytes of a full packet."""


Window = NDArray[np.void]
"""One worker's window, shape (1,)."""
_WINDOW = record(
    # Lanes, at least 1.
    ("size", np.float64),
    # Share of results that were congested, smoothed (alpha in [DCTCP]).
    ("congestion", np.float64),
    # Results that end this round trip.
    "awaited",
    # In this round trip: results, congested ones, and bytes.
    "arrived congested received",
    # This is a call's first round trip, which includes the time until the others made the call.
    ("opening", np.bool_),
    # When the round trip began (seconds).
    ("began", np.float64),
    # Bytes that arrived in recent round trips, and the seconds that these took, both smoothed.
    ("recent_bytes recent_seconds", np.float64),
    # The minimum round trip of this period and of the one before (seconds).
    ("period_min previous_min", np.float64),
    # Bytes that each link carries in a second, at least, as this period has shown.
    ("certain_rate", np.float64),
    # This call uses several lanes.
    ("several", np.bool_),
    # When this period began (seconds).
    ("period_began", np.float64),
)


def new_window() -> Window:
    window = np.zeros(1, _WINDOW)
    window["size"] = INITIAL_LANES
    window["opening"] = True
    window["period_min"] = window["previous_min"] = np.inf
    window["period_began"] = -np.inf
    return window


@compiled
def round_trip(lanes: int) -> int:
    """How many lanes fill one round trip: half of a job's `lanes`, which should fill two, and at least MIN_LANES."""
    return max(int(MIN_LANES), lanes // 2)


@compiled
def begin_call(window: Window, used: int, lanes: int, early: bool, now: float) -> None:
    """Begins a call. A period's first call begins with few lanes, to measure a round trip without queueing, as [BBR]
    does.

    used: how many of the job's `lanes` the call uses. early: they begin with data. If these lanes fill a round trip at
    most, as in the choice of the block size, all begin at once.
    """
    if now - window[0].period_began > MIN_RTT_PERIOD and window[0].congestion < SMOOTHING:
        window[0].previous_min = window[0].period_min
        window[0].period_min = np.inf
        window[0].certain_rate = 0.0
        window[0].period_began = now
        window[0].size = max(INITIAL_LANES, float(used)) if early and used <= round_trip(lanes) else INITIAL_LANES
    window[0].several = used > 1
    if window[0].several and window[0].certain_rate >= FAST and window[0].congestion < SMOOTHING:
        window[0].size = max(window[0].size, min(window[0].certain_rate * DESCHEDULED / FULL, float(lanes)))
    begin_round_trip(window, min(window[0].size, used), now)
    window[0].opening = True


@compiled
def begin_round_trip(window: Window, awaited: float, now: float) -> None:
    window[0].awaited = int(awaited)
    window[0].arrived = window[0].congested = window[0].received = 0
    window[0].opening = False
    window[0].began = now


@compiled
def update_min_rtt(window: Window, round_trip: float) -> None:
    """Adds the round trip, in seconds, of a packet that was sent only once."""
    window[0].period_min = min(window[0].period_min, round_trip)


@compiled
def update_certain_rate(window: Window, length: int, seconds: float) -> None:
    """Adds a packet of `length` bytes whose result came `seconds` after it was first sent. Each link took no longer to
    carry it, whatever else the time includes."""
    window[0].certain_rate = max(window[0].certain_rate, length / max(seconds, 1e-9))


@compiled
def full_round_trip(window: Window) -> float:
    """What a full packet's round trip takes at most through empty queues, as this period has shown (seconds); 0: it has
    not."""
    return float(FULL / window[0].certain_rate) if window[0].certain_rate else 0.0


@compiled
def min_rtt(window: Window) -> float:
    """The minimum of the round trips of this period and the one before (seconds); infinity: none was measured."""
    return float(min(window[0].period_min, window[0].previous_min))


@compiled
def count_result(window: Window, congested: bool, unfinished: int, lanes: int, now: float) -> bool:
    """Counts a result, whose bytes `received` already includes. Returns whether it ended a round trip, which may change
    the window.

    unfinished: how many of the job's `lanes` have work left.
    """
    size = window[0].size
    window[0].arrived += 1
    window[0].congested += congested
    if window[0].arrived < window[0].awaited:
        return False
    share = window[0].congested / window[0].arrived
    steady = window[0].congestion < SMOOTHING
    if window[0].congested:
        # The first congestion in a long time: halve the window, as TCP does at the end of slow start.
        window[0].congestion = 1.0 if steady else window[0].congestion + (share - window[0].congestion) * SMOOTHING
        window[0].size = max(1.0, size * (1 - window[0].congestion / 2))
    elif unfinished >= size:
        window[0].congestion -= window[0].congestion * SMOOTHING
        # A round trip of fewer lanes measures delay, not rate.
        if not window[0].opening and size >= min(MIN_LANES, lanes):
            # Average bytes and seconds apart, not their quotient: results that waited for this worker arrive at once.
            window[0].recent_bytes += window[0].received - window[0].recent_bytes * SMOOTHING
            window[0].recent_seconds += now - window[0].began - window[0].recent_seconds * SMOOTHING
        least = min_rtt(window)
        grown, most = 2 * size if steady else size + 1, float(lanes)
        packets = window[0].arrived / window[0].received
        enough = MIN_LANES * max(1.0, packets * FULL)
        # The first packets may be short, and show less than their links carry.
        if steady and (not np.isinf(least) or (window[0].several and window[0].certain_rate >= FAST / 2)):
            grown = max(grown, enough)
        if window[0].recent_seconds > 0 and not np.isinf(least):
            rate = packets * window[0].recent_bytes / window[0].recent_seconds
            most = min(max(rate * (GAIN * least + DESCHEDULED), enough), most)
        window[0].size = min(grown, most)
    # After a mark, more contributions are in flight than the window holds.
    in_flight = size if window[0].congested else window[0].size
    begin_round_trip(window, min(in_flight, unfinished), now)
    return True
