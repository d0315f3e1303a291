"""OptiReduce (Warraich et al., NSDI'25) between hosts: nothing is sent again; losses are spread over many elements.

Each worker adds up every n-th chunk, and sends the sum to all. It waits until nothing has come for a time, and makes do
with what it has. A Hadamard transform with random signs spreads a lost packet over 4,096 elements. Left out: timeouts
that adapt, and senders that slow down."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from dropzero.ina.hosts import Forwarded, to
from dropzero.ina.protocol import Claim, Nanoseconds, Tensor, Worker
from dropzero.ina.window import CHUNK
from dropzero.streams import stream

HEADER = Struct("!HIIB")
"""To, workers, chunk, and whether it is a result."""
MOST = 4096
"""Elements of a transform whose sums fit."""


@dataclass(frozen=True)
class OptiReduce(Forwarded):
    """patience: how long a worker waits after the last packet that has come. transform: elements of a Hadamard
    transform, a power of two; 1: none."""

    patience: Nanoseconds = Nanoseconds("100ms")  # noqa: RUF009 (it cannot change)
    transform: int = MOST
    port = 0x0B11
    partial = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transform.bit_count() != 1 or self.transform > MOST:
            raise ValueError(f"a transform has a power of two of elements, at most {MOST}")

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return OptiReduceWorker(self, rank, tensor)

    def claim(self, payload: bytes) -> Claim:
        _, workers, chunk, _ = HEADER.unpack_from(payload)
        return Claim(workers, CHUNK * chunk, np.frombuffer(payload, ">i4", offset=HEADER.size).astype(np.int32))

    def encode(self, tensor: Tensor) -> Tensor:
        padded = np.pad(tensor.astype(np.float64), (0, -len(tensor) % self.transform)).reshape(-1, self.transform)
        return _hadamard(padded * self._signs).ravel().astype(np.int32)

    def decode(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        return (_hadamard(mean.reshape(-1, self.transform)) / self.transform * self._signs).ravel()

    @property
    def _signs(self) -> NDArray[np.int64]:
        return 2 * stream(0, "signs").integers(0, 2, self.transform) - 1


def _hadamard(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Transforms each row."""
    size, half = rows.shape[1], 1
    while half < size:
        pairs = rows.reshape(len(rows), -1, 2, half)
        rows = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2).reshape(-1, size)
        half *= 2
    return rows


class OptiReduceWorker(Worker):
    def __init__(self, protocol: OptiReduce, rank: int, tensor: Tensor) -> None:
        super().__init__(rank, tensor)
        self._protocol = protocol
        chunks = range(-(-len(tensor) // CHUNK))
        self._chunks = [chunks[each :: protocol.workers] for each in range(protocol.workers)]
        self._sums = {chunk: protocol.claim(self._packet(0, chunk)) for chunk in self._chunks[rank]}
        """The sums of its own chunks that it has not sent yet."""

    def start(self) -> None:
        # Each begins with another receiver, so that none is sent more than its link carries.
        for step in range(1, self._protocol.workers):
            receiver = (self.rank + step) % self._protocol.workers
            for chunk in self._chunks[receiver]:
                self.send(self._packet(receiver, chunk))
        for chunk in self._chunks[self.rank]:
            self._finish(chunk, self._protocol.team(self.rank))
        self.set_timer("patience", self._protocol.patience)

    def receive(self, payload: bytes) -> None:
        _, workers, chunk, result = HEADER.unpack_from(payload)
        claim = self._protocol.claim(payload)
        if result:
            self.keep(claim)
        elif (held := self._sums.get(chunk)) is not None and not held.workers & workers:
            self._sums[chunk] = Claim(held.workers | workers, held.start, held.values + claim.values)
            self._finish(chunk, self._protocol.team(self.rank))
        if not self.finished:
            self.set_timer("patience", self._protocol.patience)

    def expire(self, timer: Hashable) -> None:
        if self._sums:
            for chunk in list(self._sums):
                self._finish(chunk, 0)
            self.set_timer("patience", self._protocol.patience)
        else:
            # Its own elements stand in for the mean of all.
            self.keep(Claim(1 << self.rank, 0, self.tensor))

    def _finish(self, chunk: int, needed: int) -> None:
        """Sends the sum of a chunk if it has the elements of these workers."""
        held = self._sums[chunk]
        if held.workers & needed == needed:
            del self._sums[chunk]
            self.keep(held)
            body = HEADER.pack(0, held.workers, chunk, 1)[2:] + held.values.astype(">i4").tobytes()
            for step in range(1, self._protocol.workers):
                self.send(to((self.rank + step) % self._protocol.workers) + body)

    def _packet(self, receiver: int, chunk: int) -> bytes:
        return HEADER.pack(receiver + 1, 1 << self.rank, chunk, 0) + self.elements(CHUNK * chunk, CHUNK)
