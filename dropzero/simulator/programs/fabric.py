"""A fabric of P4 switches that run any program, in virtual time: packets in, packets out.

fabric = Fabric(Quality(rate=10_000_000, delay=1_000_000))
set_up(fabric.add("s1"), Path("ecn.json"), commands=[Path("s1-commands.txt")])
fabric.send("s1", 1, bytes(packet))
for arrival in fabric.run():
    print(arrival.time, arrival.port, Ether(arrival.packet))
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal, NamedTuple

from dropzero.simulator.kernel.links import Quality
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.queues import DEFAULT_DEPTH, Counts
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.engine.wire import after

Port = tuple[str, int]
"""A switch's name, and the number of one of its ports."""


def named(port: Port) -> str:
    """As topologies name it: s1-p2."""
    return f"{port[0]}-p{port[1]}"


class Arrival(NamedTuple):
    """A packet that a host has received.

    time: of its last bit, nanoseconds. switch, port: where it left the fabric. packet: from the Ethernet header on;
    empty: the host asked to be woken then.
    """

    time: int
    switch: str
    port: int
    packet: bytes


@dataclass
class Link:
    """One direction of a link.

    Attributes:
        quality: its rate, delay and faults.
        to: the port at its other end; None: a host.
        packets, bytes: sent.
        lost: packets.
    """

    quality: Quality
    to: Port | None = None
    packets: int = 0
    bytes: int = 0
    lost: int = 0
    wire: tuple[int, int] = (0, 0)
    """When the host's network card has sent all that it was given: at the first nanoseconds, plus the second / rate."""


Kind = Literal["send", "reach", "receive", "continue"]
"""A host sends a packet; a packet reaches a switch's port, or the host there; a switch's queues continue."""


class _Event(NamedTuple):
    """port: a host's, the one that a packet reaches, or any of a switch."""

    time: int
    number: int
    kind: Kind
    port: Port
    packet: bytes = b""


