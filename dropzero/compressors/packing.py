"""Packs small integers into 32-bit words, for messages that the switch forwards without adding them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled


def pack(codes: NDArray[np.int8], levels: int) -> NDArray[np.int32]:
    """Packs integers from -levels to levels, shape (d,): 32 // bits of them into each word, lowest bits first; pads
    with zero bits."""
    bits = bits_of(levels)
    words = np.empty(-(-len(codes) // (32 // bits)), np.uint32)
    _pack(codes, levels, bits, words)
    return words.view(np.int32)


def unpack(words: NDArray[np.int32], levels: int, count: int) -> NDArray[np.int8]:
    """Unpacks the first `count` integers."""
    codes = np.empty(count, np.int8)
    _unpack(words.view(np.uint32), levels, bits_of(levels), codes)
    return codes


def bits_of(levels: int) -> int:
    """The bits of an integer from -levels to levels."""
    return (2 * levels).bit_length()


@compiled
def _pack(codes: NDArray[np.int8], levels: int, bits: int, words: NDArray[np.uint32]) -> None:
    each = 32 // bits
    offset = np.uint32(levels)
    whole = len(codes) // each
    for i in range(whole):
        word = np.uint32(0)
        for j in range(each):
            word |= (np.uint32(codes[i * each + j]) + offset) << np.uint32(j * bits)
        words[i] = word
    if whole < len(words):
        word = np.uint32(0)
        for j in range(len(codes) - whole * each):
            word |= (np.uint32(codes[whole * each + j]) + offset) << np.uint32(j * bits)
        words[whole] = word


@compiled
def _unpack(words: NDArray[np.uint32], levels: int, bits: int, codes: NDArray[np.int8]) -> None:
    each = 32 // bits
    mask = np.uint32((1 << bits) - 1)
    for i in range(len(codes)):
        codes[i] = np.int64((words[i // each] >> np.uint32(i % each * bits)) & mask) - levels
