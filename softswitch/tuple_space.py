"""Rows that match by masks, found by hash: tuple space search (Srinivasan, Suri, Varghese, SIGCOMM 1999).

Each distinct mask is tried once, whatever the number of its rows; the one with the best row first, so that a search
ends where no later mask can have a better one (as in Open vSwitch, NSDI 2015). The worst case is as many masks as rows
and a packet that matches none, which is a comparison with each, for a mask with one row has its value beside it. Ranges
are found by the bits that all their values share, and compared one by one where those are the same.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

from softswitch.row_index import RowIndex
from softswitch.rows import RANK_WORDS, RowLayout, get, put

NUMBER, ONLY, BEST, MASK = 0, 1, 2, 2 + RANK_WORDS
"""Words of a mask: its number, its only row + 1 or 0, the rank of its best row, the mask, the only row's value. A mask
that had several rows counts as having several as long as it has any."""


def mask_words(layout: RowLayout) -> int:
    return MASK + 2 * layout.key_words


class TupleSpace:
    """The rows of a table by mask and value, and among equal ones by rank, the lowest being the best."""

    def __init__(self, rows: NDArray[np.uint64], layout: RowLayout) -> None:
        """rows: (size, layout.words)."""
        self.index = RowIndex(rows, layout.identity, layout.low)
        """The first row of each chain."""
        self.masks: NDArray[np.uint64] = np.zeros((len(rows), mask_words(layout)), dtype=np.uint64)
        """(size, words): in the order they are tried. The compiled program works on the same memory."""
        self._rows = rows
        self._layout = layout
        self._numbers: dict[int, int] = {}
        self._free: list[int] = []
        self._ranks: dict[int, list[int]] = {}
        self._order: list[tuple[int, int]] = []

    def __len__(self) -> int:
        """How many masks there are."""
        return len(self._order)

    def add(self, row: int, mask: int, rank: int) -> None:
        """Puts in a row in which the value is, and the bounds of ranges."""
        if mask not in self._numbers:
            self._numbers[mask] = self._free.pop() if self._free else len(self._numbers)
        number = self._numbers[mask]
        ranks = self._ranks.setdefault(mask, [])
        before = ranks[0] if ranks else None
        insort(ranks, rank)
        if rank == ranks[0] != before:
            self._move(mask, before, rank)
        layout, words = self._layout, self._rows[row]
        if len(ranks) <= 2:
            entry = self.masks[bisect_left(self._order, (ranks[0], number))]
            entry[ONLY] = row + 1 if len(ranks) == 1 else 0
            entry[MASK + layout.key_words :] = words[layout.value : layout.low]
        put(words, layout.rank, RANK_WORDS, rank)
        words[layout.identity] = number
        head = self.index.find(row)
        words[layout.previous] = 0
        words[layout.next] = 0 if head is None else head + 1
        if head is not None:
            self._rows[head, layout.previous] = row + 1
        self.index.put(row)

    def remove(self, row: int, mask: int) -> None:
        """Takes out a row that was put in with that mask."""
        layout, words = self._layout, self._rows[row]
        rank = get(words, layout.rank, RANK_WORDS)
        ranks = self._ranks[mask]
        del ranks[bisect_left(ranks, rank)]
        if not ranks or rank < ranks[0]:
            self._move(mask, rank, ranks[0] if ranks else None)
        previous, following = int(words[layout.previous]), int(words[layout.next])
        if following:
            self._rows[following - 1, layout.previous] = previous
        if previous:
            self._rows[previous - 1, layout.next] = following
        elif following:
            self.index.put(following - 1)
        else:
            self.index.remove(row)

    def clear(self) -> None:
        self.index.clear()
        for kept in (self._numbers, self._free, self._ranks, self._order):
            kept.clear()

    def _move(self, mask: int, before: int | None, best: int | None) -> None:
        """Brings a mask, whose best rank was `before`, where it belongs. None: not there."""
        number, end = self._numbers[mask], len(self._order)
        if before is not None:
            at = bisect_left(self._order, (before, number))
            del self._order[at]
            self.masks[at : end - 1] = self.masks[at + 1 : end]
            end -= 1
        if best is None:
            self._free.append(self._numbers.pop(mask))
            del self._ranks[mask]
            return
        at = bisect_left(self._order, (best, number))
        self._order.insert(at, (best, number))
        self.masks[at + 1 : end + 1] = self.masks[at:end]
        self.masks[at, NUMBER], self.masks[at, ONLY] = number, 0
        put(self.masks[at], BEST, RANK_WORDS, best)
        put(self.masks[at], MASK, self._layout.key_words, mask)
