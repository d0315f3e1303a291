"""A reference model of the switch's side of the protocol: the behaviour of `p4src/slot.p4` and `p4src/column.p4`.

The tests compare the compiled P4 program with this model, packet by packet.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.completion import ALL, Completion
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import ASSIGNED, COLUMNS, DATA, HEADROOM, NO_BLOCK, REPORTS, Fate, Kind, Operation, Width

Words = NDArray[np.int32]


_COMBINE = {
    Operation.SUM: np.add,
    Operation.MAX: np.maximum,
    Operation.MIN: np.minimum,
    Operation.OR: np.bitwise_or,
}


def combine(held: Words, arrived: Words, operation: Operation, width: Width) -> Words:
    """Combines two data columns element by element; sums wrap."""
    # In both words, an element has the same place, whatever the machine's byte order.
    combined: NDArray[Any] = _COMBINE[operation](held.view(width.dtype), arrived.view(width.dtype))
    return combined.view(np.int32)


@dataclass
class ChunkAllocator:
    """Assigns chunks to the columns of a job's slots. assigned: the number of chunks assigned in this epoch."""

    assigned: int = 0

    def assign(self, column: Column) -> Column:
        """Returns the column, with the next chunk if no worker announces a block."""
        if column.next != NO_BLOCK:
            return column
        chunk = ASSIGNED | self.assigned % ASSIGNED
        self.assigned += 1
        return replace(column, next=chunk)


@dataclass
class Half:
    """One of a slot's two halves: the contributions collected in one round."""

    seen: int = 0
    """One bit for each worker that contributed."""
    call: int = 0
    """The digest of the first contribution's call."""
    conflict: int = 0
    """One bit for each worker that made another call."""
    answered: bool = False
    """It holds the round's result, not only this switch's share."""
    congested: bool = False
    """Some contribution was marked."""
    declined: int = 0
    """One bit for each worker that needs no data of the result."""
    columns: list[Column] = field(default_factory=list)
    data: dict[int, Words] = field(default_factory=dict)

    def add(self, packet: Packet) -> None:
        """Adds a contribution. Keeps the least next block of each column, with the largest exponent among the workers
        that announced it, and sums that wrap."""
        if not self.seen:
            self.call, self.conflict, self.answered, self.congested = packet.workers, 0, False, False
            self.declined = 0
            self.columns, self.data = list(packet.columns), {}
        if packet.kind is Kind.CONFLICT or packet.workers != self.call:
            # A leaf names the workers in conflict.
            named = packet.workers if packet.kind is Kind.CONFLICT else 0
            self.conflict |= named or 1 << packet.worker
        else:
            self.columns = [
                min(mine, theirs, key=lambda column: (column.next, -column.exponent))
                for mine, theirs in zip(self.columns, packet.columns, strict=True)
            ]
            for column, words in packet.data.items():
                held = self.data.get(column)
                combined = words if held is None else combine(held, words, packet.operation, packet.width)
                self.data[column] = combined
        self.seen |= 1 << packet.worker
        self.declined |= packet.declines << packet.worker
        self.congested |= packet.marked or packet.congested

    def settle(self, packet: Packet) -> None:
        """Replaces this switch's share by the parent's result."""
        self.columns, self.data, self.answered = list(packet.columns), dict(packet.data), True
        self.conflict = packet.workers if packet.kind is Kind.CONFLICT else 0
        self.congested = packet.congested


