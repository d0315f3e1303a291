"""Lookup of rows with masks by tuple space search [TSS].

One hash lookup finds the rows of a mask. While a mask has few rows, each is compared with the packet instead, which is
faster. A trial is one such lookup or comparison. Trials are sorted by the best rank that they can find, so a search
ends when no later trial can be better ([OVS], section 5.2). The worst case is a packet that matches nothing: it needs
all trials. A range is hashed by the bits in which all its values are equal; rows with the same bits are compared one by
one.
"""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros
from dropzero.softswitch.state.tables.row_index import RowIndex
from dropzero.softswitch.state.tables.rows import RANK_WORDS, RowLayout, get, put

FEW = 16
"""Comparisons that take about as long as a hash lookup. A mask with more rows is hashed until it has none."""
NUMBER, ONLY, BEST, MASK = 0, 1, 2, 2 + RANK_WORDS
"""Words of a trial: NUMBER and ONLY are a mask's number and 0 for a hash lookup, 0 and a row + 1 for a comparison. Then
come the best rank, the mask, and the row's value."""


def trial_words(layout: RowLayout) -> int:
    return MASK + 2 * layout.key_words


class TupleSpace:
    """Finds the rows of a table by mask and value. The row with the lowest rank that matches is the best."""

    def __init__(self, rows: NDArray[np.uint64], layout: RowLayout) -> None:
        """rows: (size, layout.words)."""
        self.index = RowIndex(rows, layout.identity, layout.low)
        """The first row of each chain."""
        self.trials: NDArray[np.uint64] = zeros((len(rows), trial_words(layout)), np.uint64)
        """(size, words): the trials in order. The compiled program reads the same memory."""
        self._rows = rows
        self._layout = layout
        self._few: dict[int, list[int]] = {}
        """The rows of each mask that is not hashed."""
        self._ranks: dict[int, list[int]] = {}
        """The ranks of the rows of each hashed mask."""
        self._numbers: dict[int, int] = {}
        """The number of each hashed mask."""
        self._free: list[int] = []
        self._order: list[tuple[int, int]] = []
        """(rank, name) of each trial. The name is a mask's number, or -1 - row."""

    def __len__(self) -> int:
        """The number of trials."""
        return len(self._order)

    def add(self, row: int, mask: int, rank: int) -> None:
        """Adds a row, which must already hold its value and the bounds of ranges."""
        put(self._rows[row], self._layout.rank, RANK_WORDS, rank)
        if mask in self._numbers:
            self._chain(row, mask)
            return
        few = self._few.setdefault(mask, [])
        if len(few) < FEW:
            few.append(row)
            self._add_trial(rank, -1 - row, mask)
            return
        del self._few[mask]
        self._numbers[mask] = self._free.pop() if self._free else len(self._numbers)
        self._ranks[mask] = []
        for each in few:
            self._remove_trial(self._rank(each), -1 - each)
        for each in (*few, row):
            self._chain(each, mask)

    def remove(self, row: int, mask: int) -> None:
        """Removes a row that was added with this mask."""
        if mask in self._numbers:
            self._unchain(row, mask)
            return
        self._remove_trial(self._rank(row), -1 - row)
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
        """Adds a row to the chain of its value."""
        rank, number, ranks = self._rank(row), self._numbers[mask], self._ranks[mask]
        if not ranks or rank < ranks[0]:
            if ranks:
                self._remove_trial(ranks[0], number)
            self._add_trial(rank, number, mask)
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
            self._remove_trial(rank, number)
            if ranks:
                self._add_trial(ranks[0], number, mask)
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

    def _add_trial(self, rank: int, name: int, mask: int) -> None:
        """Inserts a trial in order. name: see `_order`."""
        at, end, layout = bisect_left(self._order, (rank, name)), len(self._order), self._layout
        self._order.insert(at, (rank, name))
        self.trials[at + 1 : end + 1] = self.trials[at:end]
        trial = self.trials[at]
        trial[NUMBER], trial[ONLY] = max(0, name), max(0, -name)
        put(trial, BEST, RANK_WORDS, rank)
        put(trial, MASK, layout.key_words, mask)
        trial[MASK + layout.key_words :] = self._rows[-1 - name, layout.value : layout.low] if name < 0 else 0

    def _remove_trial(self, rank: int, name: int) -> None:
        at, end = bisect_left(self._order, (rank, name)), len(self._order)
        del self._order[at]
        self.trials[at : end - 1] = self.trials[at + 1 : end]
