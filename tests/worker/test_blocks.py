"""The choice of a block size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from protocol.wire import BLOCK_WORDS, MAX_WORKERS, OUTER_BYTES, PACKET_ELEMENTS, Width, block_sizes, payload_bytes
from worker.blocks import costs


@pytest.mark.parametrize("length", [25_600, 1 << 24])
def test_dense_arrays_are_cheapest_in_large_blocks(length: int) -> None:
    each = costs(np.ones(length, np.float32), Width.BITS_32)
    assert block_sizes(Width.BITS_32)[each.argmin()] == 256
    assert each.max() * MAX_WORKERS < 2**31


def test_scattered_elements_are_cheapest_in_small_ones() -> None:
    array = np.zeros(100_000, np.float32)
    array[::1000] = 1
    assert costs(array, Width.BITS_32).argmin() == 0


@pytest.mark.parametrize("width", Width)
def test_an_array_of_zeros_costs_nothing(width: Width) -> None:
    assert not costs(np.zeros(1000, np.float32), width).any()


def test_narrow_elements_come_in_larger_blocks() -> None:
    assert block_sizes(Width.BITS_8) == [128, 256, 512, 1024]


@given(st.lists(st.integers(0, 20_000)), st.sampled_from(Width), st.sampled_from([np.float32, np.int32]))
def test_a_block_costs_its_words_and_its_share_of_headers(held: list[int], width: Width, kind: type) -> None:
    array: NDArray[Any] = np.zeros(20_001, kind)
    array[held] = -1
    array[[(each + 1) % len(array) for each in held if each % 3 == 0 and (each + 1) % len(array) not in held]] = -0.0
    for cost, size, words in zip(costs(array, width), block_sizes(width), BLOCK_WORDS, strict=True):
        blocks, columns = len({each // size for each in held}), PACKET_ELEMENTS // words
        packets = -(-blocks // columns)
        assert cost == 4 * blocks * words + packets * (OUTER_BYTES + payload_bytes(columns, 0))
