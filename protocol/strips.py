"""How a call's blocks are shared out: in strips, of which each column has one to begin with and is dealt others later.

The tensor is cut into regions, and each region into `stride` strips, as many as there are columns: strip s is every
stride-th block of region s div stride, from its block number s mod stride on. The first region is most of the tensor;
those after it are half of what is left each (guided self-scheduling, Polychronopoulos and Kuck, 1987). So a column that
is done early takes work over from others, and a strip near the end is too short to hold anybody up. Each strip costs a
round without data: none is very short, and small tensors are not dealt at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

DEALT_SHARE = 4
"""A fourth of the blocks is left to be dealt."""
SHORTEST = 16
"""Blocks in a strip that is dealt, at least (save where the tensor ends)."""


def regions(blocks: int, stride: int) -> NDArray[np.int64]:
    """The first block of each region, and behind the last one the first there would be, shape (regions + 1,)."""
    rows = -(-blocks // stride) if stride else 0
    left = rows // DEALT_SHARE
    if left < SHORTEST:
        left = 0
    bounds = [0, rows - left]
    while left:
        length = max(-(-left // 2), SHORTEST) if left >= 2 * SHORTEST else left
        bounds.append(bounds[-1] + length)
        left -= length
    return np.array(bounds, np.int64) * stride
