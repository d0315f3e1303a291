"""Counter arrays, which the program indexes. Direct counters are in their tables' rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.softswitch.state.memory import zeros


class Counter:
    """`size` counters of packets and bytes. A packet counts with its length on arrival.

    packets, bytes: (size,) uint64, views of the memory in which the compiled program counts. Writable.
    """

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.cells: NDArray[np.uint64] = zeros((2, size), np.uint64)
        self.packets: NDArray[np.uint64] = self.cells[0]
        self.bytes: NDArray[np.uint64] = self.cells[1]

    def __len__(self) -> int:
        return self.size

    def reset(self) -> None:
        """Sets all counts to 0."""
        self.cells[:] = 0
