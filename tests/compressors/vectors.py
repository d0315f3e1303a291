"""Vectors for the tests: typical gradients, and extreme ones."""

from __future__ import annotations

import hypothesis.extra.numpy as arrays
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from dropzero.compressors.vectors import Rows, Vector

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
few = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.9, 1e-45, -1e-45, 3e38])
"""Ties, zeros of both signs, the smallest and nearly the largest float32."""
shapes = st.integers(0, 300)
vectors = arrays.arrays(np.float32, shapes, elements=finite) | arrays.arrays(np.float32, shapes, elements=few)
densities = st.floats(0, 1, exclude_min=True)
blocks = st.integers(1, 64)


def column(*values: float) -> Rows:
    """A factor for each worker, shape (k, 1)."""
    return np.array(values, np.float32)[:, np.newaxis]


def gaussian(seed: int, *shape: int) -> Rows:
    """Standard normal."""
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def squared(x: Vector | NDArray[np.float64]) -> float:
    """The squared l2 norm."""
    return float(np.square(x, dtype=np.float64).sum())


def draws(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)
