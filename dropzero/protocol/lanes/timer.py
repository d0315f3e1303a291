"""The retransmission timer: a multiple of the median round trip, plus the time that the packets in flight take to
drain, with a late linear backoff.

A round trip lasts until all workers have contributed, so it may include the timeout of another worker whose packet was
lost: with 8 workers and 5 % loss, half of all rounds do. An average over such round trips would grow with the timeout,
and the timeout with the average. So the timer follows the median, and only of round trips that are unambiguous
(rounds.py).

The median lags when a queue builds up: after a pause, a call's first packets pass through empty queues, the next ones
through full ones. A round trip takes at least the drain time of all packets in flight (Little's law), which gives a
first guess. Then retransmissions tell whether the timer waits long enough: a spurious one lengthens the drain time and
the minimum timeout, a necessary one shortens the drain time, and moves the minimum to what its own answer took.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.records import record

INITIAL_TIMEOUT = 0.02
"""Seconds, before the first measurement."""
MAX_TIMEOUT = 1.0
"""The largest timeout (seconds)."""
INITIAL_MIN_TIMEOUT = 0.004
"""The minimum timeout, at most and before any retransmission (seconds): workers may be descheduled for that long."""
INITIAL_DRAIN = 0.5e-3
"""Seconds that each packet in flight may add, at most before any retransmission: a full packet at 20 Mbit/s."""
DRAIN_MARGIN = 4.0
"""The first guess of the drain time, in round trips per packet in flight. Behind a token bucket, the first packets
drain much faster than later ones."""

ROUND_TRIPS = 2.5
"""The timeout in median round trips."""
SLOW = INITIAL_MIN_TIMEOUT / ROUND_TRIPS
"""A full packet's round trip, in seconds, from which on the minimum timeout is too short."""
INITIAL_PROBE = 1e-3
"""Seconds without a result until the first probe, before anything is known of the network."""
PROMPT_PROBES = 3
"""Probes before their interval doubles."""
LENGTHENING = 1 / 8
"""The weight of a spurious retransmission: it moves the drain time and the minimum timeout this far towards values
that avoid it."""
SHORTENING = 1 / 10
"""The weight of a necessary retransmission. It must outweigh the few spurious ones that follow a loss; if the timer is
too short, there are many at once."""
MEDIAN_STEP = 1 / 16
"""The relative step by which a measurement moves the median; the first measurements move it further."""
BACKOFF_AFTER = 5
"""Retransmissions before the timeout grows: with many workers, one of them often loses a packet twice. It does not
double ([RFC6298] section 5.5): a worker that loses a result would then wait again for as long as all waits before it
together."""
MAX_PROBE_BACKOFF = 8.0
"""The largest factor of the time until a probe, where earlier ones have found nothing lost."""
MAX_UNMEASURED = 16
"""Consecutive results without a measurement after which the timeout counts as too short."""


Timer = NDArray[np.void]
"""One worker's estimate of the round trip, shape (1,)."""
_TIMER = record(
    # The median round trip (seconds).
    ("median", np.float64),
    # A round trip divided by the packets in flight (seconds): the largest, which decays.
    ("per_packet", np.float64),
    # The timeout without the drain time, its minimum, and the drain time of each packet in flight (seconds).
    ("timeout min_timeout drain", np.float64),
    # No retransmission has changed the drain time yet.
    ("guessed", np.bool_),
    # The factor of the time until a probe.
    ("probe_backoff", np.float64),
    # Number of measurements.
    "measured",
    # Consecutive results whose round trip was not measured.
    "unmeasured",
)


def new_timer() -> Timer:
    timer = np.zeros(1, _TIMER)
    timer["timeout"] = INITIAL_TIMEOUT
    timer["min_timeout"] = INITIAL_MIN_TIMEOUT
    timer["drain"] = INITIAL_DRAIN
    timer["guessed"] = True
    timer["probe_backoff"] = 1.0
    return timer


