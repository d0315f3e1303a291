"""A fabric of P4 switches that run any program, in virtual time: packets in, packets out.

fabric = Fabric(Quality(rate=10_000_000, delay=1_000_000))
set_up(fabric.add("s1"), Path("ecn.json"), commands=[Path("s1-commands.txt")])
fabric.send("s1", 1, bytes(packet))
for arrival in fabric.run():
    print(arrival.time, arrival.port, Ether(arrival.packet))
"""

from __future__ import annotations

import ctypes
import random
import weakref
from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import entry_point
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs import fabric_code
from dropzero.simulator.programs.fabric_records import FABRIC, LINK, NEVER, NONE, PACKET, SWITCH, Kind, Need
from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.queue_records import NOTHING
from dropzero.softswitch.engine.queues import DEFAULT_DEPTH, Counts
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.state.layout import PORT_NUMBERS

Port = tuple[str, int]
"""A switch's name, and the number of one of its ports."""
MANY = 1 << 12
"""Packets that hosts receive before Python sees them, if hosts answer none."""
_LUCK = 1 << 12
"""Random numbers that are drawn at once."""
_HEADER = Struct(f"{len(PACKET.names or ())}q")
"""A PACKET's."""


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


class Link:
    """One direction of a link.

    Attributes:
        to: the port at its other end; None: a host.
    """

    def __init__(self, quality: Quality, kind: Kind, end: tuple[int, int], to: Port | None) -> None:
        """kind: what becomes of packets at its end. end: the number of a switch, and of a port there."""
        self.to = to
        self.record = np.zeros(1, LINK)
        self.record["kind"], (self.record["switch"], self.record["port"]) = kind, end
        for name in ("rate", "delay", "loss", "duplicate", "reorder"):
            self.record[name] = getattr(quality, name)

    @property
    def packets(self) -> int:
        """Packets sent."""
        return int(self.record["packets"][0])

    @property
    def bytes(self) -> int:
        """Their bytes."""
        return int(self.record["bytes"][0])

    @property
    def lost(self) -> int:
        """Packets lost."""
        return int(self.record["lost"][0])


class _Member:
    """A switch of a fabric.

    Attributes:
        engine: what native code takes for its engine.
        links, hosts: the addresses of the links from its ports, and from the hosts there, shape (PORT_NUMBERS,).
    """

    def __init__(self, name: str, number: int, switch: Switch) -> None:
        self.name, self.number, self.switch = name, number, switch
        self.engine: Engine | None = None
        self.links, self.hosts = np.zeros(PORT_NUMBERS, np.int64), np.zeros(PORT_NUMBERS, np.int64)


