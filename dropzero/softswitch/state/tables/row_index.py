"""A hash index of rows, with open addressing and linear probing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros
from dropzero.softswitch.state.tables.rows import WORD

MULTIPLIER = 0x9E3779B97F4A7C15


def index_slots(size: int) -> int:
    """The number of slots of an index for `size` rows: a power of two, at least 2 * size."""
    return 1 << max(3, (2 * size - 1).bit_length())


class RowIndex:
    """Finds rows by identity."""

    def __init__(self, rows: NDArray[np.uint64], first: int, end: int) -> None:
        """rows: (size, words). first, end: a row's words rows[row, first:end] are its identity."""
        self.slots: NDArray[np.int32] = zeros((index_slots(len(rows)),), np.int32)
        """(slots,): a row + 1; 0: free. The compiled program reads the same memory."""
        self._last = len(self.slots) - 1
        # A memoryview reads and writes single words much faster than an array.
        self._slots = self.slots.data
        self._words = rows.reshape(-1).data
        self._stride = rows.shape[1]
        self._first = first
        self._end = end

    def find(self, row: int) -> int | None:
        """The indexed row with the identity of `row`, or None."""
        found = self._slots[self._slot(row)]
        return found - 1 if found else None

    def put(self, row: int) -> None:
        """Inserts a row, or replaces the one with the same identity."""
        self._slots[self._slot(row)] = row + 1

    def remove(self, row: int) -> None:
        """Removes a row."""
        gap = slot = self._slot(row)
        # Moves each following row into the gap, unless that would put it before its home slot.
        while True:
            self._slots[gap] = 0
            while True:
                slot = (slot + 1) & self._last
                if not self._slots[slot]:
                    return
                if (slot - self._home(self._slots[slot] - 1)) & self._last >= (slot - gap) & self._last:
                    break
            self._slots[gap] = self._slots[slot]
            gap = slot

    def clear(self) -> None:
        self.slots[:] = 0

    def _slot(self, row: int) -> int:
        """The slot of the row with the same identity, or else the free slot for it."""
        identity = self._identity(row)
        slot = self._home(row)
        while self._slots[slot] and self._identity(self._slots[slot] - 1) != identity:
            slot = (slot + 1) & self._last
        return slot

    def _identity(self, row: int) -> memoryview:
        return self._words[row * self._stride + self._first : row * self._stride + self._end]

    def _home(self, row: int) -> int:
        mixed = 0
        for word in self._identity(row):
            mixed = (mixed ^ word) * MULTIPLIER & WORD
            mixed ^= mixed >> 32
        return mixed & self._last
