"""Divides a call's blocks into chunks. A column starts with one chunk, and may be assigned more later.

The tensor is cut into regions, and each region into as many chunks as there are columns. If the union of all workers'
non-zero blocks is known, a chunk is a contiguous part of the tensor, and all chunks of a region hold the same number of
them, to within one. Otherwise a chunk is every n-th block of the region, because non-zero blocks cluster.

If each worker contributes or needs only a shard, all shards should be under way at all times: otherwise one worker
would send while the links of the others wait. So each column has a contiguous part of the tensor, with chunks of all
regions, and the parts of any few neighbouring lanes are spread over the tensor.

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
from dropzero.native.intrinsics import lowest_bit, popcount
from dropzero.protocol.lanes.window import MIN_LANES, round_trip
from dropzero.protocol.tensor.bitmap import BITS, ONE, Bitmap, groups, set_groups
from dropzero.protocol.tensor.simd import GRANULE
from dropzero.protocol.wire import PACKET_ELEMENTS

RESERVED = 4
"""One in RESERVED blocks is kept for chunks to be assigned later."""
SHORTEST = 16
"""Fewest blocks in a chunk that is assigned later."""

WORTH_A_LANE = 2
"""Fewest blocks in each column that make another lane worthwhile: every lane costs a packet without data. If each
column gets a single block, at least half of the lanes are used: a job has enough of them to fill two round trips."""


def most_groups(lanes: int) -> int:
    """The bits that the union of a long array may take in a job of `lanes` lanes: a round trip of packets."""
    return round_trip(lanes) * 32 * PACKET_ELEMENTS


def log2_group(length: int, bits: int) -> int:
    """log2 of the granules that share a bit in a union of at most `bits` bits, for arrays of `length` elements."""
    return (max(0, -(-length // GRANULE) - 1) // bits).bit_length()


def occupied(blocks: int, columns: int, lanes: int, early: bool = False) -> int:
    """How many of a job's `lanes` a call uses.

    Args:
        blocks: blocks that some worker may send.
        columns: blocks in each packet.
        early: lanes begin with data (see dropzero.protocol.lanes.work.Plan), so that each block can have its own.
    """
    worth = lanes if early else max(round_trip(lanes), blocks // (columns * WORTH_A_LANE))
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
    blocks: int,
    lanes: int,
    columns_of_lane: int,
    expected: int = 0,
    union: bytes = b"",
    log2: int = 0,
    sharded: bool = False,
) -> Chunks:
    """Cuts a tensor into chunks, region by region.

    Args:
        blocks: blocks of the tensor.
        lanes, columns_of_lane: their number.
        expected, union: see dropzero.protocol.lanes.call.Call.
        log2: of the groups in a block.
        sharded: see dropzero.protocol.lanes.call.Signature.
    """
    columns = lanes * columns_of_lane
    if not columns:
        return Chunks(np.zeros(0, np.int64), np.zeros(0, np.int64), 1)
    expected = expected if union else blocks
    # Blocks in each column.
    rows = -(-expected // columns)
    left = rows // RESERVED
    if left < SHORTEST:
        left = 0
    lengths = [rows - left]
    while left:
        lengths.append(max(-(-left // 2), SHORTEST) if left >= 2 * SHORTEST else left)
        left -= lengths[-1]
    if not union and not sharded:
        ends = np.cumsum(lengths) * columns
        first = (np.append(0, ends[:-1])[:, np.newaxis] + np.arange(columns)).reshape(-1)
        return Chunks(first, np.minimum(np.repeat(ends, columns), blocks), columns)
    # The last columns have one block fewer, so that few packets are not full.
    counts = np.repeat(lengths, columns)
    counts[columns - (rows * columns - expected) : columns] -= 1
    # The chunks as they follow each other in the tensor.
    order = np.arange(len(counts))
    if sharded:
        order = order.reshape(-1, lanes, columns_of_lane)[:, spread(lanes)].transpose(1, 2, 0).reshape(-1)
    # The blocks before each chunk.
    edges = np.append(0, np.cumsum(counts[order]))
    if union:
        edges = _edges(np.frombuffer(union, np.uint64).copy(), log2, edges, blocks)
    first, end = np.empty((2, len(counts)), np.int64)
    first[order], end[order] = edges[:-1], edges[1:]
    return Chunks(first, end, 1)


def spread(count: int) -> NDArray[np.int64]:
    """An order of the numbers below `count` in which any few neighbouring numbers have places all over: that of their
    bits from the lowest to the highest, as in van der Corput's sequence."""
    numbers = np.arange(count)
    mirrored = np.zeros(count, np.int64)
    for bit in range(count.bit_length()):
        mirrored = mirrored << 1 | numbers >> bit & 1
    return np.argsort(mirrored)


def _edges(union: Bitmap, log2: int, before: NDArray[np.int64], blocks: int) -> NDArray[np.int64]:
    """The blocks at which chunks begin, and the end. before: the blocks of the union before each chunk, and all."""
    # If blocks are smaller than groups, the groups of the union.
    before = before * set_groups(union, max(0, log2)) // before[-1]
    edges = np.full(len(before), blocks)
    _find_edges(union, max(0, log2), before, edges)
    if log2 < 0:
        edges = np.minimum(edges << -log2, blocks)
    edges[0] = 0
    return edges


@compiled
def _find_edges(union: Bitmap, log2: int, before: NDArray[np.int64], edges: NDArray[np.int64]) -> None:
    """Finds the blocks at which chunks begin. Chunk c begins at the block of the union that before[c] others precede;
    the edges of those that begin at its end stay as they are."""
    at = passed = 0
    for word in range(len(union)):
        left = groups(union[word], log2)
        count = int(popcount(left))
        while at < len(before) and before[at] < passed + count:
            while passed < before[at]:
                left &= left - ONE
                passed += 1
                count -= 1
            edges[at] = BITS * word + int(lowest_bit(left)) >> log2
            at += 1
        passed += count


def initial_chunks(count: int, lanes: int, columns: int) -> int:
    """How many of `count` chunks columns start with; the others are assigned later. Each of `lanes` lanes has `columns`
    columns."""
    stride = lanes * columns
    return stride if count <= stride else min(stride, int(MIN_LANES) * columns)