class Fabric:
    """Switches, the links between them, and a host on every other port.

    Packets leave a switch through the queues of its ports, at the rates of their links, so that programs read true
    queue depths and times. The same seed gives the same result. Times are nanoseconds, from 0 on.
    """

    def __init__(self, quality: Quality, depth: int = DEFAULT_DEPTH, seed: int = 0) -> None:
        """quality: of all links that link() gives no other. depth: packets that a switch's queue holds. seed: of losses
        and of the programs' random numbers."""
        self.switches: dict[str, Switch] = {}
        self.links: dict[Port, Link] = {}
        """By the port that sends into it."""
        self.hosts: dict[Port, Link] = {}
        """The links from hosts, by the port at which they end."""
        self._quality, self._depth = quality, depth
        self._random = random.Random(seed)
        self._members: dict[str, _Member] = {}
        self._records = np.zeros(0, SWITCH)
        self._luck = np.zeros(_LUCK)
        self._state = np.zeros(1, FABRIC)
        self._state["luck"] = self._luck.ctypes.data
        self._at = int(self._state.ctypes.data)
        self._wrong: Exception | None = None
        weakref.finalize(self, _discard, self._state).atexit = False

    @property
    def time(self) -> int:
        """Now."""
        return int(self._state["time"][0])

    def add(self, name: str, *, cpu_port: int | None = None, drop_port: int = 511, priority_queues: int = 1) -> Switch:
        """Adds a switch without a program; see softswitch.offline.state.set_up."""
        seed = self._random.getrandbits(63)
        switch = Switch(cpu_port=cpu_port, drop_port=drop_port, seed=seed, priority_queues=priority_queues)
        switch.queues.set_bit_rate(self._quality.rate)
        switch.queues.set_depth(self._depth)
        self.switches[name] = switch
        member = self._members[name] = _Member(name, len(self._members), switch)
        record = np.zeros(1, SWITCH)
        record["due"], record["cpu_port"] = NOTHING, NONE if cpu_port is None else cpu_port
        record["links"], record["hosts"] = member.links.ctypes.data, member.hosts.ctypes.data
        record["queues"] = switch.queues.address
        self._records = np.concatenate([self._records, record])
        self._state["switches"] = self._records.ctypes.data
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
        for end, to in zip(ends, (other, one), strict=False):
            kind = Kind.RECEIVE if to is None else Kind.REACH
            self.links[end] = link = Link(quality, kind, self._number(to or end), to)
            self._members[end[0]].links[end[1] % PORT_NUMBERS] = link.record.ctypes.data
            self.switches[end[0]].queues.set_bit_rate(quality.rate, end[1])
        if other is None:
            self.hosts[one] = link = Link(quality, Kind.REACH, self._number(one), one)
            self._members[one[0]].hosts[one[1] % PORT_NUMBERS] = link.record.ctypes.data

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
        self._plan(self.time if at is None else at, Kind.SEND, end, packet)

    def wake(self, switch: str, port: int, at: int, packet: bytes = b"") -> None:
        """Lets run() yield an Arrival for the host on that port, now or later: its timer, or a packet that it could not
        receive when it came."""
        self._plan(at, Kind.RECEIVE, (switch, port), packet)

    def run(self, until: int | None = None, *, answered: bool = True) -> Iterator[Arrival]:
        """Goes on until nothing is left to do, or up to a time. Yields packets as hosts receive them, which may send()
        others then, unless `answered` is False: then, events may be far ahead. Raises ValueError if a switch has no
        program."""
        ask = _ASK(self._give)
        self._state["ask"] = ctypes.cast(ask, ctypes.c_void_p).value or 0
        most, end = (1 if answered else MANY), NEVER if until is None else until
        while True:
            self._update()
            arrivals = entry_point(fabric_code.run)(self._at, end, most)
            if self._wrong is not None:
                raise self._wrong
            if not arrivals:
                break
            names = list(self._members)
            packet = int(self._state["arrived"][0])
            for _ in range(arrivals):
                _, switch, port, length, time, following = _HEADER.unpack(ctypes.string_at(packet, _HEADER.size))
                content = ctypes.string_at(packet + _HEADER.size, length)
                yield Arrival(time, names[switch], port, content)
                packet = following
        self._state["time"] = max(self.time, until or 0)

    def counts(self, port: Port) -> Counts:
        """What has happened in a port's queues."""
        return dict(self.switches[port[0]].queues).get(port[1], Counts())

    def _number(self, port: Port) -> tuple[int, int]:
        return self._members[port[0]].number, port[1]

    def _plan(self, time: int, kind: Kind, port: Port, packet: bytes) -> None:
        """Plans an event, not before now."""
        address = ctypes.cast(ctypes.c_char_p(packet), ctypes.c_void_p).value or 0
        entry_point(fabric_code.plan)(self._at, max(self.time, time), kind, *self._number(port), address, len(packet))

    def _update(self) -> None:
        """Tells native code of the engines, and engines of what the control plane has changed."""
        for member in self._members.values():
            engine = member.switch.engine
            if engine is not None:
                engine.update_context()
            if engine is not member.engine:
                member.engine = engine
                record = self._records[member.number]
                record["process"] = 0
                if engine is not None:
                    for name, value in engine.places.items():
                        record[name] = value
                    record["resume"], record["owner"] = engine.resume_address, engine.number
                    record["growth"], record["alone"] = engine.growth, engine.alone

    def _give(self, need: int, number: int, port: int) -> int:
        """Does what native code cannot."""
        try:
            member = list(self._members.values())[number]
            if need == Need.ENGINE:
                raise ValueError(f"switch {member.name} has no program")
            if need == Need.QUEUE:
                member.switch.queues.add(port)
            elif need == Need.LINK:
                self.link((member.name, port), None)
            elif need == Need.REPORTS:
                if member.engine is not None:
                    member.engine.read_reports()
            else:
                self._luck[:] = [self._random.random() for _ in range(_LUCK)]
                self._state["drawn"], self._state["lucky"] = 0, _LUCK
        except Exception as error:
            self._wrong = error
        return 0


def _discard(state: NDArray[np.void]) -> None:
    """Frees what native code has allocated."""
    entry_point(fabric_code.discard)(state.ctypes.data)


_ASK = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)
"""See Need: of which switch, and at which port."""
