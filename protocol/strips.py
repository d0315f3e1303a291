"""How a call's blocks are shared out: in strips, that columns have to begin with or are dealt later.

The tensor is cut into regions, and each region into `stride` strips, as many as there are columns: strip s is every
stride-th block of region s div stride, from its block number s mod stride on. The first region is most of the tensor;
those after it are half of what is left each (guided self-scheduling, Polychronopoulos and Kuck, 1987). So a column that
is done early takes work over from others, and a strip near the end is too short to hold anybody up. Each strip costs a
round without data: none is very short, and small tensors are not dealt at all.

Lanes beyond the lowest ones may not be in the window (window.py) for long, and a strip that waited there for its turn
would hold everybody up at the end. So they have none to begin with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from protocol.window import ENOUGH

DEALT_SHARE = 4
"""A fourth of the blocks is left to be dealt."""
SHORTEST = 16
"""Blocks in a strip that is dealt, at least (save where the tensor ends)."""

WORTH_A_LANE = 8
"""Blocks in each of a lane's columns, at least, beyond the lowest lanes: every lane costs a packet without data."""


def occupied(blocks: int, columns: int, lanes: int, expected: int = 0) -> int:
    """How many of a job's lanes a call takes, of `columns` blocks a packet each. expected: see Call."""
    return min(lanes, -(-blocks // columns), max(int(ENOUGH), (expected or blocks) // (columns * WORTH_A_LANE)))


def regions(blocks: int, stride: int, expected: int = 0) -> NDArray[np.int64]:
    """The first block of each region, and behind the last one the first there would be, shape (regions + 1,)."""
    rows = -(-blocks // stride) if stride else 0
    left = rows // DEALT_SHARE
    # One that is dealt should not be empty.
    shortest = max(SHORTEST, blocks // (expected or blocks or 1))
    if left < shortest:
        left = 0
    bounds = [0, rows - left]
    while left:
        length = max(-(-left // 2), shortest) if left >= 2 * shortest else left
        bounds.append(bounds[-1] + length)
        left -= length
    return np.array(bounds, np.int64) * stride


def given(regions: NDArray[np.int64], stride: int, columns: int) -> int:
    """How many columns have a strip to begin with, of `stride`, of which a lane has `columns`."""
    return stride if len(regions) == 2 else min(stride, int(ENOUGH) * columns)