@dataclass
class Slot:
    """One slot, serving one lane of a job whose members are the bits of `members`.

    allocator: shared by all slots of the job on a switch. rank: on a leaf, its worker number at its parent; None
    without a parent. completion: the rule that says when a round is complete. growth: the bytes by which an answer may
    exceed the packet that causes it.
    """

    epoch: int
    members: int
    allocator: ChunkAllocator
    rank: int | None = None
    round: int = 0
    halves: tuple[Half, Half] = field(default_factory=lambda: (Half(), Half()))
    completion: Completion = ALL
    growth: int = HEADROOM

    def receive(self, packet: Packet) -> tuple[Fate, list[Packet]]:
        """Processes an admitted contribution to this lane, or a query. Returns its fate and the answers.

        COMPLETED answers go to all workers; PASSED_UP ones to the parent; others to the sender. `copies` addresses
        them to a worker.
        """
        if packet.epoch != self.epoch:
            current = replace(packet, kind=Kind.EPOCH, epoch=self.epoch, workers=self.members, columns=(), data={})
            return Fate.EPOCH, [current]
        if 1 <= (self.round - packet.round) & 0xFFFFFFFF <= self.completion.max_lag:
            packet = replace(packet, round=(self.round - 1) & 0xFFFFFFFF)
        here, other = self.halves[packet.round & 1], self.halves[~packet.round & 1]
        query = packet.kind is Kind.QUERY
        if packet.round == self.round:
            if self.complete(here):
                if here.answered:
                    return self.replay(packet, here)
                # Only the queries of a rack's lowest worker go up.
                if query and 1 << packet.worker != here.seen & -here.seen:
                    return Fate.MISSING, [replace(packet, kind=Kind.WAITING, workers=0, columns=(), data={})]
                return self.pass_up(packet, here)
            if query or here.seen >> packet.worker & 1:
                return self.missing(packet, here.seen)
        elif packet.round == (self.round + 1) & 0xFFFFFFFF and self.complete(other) and other.answered:
            if query:
                return self.missing(packet, 0)
            self.round, here.seen = packet.round, 0
        elif (packet.round + 1) & 0xFFFFFFFF == self.round and self.complete(here):
            return self.replay(packet, here)
        else:
            return Fate.STALE, []
        here.add(packet)
        if not self.complete(here):
            return Fate.ABSORBED, []
        if self.rank is not None:
            return self.pass_up(packet, here)
        here.answered = True
        if not here.conflict:
            here.columns = [self.allocator.assign(column) for column in here.columns]
        return Fate.COMPLETED, self.result(packet, here)

    def replay(self, packet: Packet, half: Half) -> tuple[Fate, list[Packet]]:
        """Answers with a complete round's result; a query without columns is only told that nobody is missing."""
        if packet.kind is Kind.QUERY and not packet.columns:
            return self.missing(packet, half.seen)
        return Fate.REPLAYED, self.result(packet, half)

    def missing(self, packet: Packet, seen: int) -> tuple[Fate, list[Packet]]:
        """Tells the sender who is missing. seen: the workers that have contributed, one bit each."""
        missing = self.members & ~seen
        return Fate.MISSING, [replace(packet, kind=Kind.MISSING, workers=missing, columns=(), data={})]

    def complete(self, half: Half) -> bool:
        return self.completion.complete(half.seen, self.members)

    def relay(self, packet: Packet) -> tuple[Fate, list[Packet]]:
        """Processes a result or a report from the parent, on a leaf. Returns its fate, and the packets for all workers
        in the rack, or the report for its lowest worker."""
        here = self.halves[packet.round & 1]
        if (packet.epoch, packet.round) != (self.epoch, self.round) or not self.complete(here) or here.answered:
            return Fate.STALE, []
        if packet.kind in REPORTS:
            return Fate.RELAYED, [self.report(packet, here.seen & -here.seen)]
        here.settle(packet)
        return Fate.RELAYED, self.result(packet, here, marked=packet.marked)

    def report(self, packet: Packet, lowest: int) -> Packet:
        """Converts a parent's report for the rack's lowest worker. It names that worker if the share must go up again,
        because the parent lacks it, or has sent a result that was lost."""
        assert self.rank is not None
        packet = replace(packet, worker=lowest.bit_length() - 1, declines=False, columns=(), data={})
        if packet.kind is Kind.MISSING and (not packet.workers or packet.workers >> self.rank & 1):
            return replace(packet, workers=lowest)
        return replace(packet, kind=Kind.WAITING, workers=0)

    def pass_up(self, packet: Packet, half: Half) -> tuple[Fate, list[Packet]]:
        """Sends the rack's share to the parent as one contribution, which must fit into one packet; or a query about
        it."""
        assert self.rank is not None
        if half.conflict:
            conflict = replace(packet, kind=Kind.CONFLICT, workers=half.conflict, columns=(), data={})
            return Fate.PASSED_UP, [replace(conflict, worker=self.rank)]
        if packet.kind is Kind.QUERY:
            return Fate.PASSED_UP, [replace(packet, worker=self.rank, columns=(), data={})]
        if (len(half.data) - len(packet.data)) * DATA.itemsize > self.growth:
            return Fate.SHORT, []
        return Fate.PASSED_UP, [answer(packet, half, worker=self.rank, declines=half.declined == half.seen)]

    def copies(self, answers: list[Packet], worker: int) -> list[Packet]:
        """The copies of these answers for one worker: a single one without data if it declines those of a result."""
        if answers and answers[0].kind is Kind.RESULT:
            declines = bool(self.halves[answers[0].round & 1].declined >> worker & 1)
            answers = [replace(each, declines=declines) for each in answers]
            if declines:
                answers = [replace(answers[0], data={})]
        return [replace(each, worker=worker) for each in answers]

    def result(self, packet: Packet, half: Half, *, marked: bool = False) -> list[Packet]:
        """The answer to a contribution to a complete round. It names the contribution's blocks.

        It is one packet, or two (the first four data columns, and the rest) if one would exceed the contribution by
        more than `growth` bytes.
        """
        if half.conflict:
            return [replace(packet, kind=Kind.CONFLICT, workers=half.conflict, declines=False, columns=(), data={})]
        result = answer(packet, half, kind=Kind.RESULT, workers=half.seen, marked=marked)
        if (len(half.data) - len(packet.data)) * DATA.itemsize <= self.growth:
            return [result]
        middle = COLUMNS // 2
        first = {column: words for column, words in half.data.items() if column < middle}
        second = {column: words for column, words in half.data.items() if column >= middle}
        return [replace(result, data=first), replace(result, data=second)]


def answer(packet: Packet, half: Half, *, marked: bool = False, **fields: Any) -> Packet:
    """Fills a packet with the contents of a half, for the blocks that the packet names."""
    columns = tuple(replace(held, block=asked.block) for held, asked in zip(half.columns, packet.columns, strict=True))
    return replace(packet, columns=columns, data=dict(half.data), marked=marked, congested=half.congested, **fields)
