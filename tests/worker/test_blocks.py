"""The choice of a block size."""

from __future__ import annotations

import numpy as np
import pytest

from protocol.wire import Width, block_sizes
from worker.blocks import costs


def test_dense_arrays_are_cheapest_in_large_blocks() -> None:
    cheapest = costs(np.ones(25_600, np.float32), Width.BITS_32).argmin()
    assert block_sizes(Width.BITS_32)[cheapest] == 256


def test_scattered_elements_are_cheapest_in_small_ones() -> None:
    array = np.zeros(100_000, np.float32)
    array[::1000] = 1
    assert costs(array, Width.BITS_32).argmin() == 0


@pytest.mark.parametrize("width", Width)
def test_an_array_of_zeros_costs_nothing(width: Width) -> None:
    assert not costs(np.zeros(1000, np.float32), width).any()


def test_narrow_elements_come_in_larger_blocks() -> None:
    assert block_sizes(Width.BITS_8) == [128, 256, 512, 1024]
