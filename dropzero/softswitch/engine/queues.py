"""The queues between ingress and egress, as in BMv2, in virtual time.

A port has a queue for each priority, of 64 packets by default. Packets of a higher priority leave first. There are two
kinds of rate. A queue's rate, in packets per second, is BMv2's. A port's rate, in bits per second, is that of its wire:
a packet leaves when the last bit of the packet before it has been sent.

A port without a rate has no queues: its packets go straight to egress. The code that runs for each packet is native
(queue_code.py).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import entry_point
from dropzero.softswitch.compiler.forwarding.queued_packets import ENQUEUED
from dropzero.softswitch.engine import queue_code
from dropzero.softswitch.engine.frames import Frames, distinct
from dropzero.softswitch.engine.queue_records import DEPARTURE, NOTHING, PORT, PRIORITY_QUEUE, STATE
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.state.layout import PORT_NUMBERS

DEFAULT_DEPTH = 64
MOST_PACKETS = (1 << 31) - 1
"""The greatest depth of a queue."""
MOST_BITS = 10**15
"""The greatest rate of a port, in bits per second."""

_Numbers = NDArray[np.void]


@dataclass
class Counts:
    """Counts of a port's packets. offered: to its queues; dropped: by full queues; deepest: the most in one queue."""

    offered: int = 0
    dropped: int = 0
    deepest: int = 0

    def __str__(self) -> str:
        return f"{self.offered} offered, {self.dropped} dropped, at most {self.deepest} in a queue"


