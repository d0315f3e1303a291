"""The choice of a block size."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.chunks import section_length
from dropzero.protocol.tensor.arrays import Source
from dropzero.protocol.wire import (
    BLOCK_WORDS,
    MAX_WORKERS,
    OUTER_BYTES,
    PACKET_ELEMENTS,
    Width,
    block_sizes,
    payload_bytes,
)
from dropzero.worker.blocks import SECTIONS, chosen, cost, count

WORKERS = 4


def held(array: NDArray[Any], width: Width = Width.BITS_32, workers: int = WORKERS) -> NDArray[np.int32]:
    """The counts of non-zero blocks of one worker in a job of that size."""
    counts = np.full(PACKET_ELEMENTS, -1, np.int32)
    count(Source.of(array), width, workers, counts)
    return counts


def choice(array: NDArray[Any]) -> Call:
    """The choice of workers that all have this array."""
    return chosen(Call.of(array, block=0), held(array) * np.int32(WORKERS), WORKERS)


@pytest.mark.parametrize("length", [25_600, 1 << 24])
def test_dense_arrays_are_cheapest_in_large_blocks(length: int) -> None:
    assert choice(np.ones(length, np.float32)).signature.block == 256


def test_without_zero_blocks_there_is_nothing_to_estimate() -> None:
    """So all chunks have one length, which does not depend on the sections of the counts."""
    call = choice(np.ones(25_600, np.float32))
    assert (call.expected, call.spread) == (0, b"")


def test_no_more_blocks_are_expected_than_there_are() -> None:
    array = np.ones(25_600, np.float32)
    array[:256] = 0
    call = choice(array)
    assert call.spread
    assert call.expected == call.signature.blocks


def test_scattered_elements_are_cheapest_in_small_ones() -> None:
    array = np.zeros(100_000, np.float32)
    array[::1000] = 1
    assert choice(array).signature.block == 32


def test_the_expected_union_lies_between_its_bounds() -> None:
    array = np.zeros(100_000, np.float32)
    array[::1000] = 1
    assert 100 < choice(array).expected < 100 * WORKERS


@pytest.mark.parametrize("width", Width)
def test_an_array_of_zeros_has_no_blocks(width: Width) -> None:
    assert not held(np.zeros(1000, np.float32), width).any()


def test_narrow_elements_come_in_larger_blocks() -> None:
    assert block_sizes(Width.BITS_8) == (128, 256, 512, 1024)


@given(st.lists(st.integers(0, 20_000)), st.sampled_from(Width), st.sampled_from([np.float32, np.int32]))
def test_non_zero_blocks_are_counted(indices: list[int], width: Width, kind: type) -> None:
    array: NDArray[Any] = np.zeros(20_001, kind)
    array[indices] = -1
    negative = [(each + 1) % len(array) for each in indices if each % 3 == 0]
    array[[each for each in negative if each not in indices]] = -0.0
    counts = held(array, width)
    for blocks, size in zip(counts, block_sizes(width), strict=False):
        assert blocks == len({each // size for each in indices})
    smallest = block_sizes(width)[0]
    length = section_length(-(-len(array) // smallest), SECTIONS)
    sections = Counter(block // length for block in {each // smallest for each in indices})
    assert counts[len(BLOCK_WORDS) :].view(np.uint16).tolist() == [sections[section] for section in range(SECTIONS)]


@pytest.mark.parametrize("workers", [MAX_WORKERS, 1024])
def test_each_sections_blocks_are_counted_separately(workers: int) -> None:
    counts = held(np.ones(SECTIONS * 2100 * 32, np.int32), workers=workers) * np.int32(workers)
    assert counts[len(BLOCK_WORDS) :].view(np.uint16).tolist() == [0xFFFF // workers * workers] * SECTIONS


@given(st.integers(0, 100_000), st.sampled_from(BLOCK_WORDS))
def test_a_block_costs_its_words_and_its_share_of_headers(blocks: int, words: int) -> None:
    columns = PACKET_ELEMENTS // words
    packets = -(-blocks // columns)
    assert cost(blocks, words) == 4 * blocks * words + packets * (OUTER_BYTES + payload_bytes(columns, 0))
