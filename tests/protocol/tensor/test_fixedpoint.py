"""Fixed point: its error, and that nothing overflows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from dropzero.protocol.tensor.fixedpoint import biased_exponent, dequantize, magnitude_bits, quantize, scale
from dropzero.protocol.wire import EXPONENT_BIAS, NOT_FINITE

floats = arrays(np.float32, 32, elements=st.floats(width=32, allow_nan=False, allow_infinity=False))


def exponent_of(block: NDArray[np.float32]) -> int:
    return biased_exponent(block.view(np.uint32))


def integers_of(block: NDArray[np.float32], exponent: int, bits: int) -> NDArray[np.int32]:
    out = np.zeros(len(block), np.int32)
    quantize(block, exponent, bits, out)
    return out


@given(floats)
def test_the_exponent_bounds_the_block_and_no_smaller_one_does(block: NDArray[np.float32]) -> None:
    exponent = exponent_of(block)
    largest = float(np.abs(block).max())
    assert largest < 2.0 ** (exponent - EXPONENT_BIAS)
    assert exponent == 0 or largest >= 2.0 ** (exponent - EXPONENT_BIAS - 1)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_non_finite_blocks_have_their_own_exponent(bad: float) -> None:
    assert exponent_of(np.array([1.0, bad], np.float32)) == NOT_FINITE


@given(floats, st.integers(1, 32), st.sampled_from([32, 16, 8]))
def test_the_sum_of_all_workers_fits_into_an_element(block: NDArray[np.float32], workers: int, width: int) -> None:
    bits = magnitude_bits(width, workers, few_bits=True)
    total = integers_of(block, exponent_of(block), bits).astype(np.int64) * workers
    assert -(2 ** (width - 1)) <= total.min()
    assert total.max() < 2 ** (width - 1)


def test_too_many_workers_for_narrow_elements_are_refused() -> None:
    assert magnitude_bits(8, 64, few_bits=True) == 1
    with pytest.raises(ValueError, match="65 workers' elements does not fit into 8 bits"):
        magnitude_bits(8, 65, few_bits=True)


def test_few_bits_of_magnitude_must_be_asked_for() -> None:
    assert magnitude_bits(8, 8) == 4
    assert magnitude_bits(16, 32) == 10
    with pytest.raises(
        ValueError, match=r"elements of 8 bits have only 3 bits of magnitude with 9 workers: .* with few_bits"
    ):
        magnitude_bits(8, 9)
    assert magnitude_bits(8, 9, few_bits=True) == 3


@given(floats, st.integers(1, 32), st.sampled_from([32, 16, 8]), st.integers(0, 20))
def test_rounding_is_the_only_loss(block: NDArray[np.float32], workers: int, width: int, slack: int) -> None:
    """Also when another worker's block is larger, and so is the exponent. Narrow elements may be clipped, by at most
    one unit."""
    bits = magnitude_bits(width, workers, few_bits=True)
    exponent = min(exponent_of(block) + slack, NOT_FINITE - 1)
    integers = integers_of(block, exponent, bits)
    factor = scale(exponent, bits)
    unit = 0.5 if width == 32 else 1.0
    assert np.all(np.abs(integers / factor - block.astype(np.float64)) <= unit / factor)
    back = np.zeros_like(block)
    dequantize(integers, exponent, bits, back)
    assert np.array_equal(back, (integers / factor).astype(np.float32))


def test_the_smallest_and_the_largest_float_survive() -> None:
    bits = magnitude_bits(32, 32)
    for value in (np.float32(1e-45), np.finfo(np.float32).max, -np.finfo(np.float32).tiny):
        block = np.array([value], np.float32)
        back = np.zeros(1, np.float32)
        dequantize(integers_of(block, exponent_of(block), bits), exponent_of(block), bits, back)
        assert back[0] == value
