"""Granules of input arrays and results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from dropzero.protocol.tensor.arrays import Source, Target, Tensor, age, clear, exponent
from dropzero.protocol.tensor.bitmap import any_set, next_set, set_bits
from dropzero.protocol.tensor.fixedpoint import biased_exponent
from dropzero.protocol.tensor.simd import GRANULE, log2_granules
from dropzero.protocol.wire import NOT_FINITE, Width, block_sizes

LENGTHS = st.integers(0, 12 * GRANULE)
SIZES = sorted({size for width in Width for size in block_sizes(width)})
TINY = np.float32(1e-45)

finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
# Mostly zeros, of either sign.
floats = arrays(np.float32, LENGTHS, elements=finite, fill=st.sampled_from([0.0, -0.0]))
integers = arrays(np.int32, LENGTHS, elements=st.integers(-(2**31), 2**31 - 1), fill=st.just(0))
tensors = st.one_of(floats, integers)


def exponents_of(array: Tensor, size: int) -> list[int]:
    """The exponents of blocks of `size` elements, in order; -1 for a zero block."""
    blocks = [array[first : first + size] for first in range(0, len(array), size)]
    is_float = array.dtype == np.float32
    return [biased_exponent(block.view(np.uint32)) * is_float if block.any() else -1 for block in blocks]


def found(source: Source, size: int = GRANULE) -> list[int]:
    """The same, computed by compiled code."""
    blocks = range(-(-len(source.array) // size))
    log2 = log2_granules(size)
    return [
        exponent(source.nonzero, source.exponents, block, log2)
        if any_set(source.nonzero, block << log2, min(1 << log2, len(source.exponents) - (block << log2)))
        else -1
        for block in blocks
    ]


def same_bits(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return np.array_equal(one.view(np.uint32), other.view(np.uint32))


@given(tensors)
@example(np.append(np.full(GRANULE, -0.0, np.float32), TINY))
@example(np.full(GRANULE - 1, -TINY, np.float32))
@example(np.full(2 * GRANULE, np.finfo(np.float32).max))
@example(np.full(GRANULE, -(2**31), np.int32))
def test_each_granule_has_its_largest_elements_exponent(array: Tensor) -> None:
    source = Source.of(array)
    assert source.is_float == (array.dtype == np.float32)
    assert same_bits(source.array, array)
    assert found(source) == exponents_of(array, GRANULE)


@given(LENGTHS.filter(bool), st.data(), st.sampled_from([TINY, np.float32(-1), np.int32(1), np.int32(-(2**31))]))
def test_a_single_element_makes_only_its_own_granule_non_zero(length: int, data: st.DataObject, element: Any) -> None:
    array = np.zeros(length, element.dtype)
    at = data.draw(st.integers(0, length - 1))
    array[at] = element
    source = Source.of(array)
    assert [granule for granule, each in enumerate(found(source)) if each >= 0] == [at // GRANULE]
    assert next_set(source.nonzero, 0, len(source.exponents)) == at // GRANULE


@given(tensors, st.integers(0, 2 * GRANULE), st.sampled_from([1, 2, 3, GRANULE, -1, -5]))
def test_a_slice_is_scanned_like_a_copy(array: Tensor, first: int, step: int) -> None:
    part = array[first::step]
    assert same_bits(Source.of(part).array, part.copy())
    assert found(Source.of(part)) == exponents_of(part.copy(), GRANULE)


@given(tensors, st.integers(1, 3))
def test_arrays_may_be_unaligned_and_read_only(array: Tensor, skipped: int) -> None:
    elsewhere: Any = np.frombuffer(bytes(skipped) + array.tobytes(), array.dtype, offset=skipped)
    source = Source.of(elsewhere)
    assert same_bits(source.array, array)
    assert found(source) == exponents_of(array, GRANULE)


@given(st.integers(0, 70), st.integers(1, 5))
def test_arrays_of_any_shape_are_scanned_in_row_order(rows: int, columns: int) -> None:
    array = np.arange(rows * columns).astype(np.float32).reshape(columns, rows).T
    source = Source.of(array)
    assert np.array_equal(source.array, array.reshape(-1))
    assert found(source) == exponents_of(array.reshape(-1), GRANULE)
    assert found(Source.of(np.array(1.0, np.float32))) == [127]


@given(tensors, st.sampled_from(SIZES))
def test_a_block_has_its_largest_granules_exponent(array: Tensor, size: int) -> None:
    assert found(Source.of(array), size) == exponents_of(array, size)


@given(LENGTHS.filter(bool), st.data(), st.sampled_from([np.nan, -np.nan, np.inf, -np.inf]))
def test_a_blocks_exponent_shows_that_it_is_not_finite(length: int, data: st.DataObject, bad: float) -> None:
    at = data.draw(st.integers(0, length - 1))
    array = np.full(length, np.finfo(np.float32).max)
    array[at] = bad
    assert [granule for granule, each in enumerate(found(Source.of(array))) if each == NOT_FINITE] == [at // GRANULE]


@pytest.mark.parametrize("kind", ["float64", "float16", "int64", "int16", "uint32", "bool", "complex64", ">f4", ">i4"])
def test_arrays_of_other_dtypes_are_refused(kind: str) -> None:
    other: Any = np.zeros(3, kind)
    with pytest.raises(ValueError, match=f"^float32 and int32 arrays can be reduced, not {kind}$"):
        Source.of(other)


@given(tensors)
def test_an_array_is_plain_if_no_zero_granule_has_a_negative_zero(array: Tensor) -> None:
    granules = [array[first : first + GRANULE] for first in range(0, len(array), GRANULE)]
    assert Source.of(array).plain == all(granule.any() or not granule.view(np.uint32).any() for granule in granules)


@st.composite
def written(draw: st.DrawFn) -> tuple[int, list[set[int]]]:
    """Draws a target's length, and the granules written between two clearings."""
    length = draw(st.integers(0, 40 * GRANULE))
    granules = -(-length // GRANULE)
    few = st.sets(st.integers(0, granules - 1), max_size=3) if granules else st.just(set())
    return length, draw(st.lists(st.one_of(few, st.just(set(range(granules)))), min_size=1, max_size=4))


def write(target: Target, granules: set[int]) -> NDArray[np.uint32]:
    """Fills these granules. Returns the expected content of the target."""
    content = np.zeros_like(target.patterns)
    for granule in granules:
        here = slice(granule * GRANULE, (granule + 1) * GRANULE)
        content[here] = target.patterns[here] = 0xDEAD0000 + granule
        set_bits(target.fresh, granule, 1)
    return content


def zeros(length: int, kind: type = np.int32) -> Source:
    return Source.of(np.zeros(length, kind))


def test_a_new_target_is_zero() -> None:
    assert not Target.new(100).patterns.any()
    assert same_bits(Target.new(100).copy(None, zeros(100)), np.zeros(100, np.int32))
    assert Target.new(0).copy(None, zeros(0)).shape == (0,)


@given(written())
def test_a_target_holds_what_was_written_in_the_latest_call(turns: tuple[int, list[set[int]]]) -> None:
    """And nothing of earlier calls, whether they wrote much or little."""
    target = Target.new(turns[0])
    for granules in turns[1]:
        age(target.fresh, target.stale)
        content = write(target, granules)
        clear(target.patterns, target.fresh, target.stale)
        assert same_bits(target.patterns, content)
        assert same_bits(target.copy(None, zeros(turns[0])), content)


@given(written(), st.sampled_from([np.float32, np.int32]))
def test_a_copy_is_exact_and_independent(turns: tuple[int, list[set[int]]], kind: type) -> None:
    target = Target.new(turns[0])
    content = write(target, turns[1][0])
    copy = target.copy(None, zeros(turns[0], kind))
    assert copy.dtype == kind
    assert copy.shape == target.patterns.shape
    assert same_bits(copy, content)
    assert not np.shares_memory(copy, target.patterns)
    copy.fill(1)
    assert same_bits(target.patterns, content)


@given(written(), st.sampled_from([np.float32, np.int32]), st.sampled_from([1, 2, -1]))
def test_a_copy_overwrites_everything_in_out(turns: tuple[int, list[set[int]]], kind: type, step: int) -> None:
    """And changes nothing else in it."""
    target = Target.new(turns[0])
    content = write(target, turns[1][0])
    around: NDArray[Any] = np.full(2 * turns[0], 7, kind)
    out = around[::step][: turns[0]]
    assert target.copy(out, zeros(turns[0], kind)) is out
    assert same_bits(out.copy(), content)
    assert np.count_nonzero(around == 7) >= turns[0]


@given(tensors, st.sets(st.integers(0, 11)))
@example(np.full(6 * GRANULE, -0.0, np.float32), {1})
@example(np.ones(6 * GRANULE, np.float32), {1})
def test_a_copy_overwrites_everything_in_the_source(array: Tensor, granules: set[int]) -> None:
    target = Target.new(len(array))
    content = write(target, {granule for granule in granules if granule * GRANULE < len(array)})
    assert target.copy(array, Source.of(array)) is array
    assert same_bits(array, content)


@given(tensors)
def test_a_target_around_an_array_shares_its_memory(array: Tensor) -> None:
    target = Target.around(array)
    copy = target.copy(None, Source.of(array))
    assert same_bits(copy, array)
    age(target.fresh, target.stale)
    clear(target.patterns, target.fresh, target.stale)
    assert not array.view(np.uint32).any()
    assert same_bits(target.copy(copy, Source.of(copy)), array)
