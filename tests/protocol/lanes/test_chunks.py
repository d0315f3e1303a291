"""The division of a call's blocks into chunks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.protocol.lanes.chunks import SHORTEST, Chunks, cut_chunks
from dropzero.protocol.tensor.bitmap import set_groups

BITMAPS = st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=100)


def edges_of(cut: Chunks) -> NDArray[np.int64]:
    """The first blocks of contiguous chunks, from the first to the last, and the end of the last one."""
    assert cut.step == 1
    first, end = np.array(sorted(zip(cut.first, cut.end, strict=True))).T
    assert (first[1:] == end[:-1]).all()
    return np.append(first, end[-1:])


@given(st.integers(0, 5000), st.integers(1, 64), st.sampled_from([1, 2, 4, 8]), st.booleans())
def test_every_block_is_in_one_chunk(blocks: int, lanes: int, columns: int, sharded: bool) -> None:
    first, end, step = cut_chunks(blocks, lanes, columns, sharded=sharded)
    assert len(first) % (lanes * columns) == 0
    inside = [block for begin, behind in zip(first, end, strict=True) for block in range(begin, behind, step)]
    assert sorted(inside) == list(range(blocks))


@given(BITMAPS, st.integers(0, 63), st.integers(1, 512), st.sampled_from([1, 8]), st.integers(-3, 5), st.booleans())
@example([0], 0, 8, 1, 0, False)
@example([1 << 63], 0, 8, 1, 3, False)
@example([1 << 63], 0, 8, 1, -3, True)
def test_chunks_hold_equal_shares_of_the_union(
    words: list[int], short: int, lanes: int, columns: int, log2: int, sharded: bool
) -> None:
    """Each block is in one chunk. `short`: groups by which the tensor ends before its bitmap does."""
    words[-1] >>= short
    bitmap = np.array(words, np.uint64)
    groups, held = 64 * len(words) - short, set_groups(bitmap, max(0, log2))
    blocks = -(-groups >> log2) if log2 > 0 else groups << -log2
    cut = cut_chunks(blocks, lanes, columns, max(1, held), bitmap.tobytes(), log2, sharded)
    edges = edges_of(cut)
    assert (np.diff(edges) >= 0).all()
    assert (edges[0], edges[-1]) == (0, blocks)
    bits = np.unpackbits(bitmap.view(np.uint8), bitorder="little")
    before = np.append(0, np.cumsum(bits.reshape(-1, 1 << max(0, log2)).any(axis=1)))
    first, end = (before[each >> max(0, -log2)] for each in cut[:2])
    shares = (end - first).reshape(-1, lanes * columns)
    assert shares.sum() == held
    assert (shares.max(axis=1) - shares.min(axis=1) <= 1).all()
    assert (shares[1:] >= SHORTEST - 1).all()


@given(st.integers(1, 10**6), st.integers(1, 4096))
def test_a_region_has_chunks_of_one_length_and_the_last_ones_are_not_short(blocks: int, columns: int) -> None:
    first, end, step = cut_chunks(columns * -(-blocks // columns), columns, 1)
    lengths = -((first - end) // step).reshape(-1, columns)
    assert (lengths == lengths[:, :1]).all()
    of_regions = lengths[:, 0].tolist()
    assert all(after <= before for before, after in pairwise(of_regions))
    assert of_regions[0] >= sum(of_regions[1:])
    assert all(length >= SHORTEST for length in of_regions[1:])


def test_without_a_union_neighbouring_blocks_are_in_different_chunks() -> None:
    """A cluster of non-zero blocks is spread over the columns."""
    first, end, step = cut_chunks(1000, 100, 1)
    assert all(np.count_nonzero((block - first) % step == 0) == 1 for block in range(100))
    assert (end - first > 0).all()


@given(st.integers(2, 8), st.integers(16, 64), st.sampled_from([1, 8]), st.integers(2, 100))
def test_chunks_that_are_under_way_together_are_from_all_shards(
    shards: int, lanes: int, columns: int, rows: int
) -> None:
    """Each shard has its share of them, to within those of two lanes. So all workers send or receive all the time."""
    blocks = rows * lanes * columns
    first, end, step = cut_chunks(blocks, lanes, columns, sharded=True)
    assert step == 1
    edges = np.linspace(0, blocks, shards + 1)
    cut = np.clip(np.stack([first, end])[..., np.newaxis], edges[:-1], edges[1:])
    of_lanes = (cut[1] - cut[0]).reshape(-1, columns, shards).sum(axis=1)
    for begin in range(len(of_lanes) - 15):
        together = of_lanes[begin : begin + 16]
        off = together.sum(axis=0) - together.sum() / shards
        assert np.abs(off).max() <= 2 * together.sum(axis=1).max()