class _Port:
    """The queues of one port, in memory that never moves."""

    def __init__(self, priorities: int) -> None:
        self.memory = np.zeros(PORT.itemsize // 8 + priorities * PRIORITY_QUEUE.itemsize // 8, np.int64)
        self.queues["depth"] = DEFAULT_DEPTH
        self.queues["newest_ready"] = -SECOND

    @property
    def port(self) -> _Numbers:
        """Shape (1,), of PORT."""
        return self.memory[: PORT.itemsize // 8].view(PORT)

    @property
    def queues(self) -> _Numbers:
        """Shape (priorities,), of PRIORITY_QUEUE."""
        return self.memory[PORT.itemsize // 8 :].view(PRIORITY_QUEUE)


class Queues:
    """The queues of a switch. Times are nanoseconds and never decrease.

    Without a priority, a setting applies to all priorities of a port; without a port, to all ports. Any thread may
    change settings; everything else belongs to one thread. Setters raise ValueError for values out of range.

    Attributes:
        queued: (PORT_NUMBERS,) uint8, 1 for ports that have queues
        used: whether any port has queues
        address: of their STATE, for native callers, which first add() the ports
    """

    def __init__(self, priorities: int = 1, without: Iterable[int] = ()) -> None:
        """without: ports that never have queues."""
        self.priorities = priorities
        self.queued: NDArray[np.uint8] = np.zeros(PORT_NUMBERS, dtype=np.uint8)
        self.used = False
        self._without = list(without)
        self._others = _Port(priorities)
        """The settings of ports that are not in `_ports`."""
        self._ports: dict[int, _Port] = {}
        self._addresses = np.zeros(PORT_NUMBERS, np.int64)
        self._agenda = np.zeros(PORT_NUMBERS, np.int64)
        self._state = np.zeros(1, STATE)
        self._state["ports"], self._state["agenda"] = self._addresses.ctypes.data, self._agenda.ctypes.data
        self._state["priorities"], self._state["next"] = priorities, NOTHING
        self.address = int(self._state.ctypes.data)
        self._departures = np.zeros(0, DEPARTURE)
        weakref.finalize(self, _discard, self._ports, self._state, self._addresses).atexit = False

    def __iter__(self) -> Iterator[tuple[int, Counts]]:
        """Yields the ports that have queued packets, with their counts."""
        for number, each in sorted(self._ports.items()):
            counts = Counts(*each.port[0][["offered", "dropped", "deepest"]].tolist())
            if counts.offered:
                yield number, counts

    def set_depth(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Sets how many packets a queue holds."""
        if not 0 <= packets <= MOST_PACKETS:
            raise ValueError(f"a queue cannot hold {packets} packets")
        for queues in self._chosen(port, priority):
            queues["depth"] = packets

    def set_rate(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Limits a queue to `packets` per second, for packets that arrive from now on; 0: no limit."""
        if packets < 0:
            raise ValueError(f"a queue cannot send {packets} packets a second")
        for queues in self._chosen(port, priority):
            queues["gap"] = SECOND // packets if packets else 0
        self._have_queues(port)

    def set_bit_rate(self, bits: int, port: int | None = None) -> None:
        """Limits a port to `bits` per second; 0: no limit."""
        if not 0 <= bits <= MOST_BITS:
            raise ValueError(f"a port cannot send {bits} bits a second")
        for each in self._named(port):
            each.port["rate"] = bits
        self._have_queues(port)

    @property
    def next(self) -> int | None:
        """When the next packets leave; None while all queues are empty."""
        due = int(self._state["next"][0])
        return None if due == NOTHING else due

    def depth(self, port: int, priority: int, now: int) -> int:
        """The number of packets in a queue, without the one that is being sent."""
        self._port(port)
        return entry_point(queue_code.depth)(self.address, port, priority, now)

    def enter(self, frames: Frames, now: int, owner: int) -> None:
        """Puts packets into the queues of their ports, in the order in which they came. Copies those that find room.

        frames: queued packets (queued_packets.py), with lengths below 0, of which this writes ENQUEUE_DEPTH: the number
            of packets before each, or FULL.
        now: the current time. Packets of this microsecond count as having come at `now`.
        owner: a number, for serve().
        """
        for number in distinct(frames.port):
            self._port(number)
        start, length, port = map(np.ascontiguousarray, (frames.start, frames.length, frames.port))
        words = frames.data.view(np.int64)
        order = np.argsort(words[start // 8 + ENQUEUED], kind="stable")
        data, starts, lengths, ports, places = (a.ctypes.data for a in (frames.data, start, length, port, order))
        entry_point(queue_code.enter)(self.address, data, starts, lengths, ports, places, len(order), now, owner)

    def serve(self, until: int, owner: int, *, alone: bool = False) -> _Numbers:
        """Removes the packets that leave by `until`, and writes DEQUEUE_DEPTH and DEQUEUED of those of this owner.

        Packets of other owners are to be dropped. Call settle() with the result before any other method but enter().
        `until` may be in the future. Packets that arrive before these leave still count them as queued, but cannot
        overtake them.

        alone: remove only those that leave at the time of the first, at most one of each port.

        Returns (n,) DEPARTUREs, in order, which are valid until the next call.
        """
        waiting = int(self._state["waiting"][0])
        if not waiting:
            return self._departures[:0]
        if len(self._departures) < waiting:
            self._departures = np.zeros(2 * waiting, DEPARTURE)
        count = entry_point(queue_code.serve)(self.address, until, alone, owner, self._departures.ctypes.data)
        return self._departures[:count]

    def settle(self, departures: _Numbers, owner: int, ports: NDArray[np.int32]) -> NDArray[np.int64]:
        """Occupies the ports' wires with the packets that egress has written, by their WRITTEN, and frees the packets.

        departures: all that serve() returned. ports: of the frames that leave the switch, in order, shape (n,).

        Returns when each of these frames has been sent, shape (n,).
        """
        ports = np.ascontiguousarray(ports)
        ends = np.empty(len(ports), np.int64)
        arrays = departures.ctypes.data, len(departures), ports.ctypes.data, ends.ctypes.data
        entry_point(queue_code.settle)(self.address, owner, *arrays, len(ports))
        return ends

    def add(self, number: int) -> None:
        """Makes queues for a port, with the settings for all ports."""
        self._port(number)

    def _port(self, number: int) -> _Port:
        number %= PORT_NUMBERS
        known = self._ports.get(number)
        if known is None:
            new = _Port(self.priorities)
            new.memory[:] = self._others.memory
            new.port["number"] = number
            # setdefault: another thread may have added the port meanwhile.
            known = self._ports.setdefault(number, new)
            self._addresses[number] = known.memory.ctypes.data
        return known

    def _named(self, port: int | None) -> list[_Port]:
        if port is None:
            return [self._others, *self._ports.values()]
        if not 0 <= port < PORT_NUMBERS:
            raise ValueError(f"there is no port {port}")
        return [self._port(port)]

    def _chosen(self, port: int | None, priority: int | None) -> list[_Numbers]:
        if priority is not None and not 0 <= priority < self.priorities:
            raise ValueError(f"there is no priority {priority}, with {self.priorities} queues a port")
        chosen = slice(None) if priority is None else slice(priority, priority + 1)
        return [each.queues[chosen] for each in self._named(port)]

    def _have_queues(self, port: int | None) -> None:
        for function in (queue_code.enter, queue_code.depth, queue_code.serve, queue_code.settle, queue_code.discard):
            entry_point(function)  # compiling may take seconds: not when packets come
        self.used = True
        self.queued[slice(None) if port is None else port] = 1
        self.queued[self._without] = 0


def _discard(ports: dict[int, _Port], state: _Numbers, *_: object) -> None:
    """Frees the packets of queues that are no longer used. The other arguments are kept until then."""
    if state["waiting"][0] or any(each.queues["gone"].any() for each in ports.values()):
        for number in ports:
            entry_point(queue_code.discard)(state.ctypes.data, number)