@compiled
def observe(timer: Timer, sample: float, in_flight: int = 0) -> None:
    """Adds an unambiguous round trip, in seconds. A retransmitted packet's is ambiguous (Karn's algorithm, [RFC6298]
    section 3). in_flight: the packets in flight when it was sent, including itself; 0: for a report, which waits for no
    other worker."""
    step = max(MEDIAN_STEP, 1 / (timer[0].measured + 1))
    if timer[0].median == 0.0:
        timer[0].median = sample
    elif not in_flight and sample < timer[0].median / 2:
        # The median includes other workers' timeouts. There are too few reports for small steps.
        timer[0].median /= 2
    else:
        timer[0].median *= 1 + step if sample >= timer[0].median else 1 - step
    timer[0].measured += 1
    timer[0].unmeasured = 0
    timer[0].timeout = min(max(ROUND_TRIPS * timer[0].median, timer[0].min_timeout), MAX_TIMEOUT)
    if in_flight and timer[0].guessed:
        timer[0].per_packet = max(timer[0].per_packet * (1 - MEDIAN_STEP), sample / in_flight)
        timer[0].drain = min(DRAIN_MARGIN * timer[0].per_packet, INITIAL_DRAIN)


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
def lengthen(timer: Timer, timeout: float, drain: float) -> None:
    """Counts a spurious retransmission. timeout, drain: each alone would have avoided it (seconds); 0: not known. The
    drain time at most doubles: a single long wait need not be due to a queue, but for example to an ARP request."""
    longer = max(timeout - timer[0].min_timeout, 0.0) * LENGTHENING
    timer[0].min_timeout = min(timer[0].min_timeout + longer, INITIAL_MIN_TIMEOUT)
    longer = max(drain - timer[0].drain, 0.0) * LENGTHENING
    timer[0].drain += min(longer, max(timer[0].drain, INITIAL_DRAIN))
    timer[0].guessed = False


@compiled
def shorten(timer: Timer, round_trip: float) -> None:
    """Counts a necessary retransmission. round_trip: the time until it was answered (seconds)."""
    enough = min(ROUND_TRIPS * round_trip, INITIAL_MIN_TIMEOUT)
    timer[0].min_timeout += (enough - timer[0].min_timeout) * SHORTENING
    timer[0].drain *= 1 - SHORTENING
    timer[0].guessed = False


@compiled
def count_probes(timer: Timer, found_loss: bool) -> None:
    """Counts probes. If they found no loss, other workers are slow, and their queries would only slow them further: the
    next probes wait twice as long. After a loss, they are prompt again."""
    timer[0].probe_backoff = 1.0 if found_loss else min(2 * timer[0].probe_backoff, MAX_PROBE_BACKOFF)


@compiled
def until_probe(timer: Timer, full: float, probes: int) -> float:
    """Returns the seconds until the next probe after `probes` in vain (compare the PTO of [RFC8985] section 7.2). Each
    one after the first PROMPT_PROBES doubles the time, because another worker is probably slow.

    full: what a full packet's round trip takes at most (seconds); 0: not known. The median may be that of short ones.
    """
    once = ROUND_TRIPS * max(timer[0].median, full) or INITIAL_PROBE
    if once > ROUND_TRIPS * SLOW:
        # On fast links, a late probe would cost more than queries do.
        once *= timer[0].probe_backoff
    return float(once * 2.0 ** max(probes - PROMPT_PROBES + 1, 0))


@compiled
def backed_off(timer: Timer, in_flight: int, tries: int) -> float:
    """Returns how many seconds to wait for a result after `tries` retransmissions, with `in_flight` packets in flight.
    Each retransmission after the first BACKOFF_AFTER prolongs the wait by the timeout."""
    return min(float(timer[0].timeout + timer[0].drain * in_flight) * max(tries - BACKOFF_AFTER + 1, 1), MAX_TIMEOUT)
