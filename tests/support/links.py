"""A network in virtual time: jobs whose workers share hosts, and a switch with rates and queues at its ports."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

import numpy as np

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.packet import Packet
from dropzero.protocol.slot import ChunkAllocator, Slot
from dropzero.protocol.tensor.arrays import Source, Target, Tensor
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES, Fate, payload_bytes

EPOCH = 1


@dataclass
class Port:
    """One direction of a link, behind a queue.

    rate: bytes per second. burst: bytes that pass at once after a pause (a token bucket). delay: seconds. depth: the
    queue's capacity in packets. mark_from: the queue length from which arriving packets are marked; 0: never. loss: the
    probability that a packet is lost.
    """

    rate: float = np.inf
    delay: float = 0.0005
    depth: int = 64
    mark_from: int = 0
    loss: float = 0.0
    leaving: list[float] = field(default_factory=list)
    longest: int = 0
    draw: random.Random = field(default_factory=lambda: random.Random(0))
    burst: int = 0
    free: float = -np.inf
    """When the tokens for all that was sent have come."""

    def send(self, size: int, now: float) -> tuple[float, bool] | None:
        """Sends a packet of `size` bytes. Returns when it arrives, and whether it was marked, or None if it is lost or
        the queue is full."""
        if self.loss and self.draw.random() < self.loss:
            return None
        while self.leaving and self.leaving[0] <= now:
            self.leaving.pop(0)
        queued = len(self.leaving)
        self.longest = max(self.longest, queued)
        if queued >= self.depth:
            return None
        self.free = max(now - self.burst / self.rate, self.free) + size / self.rate
        left = max(now, self.free)
        self.leaving.append(left)
        return left + self.delay, bool(self.mark_from) and queued >= self.mark_from


class World:
    """The network. Worker i of each job is on host i; `up` are the links from the hosts, `down` those to them."""

    def __init__(self, down: list[Port], up: list[Port] | None = None) -> None:
        self.down, self.up = down, up or [Port() for _ in down]
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def at(self, when: float, what: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._order), what))

    def run(self, until: float, done: Callable[[], bool] = lambda: False) -> None:
        """Runs until a time (seconds), or until `done` returns True."""
        while self._events and self._events[0][0] <= until and not done():
            self.now, _, what = heapq.heappop(self._events)
            what()


class Job:
    """Workers that add up their tensors repeatedly, or `calls` times.

    Attributes:
        bytes_received: by the first of them, Ethernet headers included.
    """

    def __init__(self, world: World, number: int, lanes: int, sources: list[Tensor], calls: int = 1 << 30) -> None:
        self.world, self.sources, self.calls = world, sources, calls
        size = len(sources)
        allocator = ChunkAllocator()
        self.slots = [Slot(EPOCH, (1 << size) - 1, allocator) for _ in range(lanes)]
        self.lanes = [Lanes(job=number, worker=i, workers=size, epoch=EPOCH, lanes=lanes) for i in range(size)]
        self.targets = [np.zeros_like(source) for source in sources]
        self.finished = [0] * size
        self.bytes_received = 0
        for worker in range(size):
            self._begin(worker)

    @property
    def done(self) -> bool:
        return min(self.finished) == self.calls

    def _begin(self, worker: int) -> None:
        source = Source.of(self.sources[worker])
        target = Target.around(self.targets[worker])
        self.lanes[worker].begin(Call.of(source.array, self.finished[worker]), source, target, self.world.now)
        self._send(worker)
        self._watch(worker)

    def _send(self, worker: int) -> None:
        payloads, rows, lengths = self.lanes[worker].outgoing()
        for row, length in zip(rows, lengths, strict=True):
            payload = payloads[row, :length].tobytes()
            arrival = self.world.up[worker].send(OUTER_BYTES + len(payload), self.world.now)
            if arrival:
                self.world.at(arrival[0], partial(self._arrive, payload, arrival[1]))

    def _arrive(self, payload: bytes, marked: bool) -> None:
        packet = Packet.decode(payload)
        packet = replace(packet, marked=packet.marked or marked)
        fate, answers = self.slots[packet.lane].receive(packet)
        receivers = range(len(self.lanes)) if fate is Fate.COMPLETED else [packet.worker]
        for to in receivers:
            for answer in answers:
                size = OUTER_BYTES + payload_bytes(len(answer.columns), len(answer.data))
                arrival = self.world.down[to].send(size, self.world.now)
                if arrival:
                    copy = replace(answer, worker=to, marked=answer.marked or arrival[1])
                    self.world.at(arrival[0], partial(self._receive, to, copy.encode()))

    def _receive(self, worker: int, payload: bytes) -> None:
        lanes = self.lanes[worker]
        row = np.zeros((1, MAX_PAYLOAD), np.uint8)
        row[0, : len(payload)] = np.frombuffer(payload, np.uint8)
        lanes.receive(row, np.array([len(payload)], np.int32), self.world.now)
        if worker == 0:
            self.bytes_received += OUTER_BYTES + len(payload)
        self._send(worker)
        if lanes.done and self.finished[worker] < self.calls:
            self.finished[worker] += 1
            if self.finished[worker] < self.calls:
                self._begin(worker)

    def _watch(self, worker: int) -> None:
        """Looks twice a millisecond whether the worker's deadline has passed."""
        turn = self.finished[worker]

        def look() -> None:
            lanes = self.lanes[worker]
            if self.finished[worker] == turn and not lanes.done:
                if lanes.deadline <= self.world.now:
                    lanes.expire(self.world.now)
                    self._send(worker)
                self.world.at(self.world.now + 5e-4, look)

        self.world.at(self.world.now, look)
