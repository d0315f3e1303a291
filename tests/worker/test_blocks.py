"""The choice of a block size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.chunks import log2_group, most_groups
from dropzero.protocol.tensor.arrays import Source
from dropzero.protocol.tensor.bitmap import set_groups
from dropzero.protocol.tensor.simd import GRANULE
from dropzero.protocol.wire import BLOCK_WORDS, OUTER_BYTES, PACKET_ELEMENTS, Operation, Width, payload_bytes
from dropzero.worker.blocks import chosen, cost, dense, held, union_of

LANES = 64
MOST_GROUPS = most_groups(LANES)
OTHERS = 2 * (len(BLOCK_WORDS) + 1)
"""Words after the bitmap."""


def choice(*arrays: NDArray[Any]) -> Call:
    """The choice of workers that have these arrays."""
    return chosen(Call.of(arrays[0], block=0), union(*arrays), len(arrays))


def union(*arrays: NDArray[Any]) -> NDArray[np.int32]:
    result: NDArray[np.int32] = np.bitwise_or.reduce([held(Source.of(array), Width.BITS_32, LANES) for array in arrays])
    return result


@pytest.mark.parametrize("length", [25_600, 1 << 24])
def test_dense_arrays_are_cheapest_in_large_blocks(length: int) -> None:
    assert choice(np.ones(length, np.float32)).signature.block == 256


def test_without_zero_blocks_chunks_need_no_union() -> None:
    assert choice(np.ones(25_600, np.float32)).union == b""


def test_scattered_elements_are_cheapest_in_small_ones() -> None:
    array = np.zeros(100_000, np.float32)
    array[::1000] = 1
    assert choice(array).signature.block == 32


def test_blocks_that_some_worker_holds_are_in_the_union() -> None:
    """The block size is that of the sum, however the workers share its blocks."""
    arrays = np.zeros((4, 25_600), np.float32)
    for rank, array in enumerate(arrays):
        array.reshape(-1, 256)[rank::4] = 1
    assert choice(*arrays) == choice(np.ones(25_600, np.float32))
    assert not dense(union(*arrays))


def test_workers_do_not_send_eight_times_as_much_for_a_slightly_shorter_sum() -> None:
    """Every eighth block is each one's. Blocks of 256 would be the cheapest for the sum."""
    arrays = np.zeros((8, 25_600), np.float32)
    for rank, array in enumerate(arrays):
        array.reshape(-1, 8, 32)[:, rank] = 1
    assert choice(*arrays).signature.block == 128
    assert choice(arrays.sum(axis=0)).signature.block == 256


@pytest.mark.parametrize("length", [31, 32, 33, 64 * 32, 64 * 32 + 1])
def test_a_tensor_is_dense_if_no_worker_has_a_zero_granule(length: int) -> None:
    full = np.ones(length, np.float32)
    assert dense(union(full, full))
    hole = full.copy()
    hole[length - 1 - (length - 1) % 32 :] = 0
    assert not dense(union(full, hole))


@pytest.mark.parametrize("granules", [0, 1, 64, 100, MOST_GROUPS, MOST_GROUPS + 1, 5 * MOST_GROUPS - 3])
def test_a_union_has_a_bit_for_each_group_and_takes_a_round_trip_of_packets_at_most(granules: int) -> None:
    array = np.zeros(granules * GRANULE, np.float32)
    some = np.arange(0, granules, 101)
    array[some * GRANULE] = 1
    log2 = log2_group(len(array), MOST_GROUPS)
    words = union(array)
    assert len(words) <= LANES // 2 * PACKET_ELEMENTS + OTHERS
    assert union_of(len(words)).operation is Operation.OR
    bits = np.unpackbits(words[:-OTHERS].view(np.uint8), bitorder="little")
    assert np.flatnonzero(bits).tolist() == sorted({*(some >> log2).tolist()})


def test_the_expected_blocks_of_long_arrays_lie_between_their_bounds() -> None:
    arrays = np.zeros((4, 32 * GRANULE * MOST_GROUPS), np.float32)
    for rank, array in enumerate(arrays):
        array[rank * 32 :: 1000 * GRANULE] = 1
    one = -(-arrays.shape[1] // (1000 * GRANULE))
    assert one < choice(*arrays).expected < 1.3 * 4 * one


@given(st.lists(st.integers(0, 20_000)), st.sampled_from([np.float32, np.int32]))
def test_groups_with_a_non_zero_granule_are_counted(indices: list[int], kind: type) -> None:
    array: NDArray[Any] = np.zeros(20_001, kind)
    array[indices] = -1
    negative = [(each + 1) % len(array) for each in indices if each % 3 == 0]
    array[[each for each in negative if each not in indices]] = -0.0
    bitmap = union(array)[:-OTHERS].view(np.uint64)
    for log2 in range(6):
        assert set_groups(bitmap, log2) == len({each // (GRANULE << log2) for each in indices})


@given(st.integers(0, 100_000), st.sampled_from(BLOCK_WORDS))
def test_a_block_costs_its_words_and_its_share_of_headers(blocks: int, words: int) -> None:
    columns = PACKET_ELEMENTS // words
    packets = -(-blocks // columns)
    assert cost(blocks, words) == 4 * blocks * words + packets * (OUTER_BYTES + payload_bytes(columns, 0))
