"""ATP (Lao et al., NSDI'21), one job in one rack: aggregators by hash, and a parameter server for what collides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from zlib import crc32

import numpy as np

from dropzero.controller.p4runtime.device import Group
from dropzero.controller.p4runtime.p4info import Entry
from dropzero.ina.protocol import Claim, Host, Nanoseconds, Place, Protocol, Rows, Tensor, delivery
from dropzero.ina.window import CHUNK, WindowWorker

HEADER = Struct("!IIHB")
"""Workers, sequence number, aggregator, kind."""
CONTRIBUTION, AGAIN, RESULT = range(3)
AGGREGATORS = 1024


@dataclass(frozen=True)
class ATP(Protocol):
    """aggregators: of the job. window: packets of a worker in flight. timeout: until a worker sends one again."""

    aggregators: int = 512
    window: int = 64
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    port = 0xA790
    servers = 1

    def __post_init__(self) -> None:
        if not (1 <= self.aggregators <= AGGREGATORS and self.window >= 1 and 1 <= self.workers <= 32):
            raise ValueError(f"ATP takes 1 to 32 workers, 1 to {AGGREGATORS} aggregators, and a window of at least 1")

    @property
    def everyone(self) -> int:
        """The bits of all workers."""
        return (1 << self.workers) - 1

    def rows(self, places: Sequence[Place]) -> Rows:
        *workers, server = places
        common = {"of": self.everyone, "in_flight": self.window, "to": server.port}
        senders = [
            Entry("sender", {"std.ingress_port": place.port}, "ingress.worker", {"mask": 1 << rank, **common})
            for rank, place in enumerate(workers)
        ]
        senders.append(Entry("sender", {"std.ingress_port": server.port}, "is_server"))
        group = Group(1, frozenset((place.port, 0) for place in workers))
        return Rows([*senders, *delivery(places)], [group])

    def worker(self, rank: int, tensor: Tensor) -> WindowWorker:
        return ATPWorker(self, rank, tensor, self.window, self.timeout)

    def server(self, number: int) -> Host:
        return Server(self)

    def claim(self, payload: bytes) -> Claim:
        workers, sequence, _, _ = HEADER.unpack_from(payload)
        return Claim(workers, CHUNK * sequence, np.frombuffer(payload, ">i4", offset=HEADER.size).astype(np.int32))

    def header(self, workers: int, sequence: int, kind: int) -> bytes:
        aggregator = crc32(sequence.to_bytes(4, "big")) % self.aggregators
        return HEADER.pack(workers, sequence, aggregator, kind)


class ATPWorker(WindowWorker):
    """Says when it sends a packet again: the aggregator then passes on what it has, and the server does the rest."""

    def packet(self, number: int, tries: int) -> bytes:
        assert isinstance(self.protocol, ATP)
        return self.protocol.header(1 << self.rank, number, AGAIN if tries else CONTRIBUTION)


class Server(Host):
    """Adds up what the switch passes on, and sends the sums of all workers to all, through the switch."""

    def __init__(self, protocol: ATP) -> None:
        super().__init__()
        self._protocol = protocol
        self._sums: dict[int, Claim] = {}
        """By the first element. They are kept, for workers that have lost the result."""

    def receive(self, payload: bytes) -> None:
        everyone = self._protocol.everyone
        claim = self._protocol.claim(payload)
        held = self._sums.get(claim.start, Claim(0, claim.start, np.zeros(CHUNK, np.int32)))
        if not held.workers & claim.workers:
            held = Claim(held.workers | claim.workers, claim.start, held.values + claim.values)
        elif held.workers & claim.workers == held.workers:
            held = claim
        # Other sums have only some workers in common, and are left out: the others will send their elements again.
        self._sums[claim.start] = held
        if held.workers == everyone:
            header = self._protocol.header(everyone, claim.start // CHUNK, RESULT)
            self.send(header + held.values.astype(">i4").tobytes())
