"""A ring of hosts ([Ring]), as NCCL and Gloo add up without a switch's help.

The sum of a chunk passes each worker on its way around the ring, then goes around once more. Each chunk starts at the
next worker, so that all links carry the same. Left out: TCP or RDMA; packets are acknowledged one by one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from struct import Struct

import numpy as np

from dropzero.ina.hosts import Forwarded, Sender, to
from dropzero.ina.protocol import Claim, Nanoseconds, Tensor, Worker
from dropzero.ina.window import CHUNK

HEADER = Struct("!HIIBB")
"""To, workers, chunk, links of the ring that it has crossed, and whether it is an acknowledgement."""


@dataclass(frozen=True)
class Ring(Forwarded):
    """window: packets of a worker in flight. timeout: until it sends one again."""

    window: int = 64
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    port = 0x4169

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return RingWorker(self, rank, tensor)

    def claim(self, payload: bytes) -> Claim | None:
        _, workers, chunk, _, acknowledgement = HEADER.unpack_from(payload)
        if acknowledgement:
            return None
        return Claim(workers, CHUNK * chunk, np.frombuffer(payload, ">i4", offset=HEADER.size).astype(np.int32))


class RingWorker(Worker):
    def __init__(self, protocol: Ring, rank: int, tensor: Tensor) -> None:
        super().__init__(rank, tensor)
        self._protocol = protocol
        self._sender = Sender(self, protocol.window, protocol.timeout)
        self._had: set[tuple[int, int]] = set()
        """The chunks that have come, with the links that they had crossed."""

    def start(self) -> None:
        for chunk in range(self.rank, -(-len(self.tensor) // CHUNK), self._protocol.workers):
            self._pass(Claim(0, CHUNK * chunk, np.zeros(CHUNK, np.int32)), 0)

    def receive(self, payload: bytes) -> None:
        _, _, chunk, crossed, acknowledgement = HEADER.unpack_from(payload)
        if acknowledgement:
            self._sender.settle((chunk, crossed))
            return
        self.send(to((self.rank - 1) % self._protocol.workers) + HEADER.pack(0, 0, chunk, crossed, 1)[2:])
        claim = self._protocol.claim(payload)
        if claim is not None and (chunk, crossed) not in self._had:
            self._had.add((chunk, crossed))
            self._pass(claim, crossed)

    def expire(self, timer: Hashable) -> None:
        self._sender.expire(timer)

    def _pass(self, held: Claim, crossed: int) -> None:
        """Adds its own elements to a sum that lacks them, and sends it on if somebody needs it."""
        chunk, everyone = held.start // CHUNK, self._protocol.workers
        if not held.workers >> self.rank & 1:
            own = np.frombuffer(self.elements(held.start, CHUNK), ">i4")
            held = Claim(held.workers | 1 << self.rank, held.start, held.values + own)
        if held.workers == self._protocol.team(self.rank):
            self.keep(held)
        if crossed < 2 * (everyone - 1):
            header = HEADER.pack((self.rank + 1) % everyone + 1, held.workers, chunk, crossed + 1, 0)
            self._sender.add((chunk, crossed + 1), header + held.values.astype(">i4").tobytes())
