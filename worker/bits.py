"""Arrays as int32 words and back: for what must arrive bit for bit, and for what has to be compared."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

A = TypeVar("A", bound=NDArray[Any])


def words(array: NDArray[Any]) -> NDArray[np.int32]:
    """The array's bytes, shape (n,), the last word filled up with zero bytes."""
    content = array.tobytes()
    return np.frombuffer(content + bytes(-len(content) % 4), np.int32)


def from_words(content: NDArray[np.int32], like: A) -> A:
    """The array of `like`'s shape and type whose words those are."""
    array = like.copy()
    array.reshape(-1)[:] = np.frombuffer(content.tobytes()[: like.nbytes], like.dtype)
    return array


def split(array: NDArray[np.int32]) -> NDArray[np.int32]:
    """Integers as two, whose sums over many workers fit into 32 bits: shape (2, *array.shape), multiples of 2^16 and
    what is left, from -2^15 on. The multiples of small integers are zero."""
    low = array.astype(np.int16).astype(np.int32)
    return np.stack([((array.astype(np.int64) - low) >> 16).astype(np.int32), low])


def joined(halves: NDArray[np.int32]) -> NDArray[np.int64]:
    """Their sums, from the sums of both: shape (2, ...) to (...)."""
    total: NDArray[np.int64] = (halves[0].astype(np.int64) << 16) + halves[1]
    return total


def ordered(patterns: NDArray[np.int32]) -> NDArray[np.int32]:
    """Maps the bit patterns of float32 to integers in the same order, and those back to the patterns. Zero stays zero.

    (Positive floats compare like their patterns, negative ones the other way round.)
    """
    return patterns ^ ((patterns >> 31) & 0x7FFFFFFF)
