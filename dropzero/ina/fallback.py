"""Protocols whose packets name an aggregator by a hash, with a parameter server for each job for what collides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from struct import Struct
from zlib import crc32

import numpy as np

from dropzero.ina.protocol import Claim, Host, Nanoseconds, Place, Protocol, Rows, Slot, Tensor, delivery, groups
from dropzero.ina.window import CHUNK, SlidingWorker, WindowWorker
from dropzero.p4.names import Entry

CONTRIBUTION, AGAIN, RESULT = range(3)
"""Kinds of packets: a worker's elements; the same again, so that the aggregator passes on what it has; a sum."""
AGGREGATORS = 1024
HEADER = Struct("!IIHB")
"""Workers, sequence number, aggregator, kind."""
NUMBER = Struct("!I")
NUMBERS = 1 << 24
"""Sequence numbers of a job; its own number is in the 8 bits above."""


@dataclass(frozen=True)
class Fallback(Protocol):
    """aggregators: of all jobs. window: packets of a worker in flight. timeout: until a worker sends one again."""

    aggregators: int = 512
    window: int = 64
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    jobs: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (1 <= self.aggregators <= AGGREGATORS and self.window >= 1):
            raise ValueError(f"there are 1 to {AGGREGATORS} aggregators, and a window is at least 1")

    @property
    def servers(self) -> int:
        return self.jobs

    def rows(self, places: Sequence[Place]) -> Rows:
        workers, servers = places[: self.workers], places[self.workers :]
        senders = [
            Entry(
                "sender",
                {"std.ingress_port": place.port},
                "ingress.worker",
                {
                    "mask": 1 << rank,
                    "of": self.team(rank),
                    "in_flight": self.window,
                    "to": servers[self.job(rank)].port,
                },
            )
            for rank, place in enumerate(workers)
        ]
        senders += [Entry("sender", {"std.ingress_port": server.port}, "is_server") for server in servers]
        return Rows([*senders, *delivery(places)], groups(self, places))

    def worker(self, rank: int, tensor: Tensor) -> WindowWorker:
        return FallbackWorker(self, rank, tensor, self.window, self.timeout)

    def server(self, number: int) -> Host:
        return Server(self, self.members(number))

    def read_slots(self, read: Callable[[str], list[int]]) -> list[Slot]:
        """round: the sequence number."""
        found = []
        for number, (owner, seen) in enumerate(zip(read("owner"), read("seen"), strict=True)):
            if owner:
                job, sequence = divmod(owner - 1, NUMBERS)
                found.append(Slot(number, 1 + job, sequence, seen, self.members(job) & ~seen))
        return found

    def claim(self, payload: bytes) -> Claim:
        workers, sequence, *_ = HEADER.unpack_from(payload)
        values = np.frombuffer(payload, ">i4", CHUNK, len(payload) - 4 * CHUNK).astype(np.int32)
        return Claim(workers, CHUNK * (sequence % NUMBERS), values)

    def header(self, workers: int, sequence: int, kind: int) -> bytes:
        """The header of a packet of a job."""
        return HEADER.pack(workers, sequence, crc32(NUMBER.pack(sequence)) % self.aggregators, kind)


class FallbackWorker(SlidingWorker):
    """Says when it sends a packet again: the aggregator then passes on what it has, and the server does the rest."""

    def packet(self, number: int, tries: int) -> bytes:
        assert isinstance(self.protocol, Fallback)
        sequence = number + NUMBERS * self.protocol.job(self.rank)
        return self.protocol.header(1 << self.rank, sequence, AGAIN if tries else CONTRIBUTION)


class Server(Host):
    """Adds up what the switch passes on, and sends the sums of all workers of its job to these, through the switch."""

    def __init__(self, protocol: Fallback, team: int) -> None:
        super().__init__()
        self._protocol, self._team = protocol, team
        self._sums: dict[int, Claim] = {}
        """By the first element. They are kept, for workers that have lost the result."""

    def receive(self, payload: bytes) -> None:
        claim = self._protocol.claim(payload)
        held = self._sums.get(claim.start, Claim(0, claim.start, np.zeros(CHUNK, np.int32)))
        if not held.workers & claim.workers:
            held = Claim(held.workers | claim.workers, claim.start, held.values + claim.values)
        elif held.workers & claim.workers == held.workers:
            held = claim
        # Other sums have only some workers in common, and are left out: the others will send their elements again.
        self._sums[claim.start] = held
        if held.workers == self._team:
            _, sequence, *_ = HEADER.unpack_from(payload)
            header = self._protocol.header(self._team, sequence, RESULT)
            self.send(header + held.values.astype(">i4").tobytes())
