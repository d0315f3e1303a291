"""OmniReduce (Fei et al., SIGCOMM'21, algorithm 2) with servers: sparse blocks, whose packets announce the next one.

Blocks are in columns, each with one packet of each worker in flight. A server waits for all workers' packets of a
column's block; its result says which block comes next: the first one that anybody has. Left out: RDMA, and blocks of
several columns in one packet."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from struct import Struct

import numpy as np

from dropzero.ina.hosts import Forwarded, Sender, to
from dropzero.ina.protocol import Claim, Host, Nanoseconds, Tensor, Worker
from dropzero.ina.window import CHUNK

HEADER = Struct("!HBBII")
"""To, rank, whether it is a result, block, and the column's next block. The elements follow, unless all are 0."""
LAST = (1 << 32) - 1
"""No block comes next."""
ZEROS = np.zeros(CHUNK, np.int32)


@dataclass(frozen=True)
class OmniReduce(Forwarded):
    """columns: of blocks. aggregators: servers that share these. timeout: until a worker sends a packet again."""

    columns: int = 64
    aggregators: int = 2
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    port = 0x0A11

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns < 1 or not 1 <= self.aggregators <= 32:
            raise ValueError("OmniReduce takes 1 or more columns, and 1 to 32 aggregators")

    @property
    def servers(self) -> int:
        return self.aggregators

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return OmniReduceWorker(self, rank, tensor)

    def server(self, number: int) -> Host:
        return Server(self)

    def claim(self, payload: bytes) -> Claim:
        _, rank, result, block, _ = HEADER.unpack_from(payload)
        values = np.frombuffer(payload, ">i4", offset=HEADER.size).astype(np.int32)
        return Claim(self.team(rank) if result else 1 << rank, CHUNK * block, values if len(values) else ZEROS)


class OmniReduceWorker(Worker):
    def __init__(self, protocol: OmniReduce, rank: int, tensor: Tensor) -> None:
        super().__init__(rank, tensor)
        self._protocol = protocol
        self._sender = Sender(self, protocol.columns, protocol.timeout)
        blocks = -(-len(tensor) // CHUNK)
        self._full = np.array([tensor[CHUNK * block :][:CHUNK].any() for block in range(blocks)])

    def start(self) -> None:
        for block in range(min(self._protocol.columns, len(self._full))):
            self._contribute(block)

    def receive(self, payload: bytes) -> None:
        _, _, _, block, following = HEADER.unpack_from(payload)
        if self._sender.settle(block):
            claim = self._protocol.claim(payload)
            self.keep(claim)
            # Nobody has anything in the blocks between.
            for zero in range(block + self._protocol.columns, min(following, len(self._full)), self._protocol.columns):
                self.keep(Claim(claim.workers, CHUNK * zero, ZEROS))
            if following != LAST:
                self._contribute(following)

    def expire(self, timer: Hashable) -> None:
        self._sender.expire(timer)

    def _contribute(self, block: int) -> None:
        columns = self._protocol.columns
        later = np.flatnonzero(self._full[block + columns :: columns])
        following = block + columns * (1 + int(later[0])) if len(later) else LAST
        number = self._protocol.workers + block % columns % self._protocol.aggregators
        header = HEADER.pack(number + 1, self.rank, 0, block, following)
        self._sender.add(block, header + (self.elements(CHUNK * block, CHUNK) if self._full[block] else b""))


class Server(Host):
    """Adds up a block of each of its columns at a time, and keeps the result of the one before for who has lost it."""

    def __init__(self, protocol: OmniReduce) -> None:
        super().__init__()
        self._protocol = protocol
        self._rounds: dict[int, tuple[int, int, int, Tensor]] = {}
        """By column: the block, whose elements are in the sum, the next block, the sum."""
        self._results: dict[int, bytes] = {}
        """By block, without to."""

    def receive(self, payload: bytes) -> None:
        _, rank, _, block, following = HEADER.unpack_from(payload)
        column = block % self._protocol.columns
        current, seen, first, total = self._rounds.get(column, (column, 0, LAST, ZEROS))
        if block == current and not seen >> rank & 1:
            seen, first = seen | 1 << rank, min(first, following)
            total = total + self._protocol.claim(payload).values
            self._rounds[column] = current, seen, first, total
            if seen == self._protocol.team(0):
                self._results[block] = HEADER.pack(0, 0, 1, block, first)[2:] + total.astype(">i4").tobytes()
                self._rounds[column] = first, 0, LAST, ZEROS
                for number in range(self._protocol.workers):
                    self.send(to(number) + self._results[block])
        elif block in self._results:
            self.send(to(rank) + self._results[block])
