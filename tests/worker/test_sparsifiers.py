from __future__ import annotations

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.sparsifiers import BlockTopK, Dense, Sparsifier, Vector

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
vectors = arrays.arrays(np.float32, st.integers(0, 300), elements=finite)
densities = st.floats(0, 1, exclude_min=True)
block_sizes = st.integers(1, 64)


def squared_norm(x: Vector) -> float:
    return float(np.square(x, dtype=np.float64).sum())


def sent_blocks(sent: Vector, block: int) -> list[int]:
    return [i for i in range(-(-len(sent) // block)) if sent[i * block : (i + 1) * block].any()]


@given(vectors, densities, block_sizes)
def test_block_top_k_is_contractive(x: Vector, density: float, block: int) -> None:
    compressor = BlockTopK(density, block)
    blocks = max(1, -(-len(x) // block))
    delta = compressor.kept(blocks) / blocks

    error = squared_norm(x - compressor.compress(x))

    assert error <= (1 - delta) * squared_norm(x) * (1 + 1e-12)


@given(vectors, densities, block_sizes)
def test_block_top_k_sends_whole_blocks_unchanged_and_no_smaller_than_those_it_holds_back(
    x: Vector, density: float, block: int
) -> None:
    before = x.copy()
    compressor = BlockTopK(density, block)

    sent = compressor.compress(x)

    assert sent.dtype == np.float32
    assert sent.shape == x.shape
    np.testing.assert_array_equal(x, before)
    pairs = [(x[i : i + block], sent[i : i + block]) for i in range(0, len(x), block)]
    assert all(np.array_equal(mine, theirs) or not theirs.any() for mine, theirs in pairs)
    held_back = [squared_norm(mine) for mine, theirs in pairs if mine.any() and not theirs.any()]
    kept = [squared_norm(mine) for mine, theirs in pairs if theirs.any()]
    assert len(kept) <= compressor.kept(len(pairs))
    if held_back:
        assert len(kept) == compressor.kept(len(pairs))
        assert max(held_back) <= min(kept) * (1 + 1e-12)


def test_the_bound_is_met_with_equality_by_blocks_of_equal_norm() -> None:
    x = np.ones(320, np.float32)

    error = squared_norm(x - BlockTopK(0.3, 32).compress(x))

    assert error == pytest.approx(0.7 * squared_norm(x), abs=0)


def test_of_equal_norms_the_lower_index_goes_first() -> None:
    x = np.ones(320, np.float32)
    x[128:160] = 2

    assert sent_blocks(BlockTopK(0.3, 32).compress(x), 32) == [0, 1, 4]


def test_the_last_block_may_be_shorter() -> None:
    x = np.array([1, 1, 1, 1, 5], np.float32)

    np.testing.assert_array_equal(BlockTopK(0.3, 2).compress(x), [0, 0, 0, 0, 5])
    np.testing.assert_array_equal(BlockTopK(0.7, 2).compress(x), [1, 1, 0, 0, 5])


@pytest.mark.parametrize(
    ("density", "blocks", "kept"),
    [(0.1, 539, 54), (0.1, 30, 3), (0.1, 1, 1), (1e-9, 1000, 1), (0.26, 10, 3), (0.24, 10, 2), (1.0, 10, 10)],
)
def test_the_number_of_blocks_is_rounded_and_at_least_one(density: float, blocks: int, kept: int) -> None:
    assert BlockTopK(density).kept(blocks) == kept


@pytest.mark.parametrize("compressor", [Dense(), BlockTopK(0.5)])
def test_an_empty_vector_stays_empty(compressor: Sparsifier) -> None:
    assert compressor.compress(np.empty(0, np.float32)).shape == (0,)


@given(vectors)
def test_dense_sends_everything(x: Vector) -> None:
    sent = Dense().compress(x)

    np.testing.assert_array_equal(sent, x)
    assert not np.shares_memory(sent, x)


@pytest.mark.parametrize("compressor", [Dense(), BlockTopK(0.5)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_non_finite_elements_are_refused_by_place(compressor: Sparsifier, bad: float) -> None:
    x = np.zeros(100, np.float32)
    x[[41, 73]] = bad

    with pytest.raises(FloatingPointError, match=f"gradient element 41 of 100 is {bad}"):
        compressor.compress(x)


@pytest.mark.parametrize("x", [np.zeros(4), np.zeros((2, 2), np.float32)])
def test_other_arrays_than_float32_vectors_are_refused(x: Vector) -> None:
    with pytest.raises(TypeError, match="1-D float32"):
        BlockTopK(0.5).compress(x)


@pytest.mark.parametrize("density", [0.0, -0.1, 1.1, float("nan")])
def test_a_density_outside_0_to_1_is_refused(density: float) -> None:
    with pytest.raises(ValueError, match=r"density is a fraction in \(0, 1\]"):
        BlockTopK(density)


def test_a_block_without_elements_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 element"):
        BlockTopK(0.5, block=0)
