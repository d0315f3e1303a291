"""The queues between ingress and egress, as in BMv2, in virtual time.

A port has a queue for each priority, of 64 packets by default. Packets of a higher priority leave first. There are two
kinds of rate. A queue's rate, in packets per second, is BMv2's. A port's rate, in bits per second, is that of its wire:
a packet leaves when the last bit of the packet before it has been sent.

A port without a rate has no queues: its packets go straight to egress.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.layout import PORT_NUMBERS

DEFAULT_DEPTH = 64
SECOND = 10**9

Item = TypeVar("Item")


@dataclass
class Counts:
    """Counts of a port's packets. offered: to its queues; dropped: by full queues; deepest: the most in one queue."""

    offered: int = 0
    dropped: int = 0
    deepest: int = 0

    def __str__(self) -> str:
        return f"{self.offered} offered, {self.dropped} dropped, at most {self.deepest} in a queue"


class _Waiting(NamedTuple, Generic[Item]):
    """A packet in a queue: when it came, the earliest time it may leave, and its expected bytes on the wire."""

    came: int
    ready: int
    length: int
    item: Item


_CAME = attrgetter("came")


class Wire(NamedTuple):
    """When a port has sent all packets that have left its queues: at `free` nanoseconds plus `rest` / rate."""

    free: int
    rest: int

    def after(self, begin: int, length: int, rate: int) -> Wire:
        """The wire after a packet of `length` bytes that leaves at `begin`. rate: bits per second; 0: no limit."""
        free, rest = self if begin <= self.free else Wire(begin, 0)
        if not rate:
            return Wire(free, rest)
        # In integers, so that no rounding error accumulates.
        work = 8 * SECOND * length + rest
        return Wire(free + work // rate, work % rate)


class Departure(NamedTuple, Generic[Item]):
    """A packet that leaves a queue. left: the number of packets that remain in the queue."""

    port: int
    item: Item
    left: int


@dataclass
class _Queue(Generic[Item]):
    """The queue of one priority. Times are nanoseconds.

    depth:   the most packets that it holds
    gap:     the time between two packets, by the queue's rate
    last:    the earliest time that the newest packet may leave
    gone:    when packets that leave() returned early really leave
    leaving: how many of the first items had left when the newest one came (see _Port.expect)
    """

    depth: int = DEFAULT_DEPTH
    gap: int = 0
    last: int = -SECOND
    items: deque[_Waiting[Item]] = field(default_factory=deque)
    gone: deque[int] = field(default_factory=deque)
    leaving: int = 0

    def waiting(self, now: int) -> int:
        while self.gone and self.gone[0] <= now:
            self.gone.popleft()
        return len(self.items) - self.leaving + len(self.gone)

    @property
    def first(self) -> _Waiting[Item] | None:
        """The first packet that is not among `leaving`."""
        return self.items[self.leaving] if self.leaving < len(self.items) else None


@dataclass
class _Port(Generic[Item]):
    """The queues of one port.

    rate:       bits per second; 0: no limit
    free, rest: the state of its wire (see Wire)
    expected:   the wire after the items that are `leaving`; None if there are none
    noted:      the time of this port's item on the agenda; None if there is none
    """

    queues: list[_Queue[Item]]
    rate: int = 0
    free: int = 0
    rest: int = 0
    expected: Wire | None = None
    noted: int | None = None
    counts: Counts = field(default_factory=Counts)

    @property
    def next(self) -> int | None:
        """When the next packet leaves."""
        ready = [queue.items[0].ready for queue in self.queues if queue.items]
        return max(self.free, min(ready)) if ready else None

    def expect(self, now: int) -> None:
        """Marks the packets that will have left before `now`, when a packet arrives, as `leaving`. This is needed
        because all packets of a batch enter before any of them leaves. Relies on the packets' expected lengths."""
        wire = self.expected or Wire(self.free, self.rest)
        while firsts := [first for queue in self.queues if (first := queue.first)]:
            due = max(wire.free, min(first.ready for first in firsts))
            if due >= now:
                break
            queue, first = next(
                (queue, first) for queue in reversed(self.queues) if (first := queue.first) and first.ready <= due
            )
            queue.leaving += 1
            self.expected = wire = wire.after(due, first.length, self.rate)

    def forget(self) -> None:
        """Undoes expect(), before packets leave."""
        self.expected = None
        for queue in self.queues:
            queue.leaving = 0


class Queues(Generic[Item]):
    """The queues of a switch, for any type of item. Times are nanoseconds and never decrease.

    Without a priority, a setting applies to all priorities of a port; without a port, to all ports. Any thread may
    change settings; everything else belongs to one thread. Setters raise ValueError for values out of range.

    Attributes:
        queued: (PORT_NUMBERS,) uint8, 1 for ports that have queues
        used: whether any port has queues
    """

    def __init__(self, priorities: int = 1, without: Iterable[int] = ()) -> None:
        """without: ports that never have queues."""
        self.priorities = priorities
        self.queued: NDArray[np.uint8] = np.zeros(PORT_NUMBERS, dtype=np.uint8)
        self.used = False
        self._without = list(without)
        self._others: _Port[Item] = _Port([_Queue() for _ in range(priorities)])
        """The settings of ports that are not in `_ports`."""
        self._ports: dict[int, _Port[Item]] = {}
        self._agenda: list[tuple[int, int]] = []
        """A heap of (time of the next departure, port). Outdated items are skipped."""

    def __iter__(self) -> Iterator[tuple[int, Counts]]:
        """Yields the ports that have queued packets, with their counts."""
        return ((number, port.counts) for number, port in sorted(self._ports.items()) if port.counts.offered)

    def set_depth(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Sets how many packets a queue holds."""
        if packets < 0:
            raise ValueError(f"a queue cannot hold {packets} packets")
        for queue in self._chosen(port, priority):
            queue.depth = packets

    def set_rate(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Limits a queue to `packets` per second, for packets that arrive from now on; 0: no limit."""
        if packets < 0:
            raise ValueError(f"a queue cannot send {packets} packets a second")
        for queue in self._chosen(port, priority):
            queue.gap = SECOND // packets if packets else 0
        self._have_queues(port)

    def set_bit_rate(self, bits: int, port: int | None = None) -> None:
        """Limits a port to `bits` per second; 0: no limit."""
        if bits < 0:
            raise ValueError(f"a port cannot send {bits} bits a second")
        for each in self._named(port):
            each.rate = bits
        self._have_queues(port)

    @property
    def next(self) -> int | None:
        """When the next packets leave; None while all queues are empty."""
        while self._agenda and self._ports[self._agenda[0][1]].noted != self._agenda[0][0]:
            heapq.heappop(self._agenda)
        return self._agenda[0][0] if self._agenda else None

    def depth(self, port: int, priority: int, now: int) -> int:
        """The number of packets in a queue, without the one that is being sent."""
        return self._port(port).queues[priority].waiting(now)

    def enter(self, port: int, priority: int, item: Item, now: int, length: int = 0) -> int | None:
        """Puts a packet into a queue. Returns the number of packets before it, or None if the queue is full.

        length: the packet's expected bytes on the wire.
        """
        to = self._port(port)
        to.expect(now)
        queue = to.queues[priority]
        before = queue.waiting(now)
        to.counts.offered += 1
        if before >= queue.depth:
            to.counts.dropped += 1
            return None
        to.counts.deepest = max(to.counts.deepest, before + 1)
        queue.last = max(now, queue.last + queue.gap)
        queue.items.append(_Waiting(now, queue.last, length, item))
        self._note(port, to)
        return before

    def leave(self, until: int) -> tuple[int, list[Departure[Item]]]:
        """Removes the packets that leave next, if they leave by `until`. Returns their time, and at most one packet of
        each port. Call sent() for each of them before the next call.

        `until` may be in the future. Packets that arrive before these leave still count them as queued, but cannot
        overtake them.
        """
        departures: list[Departure[Item]] = []
        time = until
        while self._agenda and self._agenda[0][0] <= time:
            due, number = heapq.heappop(self._agenda)
            port = self._ports[number]
            if port.noted != due:
                continue
            port.noted = None
            time = due
            port.forget()
            queue = next(queue for queue in reversed(port.queues) if queue.items and queue.items[0].ready <= due)
            item = queue.items.popleft().item
            queue.gone.append(due)
            # Those that came until then. A switch that is late has many that came afterwards.
            left = bisect_right(queue.items, due, key=_CAME)
            departures.append(Departure(number, item, left))
        return time, departures

    def sent(self, number: int, begin: int, length: int) -> int:
        """Occupies a port's wire with a packet that leaves at `begin`. Returns when the packet has been sent.

        length: bytes; 0: the packet was dropped.
        """
        port = self._ports[number]
        port.free, port.rest = Wire(port.free, port.rest).after(begin, length, port.rate)
        self._note(number, port)
        return port.free

    def wire(self, number: int) -> Wire:
        """The state of a port's wire."""
        port = self._ports[number]
        return Wire(port.free, port.rest)

    def rewind(self, number: int, wire: Wire) -> None:
        """Restores an earlier state of a port's wire."""
        self._ports[number].free, self._ports[number].rest = wire

    def _note(self, number: int, port: _Port[Item]) -> None:
        due = port.next
        if due is not None and due != port.noted:
            port.noted = due
            heapq.heappush(self._agenda, (due, number))

    def _port(self, number: int) -> _Port[Item]:
        known = self._ports.get(number)
        # setdefault: another thread may have added the port meanwhile.
        return known or self._ports.setdefault(number, deepcopy(self._others))

    def _named(self, port: int | None) -> list[_Port[Item]]:
        if port is None:
            return [self._others, *self._ports.values()]
        if not 0 <= port < PORT_NUMBERS:
            raise ValueError(f"there is no port {port}")
        return [self._port(port)]

    def _chosen(self, port: int | None, priority: int | None) -> list[_Queue[Item]]:
        if priority is not None and not 0 <= priority < self.priorities:
            raise ValueError(f"there is no priority {priority}, with {self.priorities} queues a port")
        chosen = slice(None) if priority is None else slice(priority, priority + 1)
        return [queue for each in self._named(port) for queue in each.queues[chosen]]

    def _have_queues(self, port: int | None) -> None:
        self.used = True
        self.queued[slice(None) if port is None else port] = 1
        self.queued[self._without] = 0
