"""What the native code of the ports and Python tell each other: a structure of numbers and addresses."""

from __future__ import annotations

import numpy as np

POLL = np.dtype([("descriptor", "i4"), ("events", "i2"), ("found", "i2")])
"""struct pollfd."""
TIME = np.dtype([("seconds", "i8"), ("nanoseconds", "i8")])
"""struct timespec."""

SPIN_NS = 50_000
"""Nanoseconds to poll for more packets before sleeping: waking up takes longer than many packets do. Halved each time
in vain."""

SEND_EVERY = 128
"""Packets that go through the program before their results are sent."""

CALLED, ARRIVED, PROCESSED = range(3)
"""Why fast_path() returned. CALLED: Python has something to do, or there was nothing to receive. ARRIVED: a batch has
come in that Python has to look at; it has not gone through the program. PROCESSED: a batch has, as far as `taken`; its
results have not been sent."""

_FIELDS = (
    # The ports: struct pollfd of each, and then of what else wakes it; their numbers, how many ports, how many are
    # polled, and packets that each port did not take.
    *("polled", "numbers", "ports", "all_polled", "dropped", "error"),
    # What comes in: see Ports and Gso.
    *("slots", "slot", "memory", "offloads", "auxiliaries", "received", "origins"),
    *("starts", "lengths", "arrived_ports", "arrivals", "packets"),
    # The program: see Engine.
    *("process", "context", "vector", "aside", "cpu_port", "begin"),
    # What goes out: see Output, and Ports and Gso.
    *("out_data", "out_starts", "out_lengths", "out_ports", "out_size", "out_count"),
    *("heads", "content", "sent", "joining"),
    # Of the last batch: messages, packets, those that the program has taken, and when (nanoseconds). CLOCK_REALTIME
    # when the switch's time began.
    *("filled", "made", "taken", "time", "real"),
    # How long it polls before it sleeps (nanoseconds), and a struct timespec.
    *("spin", "clock"),
)
WORDS = np.dtype([(name, np.int64) for name in _FIELDS])
