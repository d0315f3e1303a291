"""A counter array, indexed by the program. Direct counters are in their tables' entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Counter:
    """`size` pairs of packets and bytes. A packet counts with the length it had when it came in.

    packets, bytes: (size,) uint64, views of the memory that the compiled program adds to; they may be written too.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.cells: NDArray[np.uint64] = np.zeros((2, size), dtype=np.uint64)
        self.packets: NDArray[np.uint64] = self.cells[0]
        self.bytes: NDArray[np.uint64] = self.cells[1]

    def __len__(self) -> int:
        return self.size

    def reset(self) -> None:
        """Sets all counts to 0."""
        self.cells[:] = 0
