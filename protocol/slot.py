"""The switch's side of the protocol, as plainly as it can be said: what `p4src/slot.p4` and `p4src/column.p4` must do.

The tests hold the compiled P4 program to this model, packet by packet.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from protocol.packet import Column, Packet
from protocol.wire import COLUMNS, DATA, HEADROOM, Fate, Kind


@dataclass
class Half:
    """One of a slot's two halves: what it has collected of one round."""

    seen: int = 0
    """One bit for each worker that contributed."""
    columns: list[Column] = field(default_factory=list)
    data: dict[int, NDArray[np.int32]] = field(default_factory=dict)

    def add(self, packet: Packet) -> None:
        """Takes a contribution in: least next, greatest exponent among those who announced it, wrapping sums."""
        if not self.seen:
            self.columns, self.data = list(packet.columns), {}
        else:
            self.columns = [
                min(mine, theirs, key=lambda column: (column.next, -column.exponent))
                for mine, theirs in zip(self.columns, packet.columns, strict=True)
            ]
        for column, elements in packet.data.items():
            held = self.data.get(column)
            self.data[column] = elements.copy() if held is None else held + elements
        self.seen |= 1 << packet.worker


@dataclass
class Slot:
    """One slot, serving one lane of a job whose members are the bits of `members`."""

    epoch: int
    members: int
    round: int = 0
    halves: tuple[Half, Half] = field(default_factory=lambda: (Half(), Half()))

    def receive(self, packet: Packet) -> tuple[Fate, list[Packet]]:
        """What becomes of an admitted contribution to this lane, and the answers.

        Those to a contribution that completes its round name no receiver: everybody gets them, each with its own number
        for `worker`. Others are for the sender.
        """
        if packet.epoch != self.epoch:
            current = replace(packet, kind=Kind.EPOCH, epoch=self.epoch, workers=self.members, columns=(), data={})
            return Fate.EPOCH, [current]
        here, other = self.halves[packet.round & 1], self.halves[~packet.round & 1]
        if packet.round == self.round and here.seen >> packet.worker & 1:
            if here.seen != self.members:
                missing = self.members & ~here.seen
                return Fate.MISSING, [replace(packet, kind=Kind.MISSING, workers=missing, columns=(), data={})]
            return Fate.REPLAYED, self.result(packet, here)
        if packet.round == (self.round + 1) & 0xFFFFFFFF and other.seen == self.members:
            self.round, here.seen = packet.round, 0
        elif (packet.round + 1) & 0xFFFFFFFF == self.round and here.seen == self.members:
            return Fate.REPLAYED, self.result(packet, here)
        elif packet.round != self.round:
            return Fate.STALE, []
        here.add(packet)
        if here.seen == self.members:
            return Fate.COMPLETED, self.result(packet, here)
        return Fate.ABSORBED, []

    @staticmethod
    def result(packet: Packet, half: Half) -> list[Packet]:
        """The answer to a contribution to a round that is complete; it names the blocks that the contribution names.

        One packet, or, if that were longer than the contribution by more than HEADROOM bytes, two: the first four data
        columns and the others.
        """
        columns = tuple(
            replace(held, block=asked.block) for held, asked in zip(half.columns, packet.columns, strict=True)
        )
        result = replace(packet, kind=Kind.RESULT, workers=half.seen, columns=columns, data=dict(half.data))
        if (len(half.data) - len(packet.data)) * DATA.itemsize <= HEADROOM:
            return [result]
        middle = COLUMNS // 2
        first = {column: data for column, data in half.data.items() if column < middle}
        second = {column: data for column, data in half.data.items() if column >= middle}
        return [replace(result, data=first), replace(result, data=second)]
