"""Gradients with a given share of non-zero blocks, which every process can compute alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.simulator.formulas import Overlap
from dropzero.streams import stream

BLOCK = 32
"""Elements of a block, which is zero or not as a whole; [OmniReduce] uses 256."""


def gradient(
    elements: int, density: float, overlap: Overlap, rank: int, workers: int, block: int = BLOCK, seed: int = 0
) -> NDArray[np.float32]:
    """Return worker `rank`'s gradient, shape (elements,): small integers, whose sum is the same in any order."""
    filled = np.zeros((-(-elements // block), block), np.float32)
    which, values = filling(elements, density, overlap, rank, workers, block, seed)
    filled[which] = values
    return filled.reshape(-1)[:elements]


def filling(
    elements: int, density: float, overlap: Overlap, rank: int, workers: int, block: int = BLOCK, seed: int = 0
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the numbers of the gradient's non-zero blocks, shape (n,), and their elements, shape (n, block)."""
    blocks = -(-elements // block)
    which = _places(blocks, round(density * blocks), overlap, rank, workers, seed)
    return which, stream(seed, "values", rank).integers(1, 8, (len(which), block))


def total(elements: int, density: float, overlap: Overlap, workers: int, block: int = BLOCK) -> NDArray[np.float32]:
    """Return the sum over all workers, shape (elements,)."""
    result = np.zeros(elements, np.float32)
    for rank in range(workers):
        result += gradient(elements, density, overlap, rank, workers, block)
    return result


def _places(blocks: int, count: int, overlap: Overlap, rank: int, workers: int, seed: int) -> NDArray[np.intp]:
    if overlap is Overlap.RANDOM:
        return stream(seed, "places", rank).permutation(blocks)[:count]
    order = stream(seed, "places of all").permutation(blocks)
    first = rank * count if overlap is Overlap.NONE else 0
    return order[np.arange(first, first + count) % blocks]
