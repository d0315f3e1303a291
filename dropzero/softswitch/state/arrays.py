"""Arrays that the program indexes: registers, which it reads and writes, and counters. Direct counters are in their
tables' rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros


def storage_bytes(width: int) -> int:
    """The bytes of memory for a value of `width` bits: 1, 2, 4, or a multiple of 8."""
    return next((size for size in (1, 2, 4) if width <= 8 * size), (width + 63) // 64 * 8)


class Array:
    """`size` cells. Use them only between calls of Engine.process.

    cells: the memory that the compiled program works on
    """

    def __init__(self, name: str, size: int, cells: NDArray[Any]) -> None:
        self.name = name
        self.size = size
        self.cells = cells

    def __len__(self) -> int:
        return self.size

    def reset(self) -> None:
        """Sets all cells to 0; a meter then has no rates."""
        self.cells[:] = 0

    def checked(self, index: int) -> int:
        """The index. Raises IndexError if there is no such cell."""
        if not 0 <= index < self.size:
            raise IndexError(f"{self.name} has {self.size} cells, so none with index {index}")
        return index


class Counter(Array):
    """Counters of packets and bytes. A packet counts with its length on arrival.

    packets, bytes: (size,) uint64, views of `cells`. Writable.
    """

    def __init__(self, name: str, size: int) -> None:
        super().__init__(name, size, zeros((2, size), np.uint64))
        self.packets: NDArray[np.uint64] = self.cells[0]
        self.bytes: NDArray[np.uint64] = self.cells[1]


class Register(Array):
    """Unsigned cells of `width` bits each: (size, bytes of a cell) uint8, little-endian.

    register[index] gets or sets a cell. Raises IndexError unless 0 <= index < size, and ValueError unless
    0 <= value < 2**width.
    """

    def __init__(self, name: str, width: int, size: int) -> None:
        super().__init__(name, size, zeros((size, storage_bytes(width)), np.uint8))
        self.width = width

    def __getitem__(self, index: int) -> int:
        return int.from_bytes(self.cells[self.checked(index)].tobytes(), "little")

    def __setitem__(self, index: int, value: int) -> None:
        if not 0 <= value < 1 << self.width:
            raise ValueError(f"{value} does not fit the {self.width} bits of {self.name}")
        content = value.to_bytes(self.cells.shape[1], "little")
        self.cells[self.checked(index)] = np.frombuffer(content, dtype=np.uint8)

    def snapshot(self) -> list[int]:
        """The values of all cells."""
        size = self.cells.shape[1]
        content = self.cells.tobytes()
        return [int.from_bytes(content[at : at + size], "little") for at in range(0, len(content), size)]
