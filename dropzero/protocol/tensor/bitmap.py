"""Bitmaps with one bit for each granule: uint64, shape (ceil(granules / 64),).

All granules of a block are in one word, because a block has a power of two of them, at most 32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled, inlined
from dropzero.native.intrinsics import lowest_bit, popcount

Bitmap = NDArray[np.uint64]

BITS = 64
ONE = np.uint64(1)

_FIRST = tuple(np.uint64(sum(1 << at for at in range(0, BITS, 2 << size))) for size in range(BITS.bit_length() - 1))
"""The bits of every second granule, every fourth, and so on."""


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


@inlined
def groups(word: np.uint64, log2_size: int) -> np.uint64:
    """The first bit of each group of 2^log2_size <= 32 bits in a word that has a bit set."""
    for doubled in range(log2_size):
        word = (word | word >> np.uint64(1 << doubled)) & _FIRST[doubled]
    return word


@compiled
def set_groups(bitmap: Bitmap, log2_size: int) -> int:
    """How many groups of 2^log2_size <= 32 bits have a bit set."""
    count = 0
    for word in bitmap:
        count += int(popcount(groups(word, log2_size)))
    return count


def folded(bitmap: Bitmap, log2_size: int) -> Bitmap:
    """A bitmap with a bit for each group of 2^log2_size bits: whether one of them is set."""
    if not log2_size:
        return bitmap
    bits = np.unpackbits(bitmap.view(np.uint8), bitorder="little")
    groups = np.bitwise_or.reduceat(bits, np.arange(0, len(bits), 1 << log2_size))
    result = new_bitmap(len(groups))
    packed = np.packbits(groups, bitorder="little")
    result.view(np.uint8)[: len(packed)] = packed
    return result
