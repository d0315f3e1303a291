from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.compressors.vectors import (
    Vector,
    keep_above,
    keep_blocks,
    keep_largest,
    moments,
    refuse_non_finite,
    squared_norms,
)
from tests.compressors.vectors import blocks, vectors


@given(vectors, st.integers(0, 310))
def test_the_largest_elements_are_those_that_a_stable_sort_puts_first(x: Vector, k: int) -> None:
    first = np.argsort(-np.abs(x), kind="stable")[:k]
    expected = np.zeros_like(x)
    expected[first] = x[first]

    np.testing.assert_array_equal(keep_largest(x, k), expected)


@given(vectors, blocks)
def test_norms_of_blocks_are_numpys(x: Vector, block: int) -> None:
    expected = [np.square(x[i : i + block], dtype=np.float64).sum() for i in range(0, len(x), block)]

    np.testing.assert_allclose(squared_norms(x, block), expected, rtol=1e-14)


@given(vectors)
def test_moments_are_numpys(x: Vector) -> None:
    total, squares = moments(x)

    assert total == pytest.approx(x.sum(dtype=np.float64), rel=1e-12, abs=1e-12 * np.abs(x).sum(dtype=np.float64))
    assert squares == pytest.approx(np.square(x, dtype=np.float64).sum(), rel=1e-12)


@given(vectors)
def test_moments_are_added_up_in_one_order_on_all_machines(x: Vector) -> None:
    """Columns of 64 elements, each from its first row on."""
    rows = np.pad(x.astype(np.float64), (0, -len(x) % 64)).reshape(-1, 64)
    sums, squares = np.zeros(64), np.zeros(64)
    for row in rows:
        sums += row
        squares += row * row

    assert moments(x) == (np.add.accumulate(sums)[-1], np.add.accumulate(squares)[-1])


@given(vectors, st.floats(0, 1e39))
def test_above_means_above(x: Vector, threshold: float) -> None:
    kept, count = keep_above(x, threshold)

    above = np.abs(x) > np.float32(min(threshold, float(np.finfo(np.float32).max)))
    np.testing.assert_array_equal(kept, np.where(above, x, 0))
    assert count == np.count_nonzero(above)


@given(vectors, blocks)
def test_blocks_are_kept_whole(x: Vector, block: int) -> None:
    selected = np.random.default_rng(len(x)).random(-(-len(x) // block)) < 0.5

    np.testing.assert_array_equal(keep_blocks(x, selected, block), x * np.repeat(selected, block)[: len(x)])


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
def test_non_finite_elements_are_refused_by_place(bad: float) -> None:
    x = np.zeros(100, np.float32)
    x[[41, 73]] = bad

    with pytest.raises(FloatingPointError, match=f"gradient element 41 of 100 is {bad}"):
        refuse_non_finite(x)


@pytest.mark.parametrize("x", [np.zeros(4), np.zeros((2, 2), np.float32)])
def test_other_arrays_than_float32_vectors_are_refused(x: Vector) -> None:
    with pytest.raises(TypeError, match="1-D float32"):
        refuse_non_finite(x)
