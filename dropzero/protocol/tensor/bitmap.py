"""Bitmaps with one bit for each granule: uint64, shape (ceil(granules / 64),).

All granules of a block are in one word, because a block has a power of two of them, at most 32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import lowest_bit

Bitmap = NDArray[np.uint64]

BITS = 64
ONE = np.uint64(1)


def new_bitmap(bits: int) -> Bitmap:
    """A bitmap with no bit set."""
    return np.zeros(-(-bits // BITS), np.uint64)


def full_bitmap(bits: int) -> Bitmap:
    """A bitmap with the first `bits` bits set, and the rest of the last word clear."""
    bitmap = np.full(-(-bits // BITS), ~np.uint64(0))
    if bits % BITS:
        bitmap[-1] >>= np.uint64(-bits % BITS)
    return bitmap


@compiled
def set_bits(bitmap: Bitmap, first: int, count: int) -> None:
    """Sets `count` <= 63 bits, all in one word."""
    bitmap[first // BITS] |= (ONE << np.uint64(count)) - ONE << np.uint64(first % BITS)


@compiled
def any_set(bitmap: Bitmap, first: int, count: int) -> bool:
    """Whether any of `count` <= 63 bits, all in one word, is set."""
    return bool(bitmap[first // BITS] >> np.uint64(first % BITS) & (ONE << np.uint64(count)) - ONE)


@compiled
def next_set(bitmap: Bitmap, first: int, end: int) -> int:
    """The first set bit from `first` on and before `end`; `end` if there is none."""
    if first >= end:
        return end
    word = first // BITS
    left = bitmap[word] >> np.uint64(first % BITS)
    while not left:
        word += 1
        first = word * BITS
        if first >= end:
            return end
        left = bitmap[word]
    return min(first + int(lowest_bit(left)), end)
