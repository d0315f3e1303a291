"""Arrays as int32 words: to send them bit for bit, to add them without overflow, and to compare them."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

A = TypeVar("A", bound=NDArray[Any])


def words(array: NDArray[Any]) -> NDArray[np.int32]:
    """The array's bytes, shape (n,); the last word is padded with zero bytes."""
    content = array.tobytes()
    return np.frombuffer(content + bytes(-len(content) % 4), np.int32)


def from_words(content: NDArray[np.int32], array: A) -> A:
    """The inverse of `words`: overwrites a contiguous array, and returns it."""
    if array.nbytes:
        array.reshape(-1).view(np.uint8)[:] = content.view(np.uint8)[: array.nbytes]
    return array


def split(array: NDArray[np.int32]) -> NDArray[np.int32]:
    """Splits each integer into high * 2^16 + low with -2^15 <= low < 2^15: the sums of either over 2^16 workers fit
    into 32 bits. Returns shape (2, *array.shape): high, which is zero for small integers, then low."""
    low = array.astype(np.int16).astype(np.int32)
    return np.stack([((array.astype(np.int64) - low) >> 16).astype(np.int32), low])


def joined(halves: NDArray[np.int32]) -> NDArray[np.int64]:
    """The exact sums, shape (...), from the sums of both halves, shape (2, ...)."""
    total: NDArray[np.int64] = (halves[0].astype(np.int64) << 16) + halves[1]
    return total


def ordered(patterns: NDArray[np.int32]) -> NDArray[np.int32]:
    """Maps the bit patterns of float32 to integers in the same order; applied twice, returns the patterns. Zero stays
    zero.

    (Positive floats compare like their patterns, negative ones the other way round.)
    """
    return patterns ^ ((patterns >> 31) & 0x7FFFFFFF)
