"""Which parts of an array are marked: a bit each, in words of 64; uint64, shape (ceil(parts / 64),).

A block's parts are in one word: there are at most 32 of them, a power of two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.native.compilation import compiled
from dropzero.protocol.tensor.simd import lowest

Marks = NDArray[np.uint64]

BITS = 64
ONE = np.uint64(1)


def new_marks(parts: int) -> Marks:
    """None of so many is marked."""
    return np.zeros(-(-parts // BITS), np.uint64)


def all_marks(parts: int) -> Marks:
    """Each of so many is."""
    marks = np.full(-(-parts // BITS), ~np.uint64(0))
    if parts % BITS:
        marks[-1] >>= np.uint64(-parts % BITS)
    return marks


@compiled
def mark(marks: Marks, first: int, count: int) -> None:
    """Marks so many parts, 63 at most, which are in one word."""
    marks[first // BITS] |= (ONE << np.uint64(count)) - ONE << np.uint64(first % BITS)


@compiled
def marked(marks: Marks, first: int, count: int) -> bool:
    """Whether any is of so many parts, likewise."""
    return bool(marks[first // BITS] >> np.uint64(first % BITS) & (ONE << np.uint64(count)) - ONE)


@compiled
def following(marks: Marks, first: int, end: int) -> int:
    """The first part that is marked, from that one on and before `end`; `end` if there is none."""
    if first >= end:
        return end
    word = first // BITS
    left = marks[word] >> np.uint64(first % BITS)
    while not left:
        word += 1
        first = word * BITS
        if first >= end:
            return end
        left = marks[word]
    return min(first + int(lowest(left)), end)
