"""What the relay's native code and Python tell each other: an array of 64-bit words, numbers and addresses."""

from __future__ import annotations

from enum import IntEnum, auto

import numpy as np

POLL = np.dtype([("descriptor", "i4"), ("events", "i2"), ("found", "i2")])
"""struct pollfd."""

PATIENCE = 50_000
"""Nanoseconds for which it looks for more packets before it sleeps: to be woken takes longer than many packets do. Each
time in vain it is half as long."""

PIECE = 128
"""Packets that go through the program before what became of them is sent."""


class Outcome(IntEnum):
    """Why it returned."""

    CALLED = 0
    """There is something else to do than to pass packets."""
    ARRIVED = 1
    """A batch has come in of which there is something to tell; it has not gone through the program."""
    PROCESSED = 2
    """A batch has, as far as `taken`; what became of it has not been sent."""


class Word(IntEnum):
    """Where each is."""

    # Of the ports: struct pollfd of each, of the loop and of its alarm, their numbers, how many, packets they did not
    # take.
    POLLED = 0
    NUMBERS = auto()
    PORTS = auto()
    DROPPED = auto()
    ERROR = auto()
    # What comes in: see Ports and Trains.
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
    # What goes out: see Output, and Ports and Trains.
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
    PATIENCE = auto()
    """How long it looks for more (nanoseconds)."""