class Fabric:
    """Switches, the links between them, and a host on every other port.

    Packets leave a switch through the queues of its ports, at the rates of their links, so that programs read true
    queue depths and times. The same seed gives the same result. Times are nanoseconds, from 0 on.
    """

    def __init__(self, quality: Quality, depth: int = DEFAULT_DEPTH, seed: int = 0) -> None:
        """quality: of all links that link() gives no other. depth: packets that a switch's queue holds. seed: of losses
        and of the programs' random numbers."""
        self.time = 0
        """Now."""
        self.switches: dict[str, Switch] = {}
        self.links: dict[Port, Link] = {}
        """By the port that sends into it."""
        self.hosts: dict[Port, Link] = {}
        """The links from hosts, by the port at which they end."""
        self._quality, self._depth, self._seed = quality, depth, seed
        self._random = random.Random(seed)
        self._events: list[_Event] = []
        self._numbers = count()
        self._due: dict[str, int] = {}
        """When each switch's queues continue."""

    def add(self, name: str, *, cpu_port: int | None = None, drop_port: int = 511, priority_queues: int = 1) -> Switch:
        """Adds a switch without a program; see softswitch.offline.state.set_up."""
        seed = self._random.getrandbits(63)
        switch = Switch(cpu_port=cpu_port, drop_port=drop_port, seed=seed, priority_queues=priority_queues)
        switch.queues.set_bit_rate(self._quality.rate)
        switch.queues.set_depth(self._depth)
        self.switches[name] = switch
        return switch

    def link(self, one: Port, other: Port | None, quality: Quality | None = None) -> None:
        """Links two switches' ports, or a port and a host (None), in both directions. Raises ValueError."""
        quality = quality or self._quality
        ends = [end for end in (one, other) if end is not None]
        for end in ends:
            if end[0] not in self.switches:
                raise ValueError(f"there is no switch {end[0]!r}")
            if end in self.links or one == other:
                raise ValueError(f"port {end[1]} of {end[0]} has a link already")
        for (name, port), to in zip(ends, (other, one), strict=False):
            self.links[name, port] = Link(quality, to)
            self.switches[name].queues.set_bit_rate(quality.rate, port)
        if other is None:
            self.hosts[one] = Link(quality, one)

    def send(self, switch: str, port: int, packet: bytes, at: int | None = None) -> None:
        """Lets the host on that port send a packet, now or later. Its network card sends one after the other, at the
        rate of the link. Raises ValueError."""
        end = switch, port
        if switch not in self.switches:
            raise ValueError(f"there is no switch {switch!r}")
        if end not in self.links:
            self.link(end, None)
        if (other := self.links[end].to) is not None:
            raise ValueError(f"on port {port} of {switch} there is no host, but {named(other)}")
        if not packet:
            raise ValueError("a packet cannot be empty")
        self._plan(max(self.time, self.time if at is None else at), "send", end, packet)

    def wake(self, switch: str, port: int, at: int, packet: bytes = b"") -> None:
        """Lets run() yield an Arrival for the host on that port, now or later: its timer, or a packet that it could not
        receive when it came."""
        self._plan(max(self.time, at), "receive", (switch, port), packet)

    def run(self, until: int | None = None) -> Iterator[Arrival]:
        """Goes on until nothing is left to do, or up to a time. Yields packets as hosts receive them, which may send()
        others then. Raises ValueError if a switch has no program."""
        while self._events and (until is None or self._events[0].time <= until):
            self.time = self._events[0].time
            reached: dict[str, list[tuple[int, bytes]]] = {}
            received = []
            while self._events and self._events[0].time == self.time:
                event = heapq.heappop(self._events)
                name, port = event.port
                if event.kind == "send":
                    self._transmit(event.port, event.packet)
                elif event.kind == "receive":
                    received.append(Arrival(self.time, name, port, event.packet))
                else:
                    packets = reached.setdefault(name, [])
                    if event.kind == "reach":
                        packets.append((port, event.packet))
            for name, packets in reached.items():
                self._process(name, packets)
            yield from received
        self.time = max(self.time, until or 0)

    def counts(self, port: Port) -> Counts:
        """What has happened in a port's queues."""
        return dict(self.switches[port[0]].queues).get(port[1], Counts())

    def _plan(self, time: int, kind: Kind, port: Port, packet: bytes) -> None:
        heapq.heappush(self._events, _Event(time, next(self._numbers), kind, port, packet))

    def _transmit(self, port: Port, packet: bytes) -> None:
        """A host's network card sends a packet."""
        link = self.hosts[port]
        link.wire = after(*link.wire, self.time, len(packet), link.quality.rate)
        self._carry(link, port, "reach", link.wire[0], packet)

    def _process(self, name: str, packets: list[tuple[int, bytes]]) -> None:
        """Runs packets that have reached a switch through its program, and lets go what leaves its queues."""
        engine = self._engine(name)
        if packets:
            frames = Frames.of(packets)
            start = frames.data.ctypes.data + frames.start
            for port, packet in engine.process_at(start, frames.length, frames.port, self.time):
                self._leave(name, port, self.time, packet)
        left, sent = engine.release_at(self.time)
        for time, (port, packet) in zip(sent.tolist(), left, strict=True):
            self._leave(name, port, time, packet)
        due = engine.queues.next
        if due is not None and due != self._due.get(name):
            self._due[name] = due
            self._plan(due, "continue", (name, 0), b"")

    def _engine(self, name: str) -> Engine:
        engine = self.switches[name].engine
        if engine is None:
            raise ValueError(f"switch {name} has no program")
        return engine

    def _leave(self, name: str, port: int, sent: int, packet: bytes) -> None:
        """The last bit of a packet leaves a switch."""
        if port == self.switches[name].cpu_port:
            self._plan(sent, "receive", (name, port), packet)
            return
        if (name, port) not in self.links:
            self.link((name, port), None)
        link = self.links[name, port]
        self._carry(link, link.to or (name, port), "reach" if link.to else "receive", sent, packet)

    def _carry(self, link: Link, to: Port, kind: Kind, sent: int, packet: bytes) -> None:
        """Plans the arrivals of a packet whose last bit was sent: none, one or two, by the rules of links.py."""
        quality, draw = link.quality, self._random.random
        link.packets += 1
        link.bytes += len(packet)
        if quality.loss and draw() < quality.loss:
            link.lost += 1
            return
        arrival = sent if quality.reorder and draw() < quality.reorder else sent + quality.delay
        self._plan(arrival, kind, to, packet)
        if quality.duplicate and draw() < quality.duplicate:
            self._plan(arrival, kind, to, packet)
