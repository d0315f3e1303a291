"""Value sets: the control plane fills them, and parser states compare with their values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class ValueSet:
    """At most `size` values of `width` bits. A struct's value is the concatenation of its fields, the first one
    highest.

    Change it only between calls of Engine.process.
    """

    def __init__(self, name: str, width: int, size: int) -> None:
        self.name = name
        self.width = width
        self.size = size
        self.values: dict[int, None] = {}
        """The values, in the order of insertion."""
        self.cells: NDArray[np.uint64] = np.zeros((size, (width + 63) // 64), dtype=np.uint64)
        """(size, words of a value), the lowest word first. The first len(self) rows are valid."""

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, value: int) -> bool:
        return value in self.values

    def insert(self, value: int) -> None:
        """Adds a value, unless the set has it. Raises ValueError if it is too wide, or the set is full."""
        if not 0 <= value < 1 << self.width:
            raise ValueError(f"{value} does not fit the {self.width} bits of {self.name}")
        if value not in self.values:
            if len(self.values) == self.size:
                raise ValueError(f"{self.name} has room for {self.size} values only")
            self.values[value] = None
            self._write()

    def delete(self, value: int) -> None:
        """Removes a value. Raises KeyError if the set does not have it."""
        del self.values[value]
        self._write()

    def clear(self) -> None:
        """Removes all values."""
        self.values.clear()

    def _write(self) -> None:
        for at, value in enumerate(self.values):
            self.cells[at] = [value >> 64 * word & (1 << 64) - 1 for word in range(self.cells.shape[1])]
