"""Canary (De Sensi et al., FGCS'24): partial sums, of packets that meet in a switch in time, go to a block's leader."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from struct import Struct

import numpy as np

from dropzero.controller.p4runtime.device import Group
from dropzero.ina.protocol import Claim, Nanoseconds, Place, Protocol, Rows, Slot, Tensor, delivery
from dropzero.ina.window import CHUNK, SlidingWorker
from dropzero.p4.names import Entry

CONTRIBUTION, COLLIDED, RESULT, ASK, AGAIN, TICK = range(6)
"""Kinds of packets: see program.p4."""
HEADER = Struct("!IIHB")
"""Workers, the attempt in 8 bits and the block in 24, the host that it goes to, kind."""
BLOCKS, ATTEMPTS = 1 << 24, 1 << 8
BY_HOSTS = -1
"""In place of an attempt: the leader adds up what workers send with their questions."""
NOBODY = 0xFFFF
"""Goes only where packets of the block came from."""
TIMER = "tick"
DESCRIPTORS = 1024
MOST_LINKS = 8
"""Between a switch and others."""
UP = 0x4000
"""The group of all switches above."""


@dataclass(frozen=True)
class Canary(Protocol):
    """racks, spines: one rack has no spine. descriptors: of a switch, a power of two. window: blocks of a worker in
    flight. timeout: until a worker asks for a sum. patience: how long a switch adds up. tick: after which a worker that
    waits lets switches look at the time. margin: packets by which another spine's queue must be shorter."""

    racks: int = 1
    spines: int = 2
    descriptors: int = DESCRIPTORS
    window: int = 16
    timeout: Nanoseconds = Nanoseconds("100ms")  # noqa: RUF009 (it cannot change)
    patience: Nanoseconds = Nanoseconds("10ms")  # noqa: RUF009
    tick: Nanoseconds = Nanoseconds("10ms")  # noqa: RUF009
    margin: int = 2
    port = 0xCA4A

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.workers < 2:
            raise ValueError("a leader adds up for others: Canary takes at least 2 workers")
        if self.descriptors.bit_count() != 1 or self.descriptors > DESCRIPTORS:
            raise ValueError(f"descriptors must be a power of two, at most {DESCRIPTORS}")
        if max(self.racks, self.spines) > MOST_LINKS:
            raise ValueError(f"there are at most {MOST_LINKS} racks and spines: a group for each set of links")

    def rows(self, places: Sequence[Place]) -> Rows:
        common = {"mask": self.descriptors - 1, "in_flight": self.window, "patience_": self.patience // 1000}
        switches = sorted({port for place in places if place.ways for port in place.ports})
        rows = [Entry("job", {"hdr.canary.to": NOBODY}, "settings", {"of": 0, **common})]
        for leader, to in enumerate(places):
            passing = sum(1 << rank for rank, place in enumerate(places) if place.port != to.port)
            bitmap = 1 << switches.index(to.port) if to.ways else 0
            way = {"first": to.port, "ports": len(to.ports), "margin": self.margin, "bitmap": bitmap}
            rows.append(Entry("job", {"hdr.canary.to": leader}, "settings", {"of": passing, **common}))
            rows.append(Entry("route", {"hdr.canary.to": leader}, "way", way))
        rows += [
            Entry("entrance", {"std.ingress_port": port}, "above", {"bitmap": 1 << number})
            for number, port in enumerate(switches)
        ]
        hosts = {(place.port, 0) for place in places if not place.ways}
        groups = []
        for bitmap in range(1 << len(switches)):
            some = {(port, 0) for number, port in enumerate(switches) if bitmap >> number & 1}
            groups.append(Group(1 + bitmap, frozenset(hosts | some)))
        if hosts:
            groups.append(Group(UP, frozenset((port, 0) for port in switches)))
        return Rows([*rows, *delivery(places)], groups)

    def worker(self, rank: int, tensor: Tensor) -> CanaryWorker:
        return CanaryWorker(self, rank, tensor)

    def leader(self, block: int) -> int:
        """The worker that has the last word on a block."""
        return block % self.workers

    def read_slots(self, read: Callable[[str], list[int]]) -> list[Slot]:
        """round: the block. A switch does not know who will come by: missing are all others."""
        everybody = self.members(0)
        return [
            Slot(number, 1, owner % BLOCKS - 1, seen, everybody & ~seen)
            for number, (owner, seen) in enumerate(zip(read("owner"), read("seen"), strict=True))
            if owner
        ]

    def claim(self, payload: bytes) -> Claim | None:
        workers, name, _, kind = HEADER.unpack_from(payload)
        if kind in (AGAIN, TICK):
            return None
        values = np.frombuffer(payload, ">i4", CHUNK, HEADER.size).astype(np.int32)
        return Claim(workers, CHUNK * (name % BLOCKS), values)


class CanaryWorker(SlidingWorker):
    """A worker, and the leader of some blocks: it adds up the partial sums of these, and its own elements."""

    def __init__(self, protocol: Canary, rank: int, tensor: Tensor) -> None:
        super().__init__(protocol, rank, tensor, protocol.window, protocol.timeout)
        self._canary = protocol
        self._others = [each for each in range(protocol.workers) if each != rank]
        self._attempts: dict[int, int] = {}
        """The latest attempt of each block that is sent again."""
        self._sums: dict[int, dict[int, Claim]] = {}
        """Sums of the blocks that it leads, by attempt."""
        self._collided: dict[int, list[int]] = {}
        """The workers in each packet that found no descriptor somewhere, by block: the result must be sent there."""

    def receive(self, payload: bytes) -> None:
        workers, name, _, kind = HEADER.unpack_from(payload)
        attempt, block = divmod(name, BLOCKS)
        if kind == RESULT:
            super().receive(payload)
        elif kind == AGAIN:
            self._repeat(block, attempt)
        elif kind == ASK:
            self._answer(payload, workers.bit_length() - 1, block, attempt)
        elif not self.knows(CHUNK * block):
            claim = self.protocol.claim(payload)
            assert claim is not None
            if kind == COLLIDED:
                self._collided.setdefault(block, []).append(workers)
            self._add(block, attempt, claim)

    def expire(self, timer: Hashable) -> None:
        if timer != TIMER:
            super().expire(timer)
        elif self.missing:
            # BMv2's packets have no room for a whole sum more.
            self.send(HEADER.pack(0, 0, self.rank, TICK) + bytes(4 * CHUNK))
            self.set_timer(TIMER, self._canary.tick)

    def contribute(self, number: int) -> None:
        if self._canary.leader(number) != self.rank:
            super().contribute(number)
            self.set_timer(TIMER, self._canary.tick)

    def packet(self, number: int, tries: int) -> bytes:
        return self._header(1 << self.rank, number, self._canary.leader(number), ASK if tries else CONTRIBUTION)

    def _header(self, workers: int, block: int, to: int, kind: int) -> bytes:
        return HEADER.pack(workers, block + BLOCKS * self._attempts.get(block, 0), to, kind)

    def _repeat(self, block: int, attempt: int) -> None:
        """Sends a block again, as another attempt."""
        if attempt != self._attempts.get(block, 0):
            self._attempts[block] = attempt
            if self.settle(block):
                self.contribute(block)

    # As a leader.

    def _add(self, block: int, attempt: int, claim: Claim) -> None:
        """Adds to the sum of an attempt, and sends it when it is complete."""
        sums = self._sums.setdefault(block, {})
        own = np.frombuffer(self.elements(claim.start, CHUNK), ">i4").astype(np.int32)
        held = sums.get(attempt, Claim(1 << self.rank, claim.start, own))
        if not held.workers & claim.workers:
            held = Claim(held.workers | claim.workers, claim.start, held.values + claim.values)
        sums[attempt] = held
        if held.workers == self.protocol.team(self.rank):
            self.keep(held)
            self.settle(block)
            collided = self._collided.pop(block, [])
            if attempt == BY_HOSTS:
                told = self._others
            else:
                self._attempts[block] = attempt
                told = [NOBODY, *(workers.bit_length() - 1 for workers in collided)]
            for to in told:
                self._send_result(block, to)
            del self._sums[block]
            self._slide()

    def _answer(self, payload: bytes, asker: int, block: int, attempt: int) -> None:
        """Answers a worker that has no sum: what it is, or that the block must be sent again, by all."""
        if self.knows(CHUNK * block):
            self._send_result(block, asker)
            return
        latest = self._attempts.get(block, 0)
        claim = self.protocol.claim(payload)
        assert claim is not None
        self._add(block, BY_HOSTS, claim)
        if self.knows(CHUNK * block):
            return
        told = [asker]
        if attempt == latest:
            self._attempts[block] = (latest + 1) % ATTEMPTS
            told = self._others
        for to in told:
            self.send(self._header(0, block, to, AGAIN))

    def _send_result(self, block: int, to: int) -> None:
        """Sends a sum to where the packets of its block came from, and to a host."""
        values = np.zeros(CHUNK, ">i4")
        here = self.total[CHUNK * block : CHUNK * (block + 1)]
        values[: len(here)] = here
        self.send(self._header(self.protocol.team(self.rank), block, to, RESULT) + values.tobytes())
