"""ZEN (Wang et al., OSDI'25) between hosts: a hash shares out the elements among the workers, which add up their own.

Workers push the places and values of non-zero elements to who adds these up, so that all have about as many, wherever
they are. Who has everybody's sends the sums to all, with a bit for each of its elements in place of their numbers. Left
out: hashing on GPUs, whose hash is another one. Packets are acknowledged one by one, where ZEN has NCCL."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from struct import Struct

import numpy as np

from dropzero.ina.hosts import Forwarded, Sender, to
from dropzero.ina.protocol import Claim, Nanoseconds, Places, Tensor, Worker

HEADER = Struct("!HBBII")
"""To; the sender's rank; kind; the packet's number among those from this sender to this receiver; of a push, how many
these are; of a pull, the place of its first bit among the sender's elements."""
PUSH, PULL, ACKNOWLEDGEMENT = 0, 1, 2
PAIR = np.dtype([("place", ">u4"), ("value", ">i4")])
PAIRS, VALUES, BITS = 128, 200, 1600
"""The most in a packet."""


@cache
def owned(workers: int, rank: int, elements: int) -> Places:
    """The places of the elements that a worker adds up, in a tensor of `elements` elements."""
    hashed = np.arange(elements, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)
    return np.flatnonzero(hashed % np.uint64(workers) == rank)


@dataclass(frozen=True)
class Zen(Forwarded):
    """window: packets of a worker in flight. timeout: until it sends one again."""

    window: int = 64
    timeout: Nanoseconds = Nanoseconds("20ms")  # noqa: RUF009 (it cannot change)
    port = 0x0C11

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return ZenWorker(self, rank, tensor)

    def claim(self, payload: bytes) -> Claim | None:
        _, rank, kind, _, first = HEADER.unpack_from(payload)
        body = payload[HEADER.size :]
        if kind == PUSH:
            pairs = np.frombuffer(body, PAIR)
            return Claim(1 << rank, 0, pairs["value"].astype(np.int32), pairs["place"].astype(np.int64))
        if kind == PULL:
            count = int.from_bytes(body[:2], "big")
            bits = np.unpackbits(np.frombuffer(body, np.uint8, -(-count // 8), 2), count=count).astype(np.bool_)
            values = np.zeros(count, np.int32)
            values[bits] = np.frombuffer(body, ">i4", offset=2 + -(-count // 8))
            elements = 1 << 16
            while len(places := owned(self.workers, rank, elements)) < first + count:
                elements *= 2
            return Claim(self.team(rank), 0, values, places[first : first + count])
        return None


class ZenWorker(Worker):
    def __init__(self, protocol: Zen, rank: int, tensor: Tensor) -> None:
        super().__init__(rank, tensor)
        self._protocol = protocol
        self._sender = Sender(self, protocol.window, protocol.timeout)
        self._sum = np.zeros_like(tensor)
        self._left: dict[int, set[int]] = {}
        """By worker, its pushes that have not come."""
        self._complete = 0

    def start(self) -> None:
        everyone = self._protocol.workers
        for receiver in (self.rank + step for step in range(everyone)):
            places = self._owned(receiver % everyone)
            places = places[self.tensor[places] != 0]
            pairs = np.zeros(len(places), PAIR)
            pairs["place"], pairs["value"] = places, self.tensor[places]
            bodies = [pairs[at : at + PAIRS].tobytes() for at in range(0, len(pairs), PAIRS)] or [b""]
            for number, body in enumerate(bodies):
                self._post(receiver % everyone, PUSH, number, len(bodies), body)

    def receive(self, payload: bytes) -> None:
        _, rank, kind, number, extra = HEADER.unpack_from(payload)
        if kind == ACKNOWLEDGEMENT:
            self._sender.settle((rank, extra, number))
            return
        if rank != self.rank:
            self.send(to(rank) + HEADER.pack(0, self.rank, ACKNOWLEDGEMENT, number, kind)[2:])
        claim = self._protocol.claim(payload)
        assert claim is not None
        if kind == PULL:
            self.keep(claim)
            return
        left = self._left.setdefault(rank, set(range(extra)))
        if number in left:
            left.remove(number)
            self._sum[claim.where] += claim.values
            self._complete += not left
            if self._complete == self._protocol.workers and not left:
                self._spread()

    def expire(self, timer: Hashable) -> None:
        self._sender.expire(timer)

    def _spread(self) -> None:
        """Sends the sums of its elements to all."""
        for number, (first, body) in enumerate(self._pulls()):
            for step in range(self._protocol.workers):
                self._post((self.rank + step) % self._protocol.workers, PULL, number, first, body)

    def _pulls(self) -> Iterator[tuple[int, bytes]]:
        values = self._sum[self._owned(self.rank)]
        full = np.flatnonzero(values)
        first = 0
        while first < len(values):
            end = min(first + BITS, len(values))
            begin = int(np.searchsorted(full, first))
            if begin + VALUES < len(full):
                end = min(end, int(full[begin + VALUES]))
            part = values[first:end]
            bits = np.packbits(part != 0).tobytes()
            yield first, (end - first).to_bytes(2, "big") + bits + part[part != 0].astype(">i4").tobytes()
            first = end

    def _owned(self, rank: int) -> Places:
        return owned(self._protocol.workers, rank, len(self.tensor))

    def _post(self, receiver: int, kind: int, number: int, extra: int, body: bytes) -> None:
        payload = HEADER.pack(receiver + 1, self.rank, kind, number, extra) + body
        if receiver == self.rank:
            self.receive(payload)
        else:
            self._sender.add((receiver, kind, number), payload)
