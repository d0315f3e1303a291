"""What the fast path's native code and Python tell each other: an array of 64-bit words, numbers and addresses."""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np

POLL = np.dtype([("descriptor", "i4"), ("events", "i2"), ("found", "i2")])
"""struct pollfd."""

SPIN_NS = 50_000
"""Nanoseconds to poll for more packets before sleeping: waking up takes longer than many packets do. Halved each time
in vain."""

SEND_EVERY = 128
"""Packets that go through the program before their results are sent."""


class Outcome(IntEnum):
    """Why it returned."""

    CALLED = 0
    """Python has something to do, or there was nothing to receive."""
    ARRIVED = 1
    """A batch has come in that Python has to look at; it has not gone through the program."""
    PROCESSED = 2
    """A batch has, as far as `taken`; its results have not been sent."""


class Word(IntEnum):
    """Where each is."""

    # The ports: struct pollfd of each, of the wakeup pipe and of the timer; their numbers, how many, and packets that
    # they did not take.
    POLLED = 0
    NUMBERS = auto()
    PORTS = auto()
    DROPPED = auto()
    ERROR = auto()
    # What comes in: see Ports and Gso.
    SLOTS = auto()
    SLOT = auto()
    MEMORY = auto()
    OFFLOADS = auto()
    AUXILIARIES = auto()
    RECEIVED = auto()
    ORIGINS = auto()
    STARTS = auto()
    LENGTHS = auto()
    ARRIVED_PORTS = auto()
    PACKETS = auto()
    # The program: see Engine.
    PROCESS = auto()
    CONTEXT = auto()
    VECTOR = auto()
    ASIDE = auto()
    CPU_PORT = auto()
    BEGIN = auto()
    # What goes out: see Output, and Ports and Gso.
    OUT_DATA = auto()
    OUT_STARTS = auto()
    OUT_LENGTHS = auto()
    OUT_PORTS = auto()
    OUT_SIZE = auto()
    OUT_COUNT = auto()
    HEADS = auto()
    CONTENT = auto()
    SENT = auto()
    JOINING = auto()
    # Of the last batch: messages, packets, those that the program has taken, and when (nanoseconds).
    FILLED = auto()
    MADE = auto()
    TAKEN = auto()
    TIME = auto()
    SPIN = auto()
    """How long it polls before it sleeps (nanoseconds)."""
