"""Links: what happens to packets between two nodes. All times are integers, in nanoseconds."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

SECOND = 10**9


@dataclass(frozen=True)
class Quality:
    """What all links have in common, in each direction.

    Attributes:
        rate: bits a second.
        delay: of propagation, nanoseconds.
        loss, duplicate, reorder: the probabilities that a packet is lost, arrives twice, or is not delayed, so that it
            overtakes others.
    """

    rate: int
    delay: int = 0
    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0


@dataclass
class Link:
    """One direction of a link.

    Attributes:
        quality: its delay and faults.
        draw: decides the faults.
        packets, bytes: that have entered it, from the Ethernet header on.
        lost: packets.
    """

    quality: Quality
    draw: random.Random
    packets: int = 0
    bytes: int = 0
    lost: int = 0

    def carry(self, sent: int, length: int) -> tuple[int, ...]:
        """The times at which a packet of `length` bytes arrives whose last bit was sent at `sent`: none, one or two."""
        self.packets += 1
        self.bytes += length
        quality = self.quality
        arrival = sent + quality.delay
        if quality.loss and self.draw.random() < quality.loss:
            self.lost += 1
            return ()
        if quality.reorder and self.draw.random() < quality.reorder:
            arrival = sent
        if quality.duplicate and self.draw.random() < quality.duplicate:
            return arrival, arrival
        return (arrival,)


class Sender:
    """A host's network card: sends one packet after another at the link's rate, from a queue of `depth` packets.

    Attributes:
        deepest: the most packets that were in the queue at once.
        dropped: packets that found it full.
    """

    def __init__(self, rate: int, depth: int) -> None:
        self._rate, self._depth = rate, depth
        # When the last bit has left: _free nanoseconds, and _rest / rate more. No rounding error accumulates.
        self._free = self._rest = 0
        self._begins: deque[int] = deque()
        self.deepest = self.dropped = 0

    def send(self, time: int, length: int) -> int | None:
        """Queues a packet of `length` bytes at `time`. Returns when its last bit leaves; None: it was dropped."""
        begins = self._begins
        while begins and begins[0] <= time:
            begins.popleft()
        if time >= self._free:
            self._free, self._rest = time, 0
        elif len(begins) >= self._depth:
            self.dropped += 1
            return None
        else:
            begins.append(self._free)
            self.deepest = max(self.deepest, len(begins))
        work = 8 * SECOND * length + self._rest
        self._free, self._rest = self._free + work // self._rate, work % self._rate
        return self._free
