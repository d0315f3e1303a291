"""Compiled passes over a vector; each reads it once.

All machines add floating-point numbers in the same order, and so get the same bits. The processor can still add several
at once, those of short blocks or of columns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled

Vector = NDArray[np.float32]
"""A gradient, shape (d,)."""
Rows = NDArray[np.float32]
"""Several workers' gradients, shape (k, d): one row for each worker."""
Floats = NDArray[np.floating[Any]]
"""float32 or float64."""

_MAGNITUDE = np.uint32(0x7FFFFFFF)
"""Masks the sign of a float32's bit pattern. Magnitudes are ordered as these patterns are."""
_INFINITY = 0x7F800000
COLUMNS = 64
"""Partial sums of `moments`."""


F = TypeVar("F", NDArray[np.float32], NDArray[np.floating[Any]])


def stacked(vectors: Sequence[F]) -> F:
    """Stacks vectors as rows. Does not copy a single vector, which may be large."""
    return vectors[0][np.newaxis] if len(vectors) == 1 else np.stack(vectors)


def refuse_non_finite(x: Vector) -> None:
    """Raises TypeError unless `x` is 1-D float32, and FloatingPointError with the index of its first NaN or
    infinity."""
    _refuse_other_types(x)
    if _largest_pattern(x.view(np.uint32)) >= _INFINITY:
        refuse_non_finite_floats(x)


def refuse_non_finite_floats(x: Floats) -> None:
    """Raises FloatingPointError with the index of the first NaN, infinity or number that is too large for float32, in
    which it will be sent. Takes any float dtype, but is a little slower."""
    if (place := first_non_finite(x)) is not None:
        too_large = ", too large for float32" if np.isfinite(x[place]) else ""
        raise FloatingPointError(f"gradient element {place} of {len(x)} is {x[place]}{too_large}")


