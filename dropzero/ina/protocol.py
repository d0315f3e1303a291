"""What a protocol of in-network aggregation consists of: a P4 program, the rows that its controller writes, its hosts,
and what its packets claim.

A protocol is a folder with program.p4, compiled/ (see p4src/compile) and protocol.py, which has one subclass of
Protocol. examples/protocols has some.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.controller.p4runtime.device import Group
from dropzero.p4.names import Entry
from dropzero.units import TIMES, parse

Tensor = NDArray[np.int32]
"""Shape (elements,)."""
Places = NDArray[np.int64]
"""Places of elements in a tensor, each once, shape (n,)."""


MOST = 32
"""Workers: a bit of a word for each."""


class ProtocolError(Exception):
    """A protocol's own rules or code are wrong."""


class Nanoseconds(int):
    """A time that an option of a protocol may give with a unit: 20ms."""

    def __new__(cls, time: int | str) -> Self:
        """Raises ValueError if a text is not a time."""
        return super().__new__(cls, parse(time, TIMES) if isinstance(time, str) else time)


class Claim(NamedTuple):
    """What a packet says: that `values`, int32, are the sum of these workers' elements from `start` on, or at `places`.

    A worker's own elements are a sum, too: of one worker. workers: one bit for each rank.
    """

    workers: int
    start: int
    values: Tensor
    places: Places | None = None

    @property
    def where(self) -> slice | Places:
        """The elements as an index."""
        return slice(self.start, self.start + len(self.values)) if self.places is None else self.places


class Place(NamedTuple):
    """Where a host is, for a switch: the port that leads there, and the addresses of packets that leave it there.

    ways: 0 if the host is at that port; otherwise, how many ports from that one on lead to it through other switches.
    """

    port: int
    mac: int
    ip: IPv4Address
    ways: int = 0

    @property
    def ports(self) -> range:
        """The ports that lead there."""
        return range(self.port, self.port + max(1, self.ways))


class Slot(NamedTuple):
    """A slot of the switch, as the page of a run shows it.

    number: from 0 on. job: from 1 on. round: what it adds up, such as the number of a chunk. seen: whose elements are
    in its sum; missing: whose it waits for; one bit for each rank.
    """

    number: int
    job: int
    round: int
    seen: int
    missing: int


@dataclass(frozen=True)
class Rows:
    """What a controller writes to the switch. Names may be shortened to any suffix that is unique in the program."""

    entries: Sequence[Entry] = ()
    groups: Sequence[Group] = ()

    @property
    def all(self) -> list[Entry | Group]:
        return [*self.entries, *self.groups]


def delivery(places: Sequence[Place]) -> list[Entry]:
    """The rows of the table `host` of examples/protocols/udp.p4, which addresses packets to hosts or other switches."""
    there = {port: place for place in places for port in place.ports}
    return [
        Entry("host", {"std.egress_port": port}, "to", {"mac": place.mac, "ip": int(place.ip)})
        for port, place in there.items()
    ]


def groups(protocol: Protocol, places: Sequence[Place]) -> list[Group]:
    """A multicast group for each job's workers, numbered from 1 on."""
    members: dict[int, set[tuple[int, int]]] = {}
    for rank, place in enumerate(places[: protocol.workers]):
        members.setdefault(1 + protocol.job(rank), set()).add((place.port, 0))
    return [Group(number, frozenset(ports)) for number, ports in members.items()]


class Host(ABC):
    """One host's side: it is given packets and the time, and says what to send. It does no input or output itself, so
    it runs on sockets and in virtual time.

    Attributes:
        now: nanoseconds.
    """

    now = 0

    def __init__(self) -> None:
        self._outbox: list[bytes] = []
        self._timers: dict[Hashable, int] = {}
        self._deadlines: list[tuple[int, int, Hashable]] = []
        self._set = 0

    # What a protocol writes.

    def start(self) -> None:  # noqa: B027 (a server may have nothing to do yet)
        """Sends the first packets."""

    @abstractmethod
    def receive(self, payload: bytes) -> None:
        """Handles a packet. payload: of UDP. It may be late, or arrive twice."""

    def expire(self, timer: Hashable) -> None:  # noqa: B027 (a host may have no timers)
        """Handles a timer that has gone off."""

    # What it may use for that.

    def send(self, payload: bytes) -> None:
        """Sends a packet to the switch."""
        self._outbox.append(payload)

    def set_timer(self, timer: Hashable, after: int) -> None:
        """Lets a timer go off in `after` nanoseconds, and not when it was set to go off before."""
        self._set += 1
        self._timers[timer] = self.now + after
        heapq.heappush(self._deadlines, (self.now + after, self._set, timer))

    def stop_timer(self, timer: Hashable) -> None:
        self._timers.pop(timer, None)

    # What the network calls.

    def begin(self, now: int) -> list[bytes]:
        """Starts it. Returns what to send."""
        self.now = now
        self.start()
        return self._sent()

    def take(self, now: int, payload: bytes) -> list[bytes]:
        """Handles a packet. Returns what to send."""
        self.now = now
        self.receive(payload)
        return self._sent()

    def tick(self, now: int) -> list[bytes]:
        """Lets overdue timers go off. Returns what to send."""
        self.now = now
        while (deadline := self.deadline) is not None and deadline <= now:
            *_, timer = heapq.heappop(self._deadlines)
            del self._timers[timer]
            self.expire(timer)
        return self._sent()

    def _sent(self) -> list[bytes]:
        sent, self._outbox = self._outbox, []
        return sent

    @property
    def deadline(self) -> int | None:
        """When the next timer goes off, nanoseconds; None: no timer is set."""
        while self._deadlines:
            deadline, _, timer = self._deadlines[0]
            if self._timers.get(timer) == deadline:
                return deadline
            heapq.heappop(self._deadlines)
        return None


