"""A sample of a vector's elements, to measure at little cost what a compression does to each parameter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.vectors import Floats, Rows

BLOCK = 32
"""Neighbours that are sampled together: the smallest block on the wire."""
MOST = 1 << 14
"""A sample has about this many elements: all of a small vector, and every n-th block of a large one."""


class Sample:
    """Blocks of each parameter of a vector. sizes: those of the parameters, in order, at least 1."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._every = 1 + sum(sizes) // MOST
        ends = np.cumsum(sizes, dtype=np.int64)
        starts = [np.arange(end - size, end, BLOCK * self._every) for end, size in zip(ends, sizes, strict=True)]
        places = [
            np.arange(start, min(start + BLOCK, end)) for some, end in zip(starts, ends, strict=True) for start in some
        ]
        self._at = np.concatenate([np.zeros(0, np.int64), *places])
        self._blocks = _firsts([len(each) for each in places])
        self._parameters = _firsts([len(each) for each in starts])

    def of(self, vectors: Floats) -> Floats:
        """Copies the sampled elements of rows (k, d)."""
        sampled: Floats = vectors[:, self._at]
        return sampled

    def errors(self, vectors: Floats, sent: Rows) -> NDArray[np.float64]:
        """|sent - vector|^2 / |vector|^2 of all sampled rows together, for each parameter; 0 of a zero vector."""
        given = vectors.astype(np.float64)
        away = np.square(given - sent).sum(axis=0)
        errors, norms = (self._added(self._block_sums(each)) for each in (away, np.square(given).sum(axis=0)))
        return np.divide(errors, norms, out=np.zeros_like(errors), where=norms > 0)

    def held(self, sent: Rows) -> NDArray[np.float64]:
        """About how many blocks of all sampled rows hold something, for each parameter."""
        held = np.array([self._block_sums((row != 0).astype(np.float64)) > 0 for row in sent])
        return self._every * self._added(held.sum(axis=0, dtype=np.float64))

    def _block_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.add.reduceat(values, self._blocks) if len(values) else values

    def _added(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Adds up the blocks of each parameter."""
        return np.add.reduceat(values, self._parameters) if len(values) else values


def _firsts(lengths: Sequence[int]) -> NDArray[np.int64]:
    """The places of the first element of consecutive parts."""
    return np.cumsum([0, *lengths], dtype=np.int64)[:-1]
