"""The division of a call's blocks into chunks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.protocol.lanes.chunks import SHORTEST, Chunks, cut_chunks, section_length

SPREADS = st.lists(st.integers(0, 5000), min_size=1, max_size=300)


def packed(spread: list[int]) -> bytes:
    return np.array(spread, np.uint16).tobytes()


def edges_of(cut: Chunks) -> NDArray[np.int64]:
    """The first blocks of contiguous chunks, and the end of the last one."""
    assert cut.step == 1
    assert (cut.first[1:] == cut.end[:-1]).all()
    return np.append(cut.first, cut.end[-1:])


@given(st.integers(0, 2000), st.integers(1, 100))
def test_every_block_is_in_one_chunk(blocks: int, columns: int) -> None:
    first, end, step = cut_chunks(blocks, columns)
    assert len(first) % columns == 0
    inside = [block for begin, behind in zip(first, end, strict=True) for block in range(begin, behind, step)]
    assert sorted(inside) == list(range(blocks))


@given(st.integers(1, 10**6), st.integers(1, 4096), st.integers(1, 10**7), SPREADS)
@example(100, 8, 1, [0])
@example(100, 8, 10**7, [0, 0, 1, 0])
def test_any_spread_puts_each_block_in_one_chunk(blocks: int, columns: int, expected: int, spread: list[int]) -> None:
    edges = edges_of(cut_chunks(blocks, columns, expected, packed(spread)))
    assert (np.diff(edges) >= 0).all()
    assert (edges[0], edges[-1]) == (0, blocks)
    assert (len(edges) - 1) % columns == 0


@given(st.integers(1, 10**6), st.integers(1, 4096))
def test_a_region_has_chunks_of_one_length_and_the_last_ones_are_not_short(blocks: int, columns: int) -> None:
    first, end, step = cut_chunks(columns * -(-blocks // columns), columns)
    lengths = -((first - end) // step).reshape(-1, columns)
    assert (lengths == lengths[:, :1]).all()
    of_regions = lengths[:, 0].tolist()
    assert all(after <= before for before, after in pairwise(of_regions))
    assert of_regions[0] >= sum(of_regions[1:])
    assert all(length >= SHORTEST for length in of_regions[1:])


def test_without_a_spread_neighbouring_blocks_are_in_different_chunks() -> None:
    """A cluster of non-zero blocks is spread over the columns."""
    first, end, step = cut_chunks(1000, 100)
    assert all(np.count_nonzero((block - first) % step == 0) == 1 for block in range(100))
    assert (end - first > 0).all()


@given(st.integers(1, 10**6), st.integers(1, 512), SPREADS.filter(any))
@example(5, 2, [1, 1, 0, 2])
def test_chunks_hold_equal_shares_of_the_expected_blocks(blocks: int, columns: int, spread: list[int]) -> None:
    starts = np.minimum(np.arange(len(spread) + 1) * section_length(blocks, len(spread)), blocks)
    # Sections beyond the end of the tensor have no blocks, and so no counts.
    spread = [count if start < end else 0 for count, (start, end) in zip(spread, pairwise(starts), strict=True)]
    edges = edges_of(cut_chunks(blocks, columns, columns, packed(spread)))
    before = np.append(0, np.cumsum(spread))
    if before[-1]:
        held = np.diff(np.interp(edges, *_rising(starts, before)))
        of_a_block = max(
            count / max(1, end - start) for count, (start, end) in zip(spread, pairwise(starts), strict=True)
        )
        assert np.abs(held - before[-1] / columns).max() <= of_a_block + before[-1] / 2**18


def _rising(places: NDArray[np.int64], values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Removes duplicate places."""
    kept = np.append(np.diff(places) > 0, True)
    return places[kept], values[kept]


def test_chunks_are_short_where_blocks_are_dense() -> None:
    edges = edges_of(cut_chunks(1000, 10, 100, packed([80, 0, 0, 20])))
    assert (np.diff(edges)[:8] <= 32).all()
    assert edges[8] in range(750)


@given(st.integers(1, 20_000), st.sampled_from([1, 2, 4, 8]), st.integers(1, 64))
def test_sections_of_the_smallest_blocks_divide_larger_blocks_evenly(smallest: int, ratio: int, columns: int) -> None:
    """Sections hold whole blocks of the smallest size, but parts of larger ones."""
    blocks = -(-smallest // ratio)
    counts = np.bincount(np.arange(smallest) // section_length(smallest, 504), minlength=504)
    edges = edges_of(cut_chunks(blocks, columns, columns, packed(counts.tolist()), smallest, ratio))
    lengths = np.diff(edges)
    assert lengths.sum() == blocks
    assert np.abs(lengths - blocks / columns).max() < 2