class Worker(Host):
    """A host with a tensor, which needs the sum.

    Attributes:
        rank: from 0 on.
        tensor: int32, shape (elements,).
        total: the same, for the sum.
        contributors: uint64, shape (elements,), one bit for each rank: the workers whose elements are in `total`.
        missing: elements of which it has no sum yet.
    """

    def __init__(self, rank: int, tensor: Tensor) -> None:
        super().__init__()
        self.rank, self.tensor = rank, tensor
        self.total = np.zeros_like(tensor)
        self.contributors = np.zeros(len(tensor), np.uint64)
        self._known = np.zeros(len(tensor), np.bool_)
        self.missing = len(tensor)

    def elements(self, start: int, count: int) -> bytes:
        """Returns elements of the tensor as they are sent: big-endian, with zeros after its end."""
        values = np.zeros(count, ">i4")
        here = self.tensor[start : start + count]
        values[: len(here)] = here
        return values.tobytes()

    def keep(self, claim: Claim) -> bool:
        """Keeps a sum as the final one of those of its elements that have none yet. Returns whether there were any."""
        where = claim.where
        new = ~self._known[where]
        self.missing -= int(new.sum())
        if not new.any():
            return False
        here = np.flatnonzero(new) + claim.start if claim.places is None else claim.places[new]
        self._known[here] = True
        self.total[here] = claim.values[: len(new)][new]
        self.contributors[here] = claim.workers
        return True

    def knows(self, at: int) -> bool:
        """Whether it has the sum of an element."""
        return at < len(self._known) and bool(self._known[at])

    @property
    def finished(self) -> bool:
        """Whether it has the sum of all elements."""
        return not self.missing


@dataclass(frozen=True)
class Protocol(ABC):
    """A protocol for one job. Its other options are the fields of the subclass, a dataclass.

    Attributes:
        workers: of all jobs; their ranks count from 0.
        port: the UDP port of its packets.
        partial: whether a sum may leave out workers. Their tensors are then small enough that no sum wraps around.
        bits: of an element in a packet.
    """

    workers: int
    port: ClassVar[int]
    partial: ClassVar[bool] = False
    bits: ClassVar[int] = 32

    def __post_init__(self) -> None:
        """Raises ValueError if an option is wrong."""
        if not 1 <= self.workers <= MOST:
            raise ValueError(f"a switch adds up for 1 to {MOST} workers")
        if self.jobs < 1 or self.workers % self.jobs:
            raise ValueError(f"{self.jobs} jobs cannot share {self.workers} workers equally")

    @property
    def servers(self) -> int:
        """The hosts after the workers that help, such as parameter servers."""
        return 0

    @property
    def jobs(self) -> int:
        """How many jobs share the switch, each with as many of the workers."""
        return 1

    @property
    def racks(self) -> int:
        """The leaves that hosts are shared out to. Their switches run the same program, with rows of their own."""
        return 1

    @property
    def spines(self) -> int:
        """The switches that join several racks, each of which has a link to all of them."""
        return 1

    def job(self, rank: int) -> int:
        """A worker's job, from 0 on."""
        return rank * self.jobs // self.workers

    def members(self, job: int) -> int:
        """A job's workers, one bit for each."""
        size = self.workers // self.jobs
        return ((1 << size) - 1) << size * job

    def team(self, rank: int) -> int:
        """The workers of a worker's job, one bit for each: those that it shares its sum with."""
        return self.members(self.job(rank))

    def encode(self, tensor: Tensor) -> Tensor:
        """Returns what a worker sends instead of its tensor: what the audit compares with."""
        return tensor

    def decode(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the mean of tensors from the mean of what workers sent, with any elements after its end."""
        return mean

    def rounded(self, sums: Tensor, workers: int) -> Tensor:
        """Returns the sums of `workers` workers' elements as the switch sends them: equal, unless it rounds."""
        return sums

    @abstractmethod
    def rows(self, places: Sequence[Place]) -> Rows:
        """Returns what the controller writes to a switch, before hosts send. places: of the workers, then of the
        servers."""

    @abstractmethod
    def worker(self, rank: int, tensor: Tensor) -> Worker:
        """Returns a worker's side."""

    def server(self, number: int) -> Host:
        """Returns a server's side."""
        raise NotImplementedError

    def read_slots(self, read: Callable[[str], list[int]]) -> list[Slot]:
        """Returns the switch's slots that are in use, for the page of a run. read: returns the cells of a register,
        whose name may be shortened as in rows."""
        return []

    @abstractmethod
    def claim(self, payload: bytes) -> Claim | None:
        """Reads a packet. Returns what it claims, with which the audit compares the tensors; None: nothing. It is the
        model of the program: every sum that the switch sends must be the one that its packet claims to be."""