def first_non_finite(x: Floats) -> int | None:
    """The place of the first element that float32 cannot hold."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(x.astype(np.float32, copy=False))
    return None if finite.all() else int(np.argmin(finite))


def _refuse_other_types(x: Vector) -> None:
    if x.dtype != np.float32 or x.ndim != 1:
        raise TypeError(f"a gradient must be a 1-D float32 array, not {x.ndim}-D {x.dtype}")


def squared_norms(x: Vector, block: int) -> NDArray[np.float64]:
    """The blocks' squared l2 norms, shape (nb,), in float64, where no square of a float32 over- or underflows."""
    norms = np.empty(-(-len(x) // block))
    _squared_norms(x, block, norms)
    return norms


def keep_blocks(x: Vector, selected: NDArray[np.bool_], block: int) -> Vector:
    """`x` in the `selected` blocks, shape (nb,), and zero elsewhere."""
    kept = np.empty_like(x)
    _keep_blocks(x, selected, block, kept)
    return kept


def keep_blocks_above(x: Vector, threshold: float, block: int) -> Vector:
    """`x` in the blocks whose squared norm is above `threshold` >= 0, and zero elsewhere."""
    kept = np.empty_like(x)
    _keep_blocks_above(x, threshold, 0, block, kept)
    return kept


def keep_largest_blocks(x: Vector, k: int, block: int) -> Vector:
    """`x` in the `k` blocks of largest norm, and zero elsewhere; ties go to the lower index."""
    norms = squared_norms(x, block)
    if k >= len(norms):
        return x.copy()
    smallest = np.partition(norms, len(norms) - k)[len(norms) - k]
    ties = k - int(np.count_nonzero(norms > smallest))
    # Free the norms before the second vector is made.
    del norms
    kept = np.empty_like(x)
    _keep_blocks_above(x, smallest, ties, block, kept)
    return kept


def keep_above(x: Vector, threshold: float) -> tuple[Vector, int]:
    """`x` where its magnitude is above `threshold` >= 0, and zero elsewhere; and how many elements are kept."""
    kept = np.empty_like(x)
    pattern = int(np.float32(min(threshold, float(np.finfo(np.float32).max))).view(np.uint32))
    return kept, _keep_above(x.view(np.uint32), pattern, kept.view(np.uint32))


def keep_largest(x: Vector, k: int) -> Vector:
    """`x` where its magnitude is among the `k` largest, and zero elsewhere; ties go to the lower index.

    Finds the k-th largest in two passes over the bit patterns: a histogram of all upper halves, and one of the lower
    halves of patterns that share the k-th one's upper half.
    """
    if k >= len(x):
        return x.copy()
    patterns = x.view(np.uint32)
    counts = np.zeros(1 << 16, np.int64)
    _count_upper_halves(patterns, counts)
    upper, rank, _ = _kth_largest(counts, k)
    counts[:] = 0
    _count_lower_halves(patterns, upper, counts)
    lower, rank, ties = _kth_largest(counts, rank)
    smallest = upper << 16 | lower
    if smallest == 0:
        return x.copy()
    kept = np.empty_like(x)
    if rank == ties:
        _keep_above(patterns, smallest - 1, kept.view(np.uint32))
    else:
        _keep_above_and_first(patterns, smallest, rank, kept.view(np.uint32))
    return kept


def moments(x: Vector) -> tuple[float, float]:
    """The sum and the sum of squares, in float64. Raises as refuse_non_finite does, without another pass."""
    _refuse_other_types(x)
    sums, squares = np.zeros(COLUMNS), np.zeros(COLUMNS)
    _add_columns(x, sums, squares)
    if not math.isfinite(squares[0]):
        refuse_non_finite_floats(x)
    return float(sums[0]), float(squares[0])


def _kth_largest(counts: NDArray[np.int64], k: int) -> tuple[int, int, int]:
    """Given that counts[v] elements have value v: the k-th largest's value, its rank among its equals, and their
    number."""
    value = _kth_largest_value(counts, k)
    return value, k - int(counts[value + 1 :].sum()), int(counts[value])


@compiled
def _kth_largest_value(counts: NDArray[np.int64], k: int) -> int:
    value = len(counts) - 1
    while k > counts[value]:
        k -= counts[value]
        value -= 1
    return value


@compiled
def _largest_pattern(patterns: NDArray[np.uint32]) -> int:
    largest = np.uint32(0)
    for pattern in patterns:
        largest = max(largest, pattern & _MAGNITUDE)
    return int(largest)


@compiled
def _squared_norm(x: Vector) -> float:
    norm = 0.0
    for value in x:
        norm += np.float64(value) * np.float64(value)
    return norm


@compiled
def _squared_norms(x: Vector, block: int, norms: NDArray[np.float64]) -> None:
    for index in range(len(norms)):
        norms[index] = _squared_norm(x[index * block : (index + 1) * block])


@compiled
def _add_columns(x: Vector, sums: NDArray[np.float64], squares: NDArray[np.float64]) -> None:
    """Adds up each column of rows of COLUMNS elements, then the columns. `sums`, `squares`: (COLUMNS,), zero; the
    results are their first elements."""
    whole = len(x) // COLUMNS * COLUMNS
    for start in range(0, whole, COLUMNS):
        # The number of columns is constant, so the compiler uses a few instructions on the widest registers.
        for column in range(COLUMNS):
            value = np.float64(x[start + column])
            sums[column] += value
            squares[column] += value * value
    for column in range(len(x) - whole):
        value = np.float64(x[whole + column])
        sums[column] += value
        squares[column] += value * value
    for column in range(1, COLUMNS):
        sums[0] += sums[column]
        squares[0] += squares[column]


@compiled
def _keep_blocks(x: Vector, selected: NDArray[np.bool_], block: int, kept: Vector) -> None:
    for index in range(len(selected)):
        for at in range(index * block, min((index + 1) * block, len(x))):
            kept[at] = x[at] if selected[index] else np.float32(0)


@compiled
def _keep_blocks_above(x: Vector, threshold: float, ties: int, block: int, kept: Vector) -> None:
    """Keeps the blocks above the threshold, and the first `ties` blocks that equal it."""
    for start in range(0, len(x), block):
        norm = _squared_norm(x[start : start + block])
        tie = norm == threshold and ties > 0
        ties -= tie
        for at in range(start, min(start + block, len(x))):
            kept[at] = x[at] if norm > threshold or tie else np.float32(0)


@compiled
def _keep_above(patterns: NDArray[np.uint32], threshold: int, kept: NDArray[np.uint32]) -> int:
    limit = np.uint32(threshold)
    count = 0
    for i in range(len(patterns)):
        above = (patterns[i] & _MAGNITUDE) > limit
        kept[i] = patterns[i] if above else np.uint32(0)
        count += above
    return count


@compiled
def _count_upper_halves(patterns: NDArray[np.uint32], counts: NDArray[np.int64]) -> None:
    for pattern in patterns:
        counts[(pattern & _MAGNITUDE) >> np.uint32(16)] += 1


@compiled
def _count_lower_halves(patterns: NDArray[np.uint32], upper: int, counts: NDArray[np.int64]) -> None:
    for pattern in patterns:
        if (pattern & _MAGNITUDE) >> np.uint32(16) == upper:
            counts[pattern & np.uint32(0xFFFF)] += 1


@compiled
def _keep_above_and_first(patterns: NDArray[np.uint32], threshold: int, ties: int, kept: NDArray[np.uint32]) -> None:
    """Keeps the elements above the threshold, and the first `ties` elements that equal it."""
    limit = np.uint32(threshold)
    for i in range(len(patterns)):
        magnitude = patterns[i] & _MAGNITUDE
        tie = magnitude == limit and ties > 0
        ties -= tie
        kept[i] = patterns[i] if magnitude > limit or tie else np.uint32(0)


def summable(x: Floats, workers: int) -> Vector:
    """`x` in float32, clipped so that the sum of this many workers' vectors is finite."""
    most = np.nextafter(np.float32(np.finfo(np.float32).max / workers), np.float32(0))
    clipped: Vector = np.clip(x, -most, most).astype(np.float32)
    return clipped
