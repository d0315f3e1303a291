"""The queues between ingress and egress, as in BMv2, in virtual time.

A port has a queue for each priority, for 64 packets unless something else is said; a packet of a higher priority leaves
before any of a lower one. There are two kinds of rate. A queue's, in packets a second, is BMv2's. A port's, in bits a
second, is that of the wire behind it: the next packet leaves when the last bit of the one before has been sent.

A port that nobody ever gave a rate has no queues: its packets go straight on.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.layout import PORT_NUMBERS

DEFAULT_DEPTH = 64
SECOND = 10**9

Item = TypeVar("Item")


@dataclass
class Counts:
    """Packets of a port: that came to its queues, that found no room, and that waited in a queue at once, at most."""

    offered: int = 0
    dropped: int = 0
    deepest: int = 0

    def __str__(self) -> str:
        return f"{self.offered} offered, {self.dropped} dropped, at most {self.deepest} in a queue"


class Wire(NamedTuple):
    """When what has left a port will have been sent: free nanoseconds, and `rest` / rate more."""

    free: int
    rest: int


class Departure(NamedTuple, Generic[Item]):
    """A packet that leaves a queue. left: how many it leaves behind there."""

    port: int
    item: Item
    left: int


@dataclass
class _Queue(Generic[Item]):
    """Of one priority. gap: nanoseconds between two packets. last: when the last one that came may leave. items: with
    when they may. gone: when those left that leave() let go ahead of time."""

    depth: int = DEFAULT_DEPTH
    gap: int = 0
    last: int = -SECOND
    items: deque[tuple[int, Item]] = field(default_factory=deque)
    gone: deque[int] = field(default_factory=deque)

    def waiting(self, now: int) -> int:
        while self.gone and self.gone[0] <= now:
            self.gone.popleft()
        return len(self.items) + len(self.gone)


@dataclass
class _Port(Generic[Item]):
    """free: when what has left will have been sent: so many nanoseconds, and `rest` / rate more. noted: what is on the
    agenda."""

    queues: list[_Queue[Item]]
    rate: int = 0
    free: int = 0
    rest: int = 0
    noted: int | None = None
    counts: Counts = field(default_factory=Counts)

    @property
    def next(self) -> int | None:
        """When a packet leaves."""
        ready = [queue.items[0][0] for queue in self.queues if queue.items]
        return max(self.free, min(ready)) if ready else None


class Queues(Generic[Item]):
    """The queues of a switch, whatever waits in them. Times are nanoseconds and never go back.

    Settings are for all priorities of a port, and for all ports, where none is named; they may be changed from any
    thread. Everything else is for one thread. ValueError: there is no such setting.

    queued: (PORT_NUMBERS,) uint8, 1 for the ports that have queues
    used: whether there are such ports
    """

    def __init__(self, priorities: int = 1, without: Iterable[int] = ()) -> None:
        """without: ports that never have queues."""
        self.priorities = priorities
        self.queued: NDArray[np.uint8] = np.zeros(PORT_NUMBERS, dtype=np.uint8)
        self.used = False
        self._without = list(without)
        self._others: _Port[Item] = _Port([_Queue() for _ in range(priorities)])
        """What becomes of a port once it is named."""
        self._ports: dict[int, _Port[Item]] = {}
        self._agenda: list[tuple[int, int]] = []
        """A heap of when packets leave, and the port; what is no longer true is passed over."""

    def __iter__(self) -> Iterator[tuple[int, Counts]]:
        """The ports where packets have waited."""
        return ((number, port.counts) for number, port in sorted(self._ports.items()) if port.counts.offered)

    def set_depth(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """How many packets a queue holds."""
        if packets < 0:
            raise ValueError(f"a queue cannot hold {packets} packets")
        for queue in self._chosen(port, priority):
            queue.depth = packets

    def set_rate(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Packets a second that leave a queue at most; 0: without limit. For packets that come from now on."""
        if packets < 0:
            raise ValueError(f"a queue cannot send {packets} packets a second")
        for queue in self._chosen(port, priority):
            queue.gap = SECOND // packets if packets else 0
        self._have_queues(port)

    def set_bit_rate(self, bits: int, port: int | None = None) -> None:
        """Bits a second that leave a port at most; 0: without limit."""
        if bits < 0:
            raise ValueError(f"a port cannot send {bits} bits a second")
        for each in self._named(port):
            each.rate = bits
        self._have_queues(port)

    @property
    def next(self) -> int | None:
        """When the next packets leave; None while none wait."""
        while self._agenda and self._ports[self._agenda[0][1]].noted != self._agenda[0][0]:
            heapq.heappop(self._agenda)
        return self._agenda[0][0] if self._agenda else None

    def depth(self, port: int, priority: int, now: int) -> int:
        """Packets that wait in a queue; the one that is being sent does not."""
        return self._port(port).queues[priority].waiting(now)

    def enter(self, port: int, priority: int, item: Item, now: int) -> int | None:
        """Puts a packet into its queue. How many it finds there, or None: it is dropped, because there is no room."""
        to = self._port(port)
        queue = to.queues[priority]
        before = queue.waiting(now)
        to.counts.offered += 1
        if before >= queue.depth:
            to.counts.dropped += 1
            return None
        to.counts.deepest = max(to.counts.deepest, before + 1)
        queue.last = max(now, queue.last + queue.gap)
        queue.items.append((queue.last, item))
        self._note(port, to)
        return before

    def leave(self, until: int) -> tuple[int, list[Departure[Item]]]:
        """The packets that leave next, all at the same time, if that is not after `until`, each from another port; and
        that time. sent() has to be called for each of them before the next call.

        That time may be to come: what comes meanwhile still finds them in the queue, but cannot leave before them."""
        departures: list[Departure[Item]] = []
        time = until
        while self._agenda and self._agenda[0][0] <= time:
            due, number = heapq.heappop(self._agenda)
            port = self._ports[number]
            if port.noted != due:
                continue
            port.noted = None
            time = due
            queue = next(queue for queue in reversed(port.queues) if queue.items and queue.items[0][0] <= due)
            _, item = queue.items.popleft()
            queue.gone.append(due)
            departures.append(Departure(number, item, len(queue.items)))
        return time, departures

    def sent(self, number: int, begin: int, length: int) -> int:
        """When a packet of `length` bytes that left then has been sent by the port; 0: there is nothing to send."""
        port = self._ports[number]
        if begin > port.free:
            port.free, port.rest = begin, 0
        if port.rate:
            # In whole numbers, so that nothing is gained or lost however long the switch runs.
            work = 8 * SECOND * length + port.rest
            port.free, port.rest = port.free + work // port.rate, work % port.rate
        self._note(number, port)
        return port.free

    def wire(self, number: int) -> Wire:
        """Of a port, as it is now."""
        port = self._ports[number]
        return Wire(port.free, port.rest)

    def rewind(self, number: int, wire: Wire) -> None:
        """Takes back what was said to have been sent since the wire was like this."""
        self._ports[number].free, self._ports[number].rest = wire

    def _note(self, number: int, port: _Port[Item]) -> None:
        due = port.next
        if due is not None and due != port.noted:
            port.noted = due
            heapq.heappush(self._agenda, (due, number))

    def _port(self, number: int) -> _Port[Item]:
        known = self._ports.get(number)
        # Never replaces what another thread has just put there.
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
