from __future__ import annotations

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from worker.memory import ErrorFeedback, NoMemory
from worker.sparsifiers import BlockTopK, Dense, Sparsifier, Vector

# Whole numbers this small add without rounding in float32, so that identities hold exactly.
gradients = arrays.arrays(np.float32, (8, 50), elements=st.integers(-1000, 1000).map(float))


@given(gradients, st.sampled_from([Dense(), BlockTopK(0.1, 4), BlockTopK(0.5, 7)]))
def test_what_was_sent_and_what_is_held_back_add_up_to_all_gradients(rows: Vector, sparsifier: Sparsifier) -> None:
    memory = ErrorFeedback(rows.shape[1])
    total = np.zeros(rows.shape[1], np.float32)
    for gradient in rows:
        compensated = memory.compensate(gradient)
        sent = sparsifier.compress(compensated)
        memory.update(compensated, sent)
        total += sent

    np.testing.assert_array_equal(total + memory.residual, rows.sum(axis=0))


def test_a_dense_sparsifier_leaves_nothing_to_remember() -> None:
    memory = ErrorFeedback(3)
    compensated = memory.compensate(np.array([1, -2, 3], np.float32))
    memory.update(compensated, Dense().compress(compensated))

    assert not memory.residual.any()


def test_no_memory_remembers_nothing() -> None:
    memory = NoMemory()
    gradient = np.ones(3, np.float32)
    memory.update(gradient, np.zeros(3, np.float32))

    np.testing.assert_array_equal(memory.compensate(gradient), gradient)


def test_a_gradient_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(4,\), but the memory is of shape \(3,\)"):
        ErrorFeedback(3).compensate(np.zeros(4, np.float32))


@pytest.mark.parametrize("remembers", [False, True])
def test_top_1_diverges_without_error_feedback_and_converges_with_it(remembers: bool) -> None:
    """Three quadratics <a, x>^2 + |x|^2 / 4 whose top-1 gradients all point the wrong way (Beznosikov et al., 2020)."""
    slopes = np.array([[-3, 2, 2], [2, -3, 2], [2, 2, -3]], np.float32)
    step = np.float32(0.01)
    point: NDArray[np.float32] = np.ones(3, np.float32)
    memories = [ErrorFeedback(3) if remembers else NoMemory() for _ in slopes]
    top_1 = BlockTopK(1 / 3, block=1)
    for _ in range(100 if not remembers else 2000):
        total = np.zeros(3, np.float32)
        for slope, memory in zip(slopes, memories, strict=True):
            compensated = memory.compensate(2 * (slope @ point) * slope + point / 2)
            sent = top_1.compress(compensated)
            memory.update(compensated, sent)
            total += sent
        point -= step * total / 3

    growth = float(np.linalg.norm(point) / np.sqrt(3))
    if remembers:
        assert growth < 1e-3
    else:
        assert growth == pytest.approx((1 + 11 * 0.01 / 6) ** 100, rel=1e-4)
