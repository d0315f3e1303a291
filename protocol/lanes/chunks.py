"""How a call's blocks are divided: into chunks, which columns start with or are assigned later.

The tensor is cut into regions, and each region into as many chunks as there are columns. Where the spread of the
non-zero blocks is known, a chunk is a contiguous part of the tensor that is expected to hold as many of them as the
others of its region; elsewhere it is every n-th block of the region, because non-zero blocks cluster. The first region
is most of the tensor; each one after it is half of what is left (guided self-scheduling, [GSS]). So a column that is
done early takes work over from others, and a chunk near the end is too short to hold anybody up. Each chunk costs a
round without data: so none is very short, and tensors of few blocks are not cut into regions.

Lanes beyond the lowest may not stay in the window (window.py), and a chunk that waited there for its turn would hold
everybody up at the end. So they start with none.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.window import ENOUGH
from dropzero.protocol.native.compilation import compiled

RESERVED = 4
"""A fourth of the blocks is left for chunks that are assigned later."""
SHORTEST = 16
"""Blocks expected in a chunk that is assigned later, at least."""

WORTH_A_LANE = 10
"""Blocks in each column of a lane beyond the lowest, at least: every lane costs a packet without data."""

_UNIT = 20
"""Shares of what is expected are fixed-point numbers with 20 bits behind the point."""


def occupied(blocks: int, columns: int, lanes: int, expected: int = 0) -> int:
    """How many of a job's lanes a call takes, with `columns` blocks a packet. expected: see Call."""
    return min(lanes, -(-blocks // columns), max(int(ENOUGH), (expected or blocks) // (columns * WORTH_A_LANE)))


class Chunks(NamedTuple):
    """Chunk c is every `step`-th block from first[c] on and before end[c]; both of shape (chunks,)."""

    first: NDArray[np.int64]
    end: NDArray[np.int64]
    step: int


@lru_cache(maxsize=64)
def cut_chunks(blocks: int, columns: int, expected: int = 0, spread: bytes = b"") -> Chunks:
    """Cuts a tensor into chunks, region by region.

    Args:
        blocks: of the tensor.
        columns: of all lanes together.
        expected, spread: see dropzero.protocol.lanes.call.Call.
    """
    if not columns:
        return Chunks(np.zeros(0, np.int64), np.zeros(0, np.int64), 1)
    # Expected blocks in each column.
    rows = -(-(expected if spread else blocks) // columns)
    left = rows // RESERVED
    if left < SHORTEST:
        left = 0
    lengths = [rows - left]
    while left:
        lengths.append(max(-(-left // 2), SHORTEST) if left >= 2 * SHORTEST else left)
        left -= lengths[-1]
    if not spread:
        ends = np.cumsum(lengths) * columns
        first = (np.append(0, ends[:-1])[:, np.newaxis] + np.arange(columns)).reshape(-1)
        return Chunks(first, np.minimum(np.repeat(ends, columns), blocks), columns)
    edges = np.empty(len(lengths) * columns + 1, np.int64)
    _find_edges(blocks, columns, np.array(lengths), np.frombuffer(spread, np.uint16), edges)
    return Chunks(edges[:-1], edges[1:], 1)


@compiled
def _find_edges(
    blocks: int, columns: int, lengths: NDArray[np.int64], spread: NDArray[np.uint16], edges: NDArray[np.int64]
) -> None:
    """Finds the blocks at which chunks begin, and the end of the last.

    A chunk of region r gets the share lengths[r] / sum(lengths) / columns of what `spread` counts. Whole numbers only,
    so that all workers find the same.
    """
    size = section_length(blocks, len(spread))
    rows, total = 0, 0
    for length in lengths:
        rows += length * columns
    for count in spread:
        total += int(count)
    # Rows of the chunks before, and counts of the sections before.
    before = at = section = passed = 0
    for length in lengths:
        for _ in range(columns):
            wanted = (before << _UNIT) // rows * total
            while section + 1 < len(spread) and passed + int(spread[section]) << _UNIT <= wanted:
                passed += int(spread[section])
                section += 1
            start = min(section * size, blocks)
            inside = (wanted - (passed << _UNIT)) * (min(start + size, blocks) - start)
            edges[at] = start + inside // max(int(spread[section]) << _UNIT, 1)
            before += length
            at += 1
    edges[0], edges[at] = 0, blocks


@compiled
def section_length(blocks: int, sections: int) -> int:
    """Blocks in each section of a tensor; the last ones may have fewer."""
    return -(-blocks // sections)


def initial_chunks(count: int, lanes: int, columns: int) -> int:
    """How many of `count` chunks are not assigned later, but each the first of a column; lanes have `columns` each."""
    stride = lanes * columns
    return stride if count <= stride else min(stride, int(ENOUGH) * columns)
