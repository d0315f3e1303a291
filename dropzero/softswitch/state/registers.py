"""Register arrays, which the program reads and writes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros


def storage_bytes(width: int) -> int:
    """The bytes of memory for a value of `width` bits: 1, 2, 4, or a multiple of 8."""
    return next((size for size in (1, 2, 4) if width <= 8 * size), (width + 63) // 64 * 8)


class Register:
    """`size` unsigned cells of `width` bits each. The compiled program works on the same memory.

    register[index] gets or sets a cell. Raises IndexError unless 0 <= index < size, and ValueError unless
    0 <= value < 2**width. Use it only between calls of Engine.process.
    """

    def __init__(self, name: str, width: int, size: int) -> None:
        self.name = name
        self.width = width
        self.size = size
        self.cells: NDArray[np.uint8] = zeros((size, storage_bytes(width)), np.uint8)
        """(size, bytes of a cell), little-endian."""

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> int:
        return int.from_bytes(self.cells[self._checked(index)].tobytes(), "little")

    def __setitem__(self, index: int, value: int) -> None:
        if not 0 <= value < 1 << self.width:
            raise ValueError(f"{value} does not fit the {self.width} bits of {self.name}")
        content = value.to_bytes(self.cells.shape[1], "little")
        self.cells[self._checked(index)] = np.frombuffer(content, dtype=np.uint8)

    def snapshot(self) -> list[int]:
        """The values of all cells."""
        size = self.cells.shape[1]
        content = self.cells.tobytes()
        return [int.from_bytes(content[at : at + size], "little") for at in range(0, len(content), size)]

    def reset(self) -> None:
        """Sets all cells to 0."""
        self.cells[:] = 0

    def _checked(self, index: int) -> int:
        if not 0 <= index < self.size:
            raise IndexError(f"{self.name} has {self.size} cells, so none with index {index}")
        return index
