"""Rows that match by masks: tuple space search (Srinivasan, Suri, Varghese, SIGCOMM 1999).

The rows of a mask are found by hash, whatever their number; as long as there are few of them, each is compared with the
packet instead, which is faster. What is tried, a mask or such a row, is a trial. The best one comes first, so that a
search ends where no later one can be better (as in Open vSwitch, NSDI 2015). The worst case is a packet that matches
nothing: a comparison with every row, or a hash for every mask that has many. Ranges are found by the bits that all
their values share, and compared one by one where those are the same.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.row_index import RowIndex
from dropzero.softswitch.state.rows import RANK_WORDS, RowLayout, get, put

FEW = 16
"""Comparisons that take about as long as a hash. A mask that had more rows is tried by hash as long as it has any."""
NUMBER, ONLY, BEST, MASK = 0, 1, 2, 2 + RANK_WORDS
"""Words of a trial: of a mask its number and 0, of a row 0 and the row + 1; the rank of the (best) row, the mask, the
row's value."""


def trial_words(layout: RowLayout) -> int:
    return MASK + 2 * layout.key_words


class TupleSpace:
    """The rows of a table by mask and value, and among equal ones by rank, the lowest being the best."""

    def __init__(self, rows: NDArray[np.uint64], layout: RowLayout) -> None:
        """rows: (size, layout.words)."""
        self.index = RowIndex(rows, layout.identity, layout.low)
        """The first row of each chain."""
        self.trials: NDArray[np.uint64] = np.zeros((len(rows), trial_words(layout)), dtype=np.uint64)
        """(size, words): in their order. The compiled program works on the same memory."""
        self._rows = rows
        self._layout = layout
        self._few: dict[int, list[int]] = {}
        """The rows of each mask that has few."""
        self._ranks: dict[int, list[int]] = {}
        """Of the rows of each other mask."""
        self._numbers: dict[int, int] = {}
        """Of those masks."""
        self._free: list[int] = []
        self._order: list[tuple[int, int]] = []
        """Of each trial, the rank, and the mask's number or -1 - the row."""

    def __len__(self) -> int:
        """How many trials there are."""
        return len(self._order)

    def add(self, row: int, mask: int, rank: int) -> None:
        """Puts in a row in which the value is, and the bounds of ranges."""
        put(self._rows[row], self._layout.rank, RANK_WORDS, rank)
        if mask in self._numbers:
            self._chain(row, mask)
            return
        few = self._few.setdefault(mask, [])
        if len(few) < FEW:
            few.append(row)
            self._try(rank, -1 - row, mask)
            return
        del self._few[mask]
        self._numbers[mask] = self._free.pop() if self._free else len(self._numbers)
        self._ranks[mask] = []
        for each in few:
            self._leave(self._rank(each), -1 - each)
        for each in (*few, row):
            self._chain(each, mask)

    def remove(self, row: int, mask: int) -> None:
        """Takes out a row that was put in with that mask."""
        if mask in self._numbers:
            self._unchain(row, mask)
            return
        self._leave(self._rank(row), -1 - row)
        self._few[mask].remove(row)
        if not self._few[mask]:
            del self._few[mask]

    def clear(self) -> None:
        self.index.clear()
        for kept in (self._few, self._ranks, self._numbers, self._free, self._order):
            kept.clear()

    def _rank(self, row: int) -> int:
        return get(self._rows[row], self._layout.rank, RANK_WORDS)

    def _chain(self, row: int, mask: int) -> None:
        """Puts a row where the hash finds it."""
        rank, number, ranks = self._rank(row), self._numbers[mask], self._ranks[mask]
        if not ranks or rank < ranks[0]:
            if ranks:
                self._leave(ranks[0], number)
            self._try(rank, number, mask)
        insort(ranks, rank)
        layout, words = self._layout, self._rows[row]
        words[layout.identity] = number
        head = self.index.find(row)
        words[layout.next] = 0 if head is None else head + 1
        if head is not None:
            self._rows[head, layout.previous] = row + 1
        self.index.put(row)

    def _unchain(self, row: int, mask: int) -> None:
        rank, number, ranks = self._rank(row), self._numbers[mask], self._ranks[mask]
        del ranks[bisect_left(ranks, rank)]
        if not ranks or rank < ranks[0]:
            self._leave(rank, number)
            if ranks:
                self._try(ranks[0], number, mask)
            else:
                self._free.append(self._numbers.pop(mask))
                del self._ranks[mask]
        layout, words = self._layout, self._rows[row]
        previous, following = int(words[layout.previous]), int(words[layout.next])
        if following:
            self._rows[following - 1, layout.previous] = previous
        if previous:
            self._rows[previous - 1, layout.next] = following
        elif following:
            self.index.put(following - 1)
        else:
            self.index.remove(row)

    def _try(self, rank: int, name: int, mask: int) -> None:
        """Puts a trial where it belongs."""
        at, end, layout = bisect_left(self._order, (rank, name)), len(self._order), self._layout
        self._order.insert(at, (rank, name))
        self.trials[at + 1 : end + 1] = self.trials[at:end]
        trial = self.trials[at]
        trial[NUMBER], trial[ONLY] = max(0, name), max(0, -name)
        put(trial, BEST, RANK_WORDS, rank)
        put(trial, MASK, layout.key_words, mask)
        trial[MASK + layout.key_words :] = self._rows[-1 - name, layout.value : layout.low] if name < 0 else 0

    def _leave(self, rank: int, name: int) -> None:
        """Takes a trial out."""
        at, end = bisect_left(self._order, (rank, name)), len(self._order)
        del self._order[at]
        self.trials[at : end - 1] = self.trials[at + 1 : end]
