"""Queues of packets that are only numbers."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from dropzero.softswitch.compiler.forwarding.queued_packets import (
    ENQUEUE_DEPTH,
    ENQUEUED,
    EXPECTED,
    LENGTH,
    QUEUE,
    WORDS,
    WRITTEN,
)
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.queue_records import FULL
from dropzero.softswitch.engine.queues import Queues

OWNER = 7


class Sent(NamedTuple):
    """begin, end: when the packet left its queue, and when it has been sent. left: the packets then in the queue."""

    begin: int
    end: int
    port: int
    number: int
    left: int


def enter(
    queues: Queues, port: int, priority: int, number: int, now: int, *, expected: int = 0, written: int = 0
) -> int | None:
    """Puts a packet into a queue. Returns the number of packets before it; None: there is no room. expected, written:
    its bytes on the wire."""
    words = np.zeros(WORDS, np.int64)
    words[[LENGTH, QUEUE, ENQUEUED]] = number, priority, now // 1000
    words[[EXPECTED, WRITTEN]] = expected, written
    length, ports = np.array([[-words.nbytes], [port]], np.int32)
    queues.enter(Frames(words.view(np.uint8), np.zeros(1, np.int64), length, ports), now, OWNER)
    depth = int(words[ENQUEUE_DEPTH])
    return None if depth == FULL else depth


def served(queues: Queues, until: int, *, alone: bool = True) -> list[Sent]:
    """Sends packets up to a time. alone: see Queues.serve."""
    found: list[Sent] = []
    while len(departures := queues.serve(until, OWNER, alone=alone)):
        begins, ports, packets, left = (departures[name].tolist() for name in ("time", "port", "packet", "left"))
        numbers = [ctypes.c_int64.from_address(packet + 8 * LENGTH).value for packet in packets]
        ends = queues.settle(departures, OWNER, departures["port"].astype(np.int32)).tolist()
        found += map(Sent, begins, ends, ports, numbers, left)
    return found
