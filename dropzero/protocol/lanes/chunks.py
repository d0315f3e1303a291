"""Divides a call's blocks into chunks. A column starts with one chunk, and may be assigned more later.

The tensor is cut into regions, and each region into as many chunks as there are columns. If the spread of the non-zero
blocks is known, a chunk is a contiguous part of the tensor, and all chunks of a region are expected to hold the same
number of them. Otherwise a chunk is every n-th block of the region, because non-zero blocks cluster.

The first region is most of the tensor; each further one is half of the rest (guided self-scheduling, [GSS]). So a
column that finishes early takes over work from others, and chunks near the end are too short to delay the call. Each
chunk costs a round without data, so none is very short, and tensors of few blocks are not cut into regions.

Only the lowest lanes are certain to stay in the window (window.py). A chunk on another lane might wait there and delay
the end of the call, so the other lanes start without chunks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.protocol.lanes.window import MIN_LANES

RESERVED = 4
"""One in RESERVED blocks is kept for chunks to be assigned later."""
SHORTEST = 16
"""Fewest expected blocks in a chunk that is assigned later."""

WORTH_A_LANE = 10
"""Fewest expected blocks in each column that make another lane worthwhile: every lane costs a packet without data, and
the more columns there are, the less equal are their shares of the non-zero blocks."""
DENSE_COLUMNS = 2
"""Most columns of the packets of a tensor without zero blocks; packets without data are short then."""
DENSE_WORTH = 2
"""As WORTH_A_LANE, for such tensors. If each column gets a single block, they use at least half of the lanes: a job has
enough of them to fill two round trips."""

_UNIT = 20
"""Fractional bits of the fixed-point numbers that hold shares of the expected blocks."""


def occupied(blocks: int, columns: int, lanes: int, expected: int = 0, early: bool = False) -> int:
    """How many of a job's `lanes` a call of `blocks` blocks uses, with `columns` blocks in each packet.

    Args:
        expected: see dropzero.protocol.lanes.call.Call.
        early: lanes begin with data (see dropzero.protocol.lanes.work.Plan), so that each block can have its own.
    """
    worth = max(int(MIN_LANES), (expected or blocks) // (columns * WORTH_A_LANE))
    if early:
        worth = lanes
    elif not expected and columns <= DENSE_COLUMNS:
        worth = max(worth, lanes // 2, blocks // (columns * DENSE_WORTH))
    return min(lanes, -(-blocks // columns), worth)


def is_short(blocks: int, columns: int, lanes: int) -> bool:
    """Whether each block of a call can have a column of its own, on lanes that are certain to stay in the window."""
    return blocks <= columns * min(int(MIN_LANES), lanes)


class Chunks(NamedTuple):
    """Chunk c is every `step`-th block from first[c] on and before end[c], both of shape (chunks,)."""

    first: NDArray[np.int64]
    end: NDArray[np.int64]
    step: int


@lru_cache(maxsize=64)
def cut_chunks(
    blocks: int, columns: int, expected: int = 0, spread: bytes = b"", smallest: int = 0, ratio: int = 1
) -> Chunks:
    """Cuts a tensor into chunks, region by region.

    Args:
        blocks: blocks of the tensor.
        columns: columns of all lanes together.
        expected, spread: see dropzero.protocol.lanes.call.Call.
        smallest: blocks of the smallest size, whose sections `spread` describes; 0: as many as `blocks`.
        ratio: how many of these form a block.
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
    _find_edges(smallest or blocks, columns, np.array(lengths), np.frombuffer(spread, np.uint16), edges)
    edges //= ratio
    edges[-1] = blocks
    return Chunks(edges[:-1], edges[1:], 1)


@compiled
def _find_edges(
    blocks: int, columns: int, lengths: NDArray[np.int64], spread: NDArray[np.uint16], edges: NDArray[np.int64]
) -> None:
    """Finds the blocks of the smallest size at which chunks begin, and the end of the last chunk.

    A chunk of region r gets the share lengths[r] / sum(lengths) / columns of the counts in `spread`. All arithmetic is
    on integers, so that all workers find the same edges.
    """
    size = section_length(blocks, len(spread))
    rows, total = 0, 0
    for length in lengths:
        rows += length * columns
    for count in spread:
        total += int(count)
    # Rows of earlier chunks, and counts of earlier sections.
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
    """How many of `count` chunks columns start with; the others are assigned later. Each of `lanes` lanes has `columns`
    columns."""
    stride = lanes * columns
    return stride if count <= stride else min(stride, int(MIN_LANES) * columns)
