"""Chooses the cheapest block size for an array: small blocks find more zeros, large ones need fewer headers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import lowest_bit, popcount
from dropzero.protocol.lanes.call import Call, Signature
from dropzero.protocol.lanes.chunks import section_length
from dropzero.protocol.lanes.window import MIN_LANES
from dropzero.protocol.tensor.arrays import Source
from dropzero.protocol.tensor.bitmap import BITS, ONE, Bitmap
from dropzero.protocol.tensor.simd import log2_granules
from dropzero.protocol.wire import (
    BLOCK_WORDS,
    OUTER_BYTES,
    PACKET_ELEMENTS,
    Width,
    block_sizes,
    payload_bytes,
)

FEW = int(MIN_LANES) * PACKET_ELEMENTS
"""Elements that fit into the first window with any block size: for arrays up to this size, choosing would cost more
than sending."""

SECTIONS = 2 * (PACKET_ELEMENTS - len(BLOCK_WORDS))
"""Sections of an array in which blocks are counted separately; all counts, 16 bits each, fit into one packet."""

CHOICE = Signature.of("choice of blocks", np.dtype(np.int32), PACKET_ELEMENTS)
"""The call that adds up the counts."""

_HEADERS = {PACKET_ELEMENTS // words: OUTER_BYTES + payload_bytes(PACKET_ELEMENTS // words, 0) for words in BLOCK_WORDS}
"""The bytes of a packet without data, by its number of columns."""

_FIRST = tuple(np.uint64(sum(1 << at for at in range(0, BITS, 2 << size))) for size in range(BITS.bit_length() - 1))
"""The bits of every second granule, every fourth, and so on."""


def count(source: Source, width: Width, workers: int, counts: NDArray[np.int32]) -> None:
    """Counts the array's non-zero blocks.

    Args:
        counts: receives the counts, shape (256,): one word for each block size of this width, and then, for the
            smallest size, one uint16 for each of SECTIONS equal sections, small enough that sums over `workers` workers
            fit into 16 bits.
    """
    log2_smallest = log2_granules(block_sizes(width)[0])
    blocks = -(-len(source.exponents) >> log2_smallest)
    _count(source.nonzero, log2_smallest, counts, section_length(blocks, SECTIONS) << log2_smallest, 0xFFFF // workers)


@compiled
def _count(nonzero: Bitmap, log2_smallest: int, counts: NDArray[np.int32], length: int, most: int) -> None:
    """As `count`. A block of the smallest size has 2^log2_smallest granules, a section `length` granules; at most
    `most` of its blocks are counted."""
    counts[:] = 0
    sizes, sections = counts[: len(BLOCK_WORDS)], counts[len(BLOCK_WORDS) :].view(np.uint16)
    section, end = 0, length
    for word in range(len(nonzero)):
        # One bit for each non-zero block in the word: first of the smallest size, then of twice that, and so on.
        some = nonzero[word]
        if not some:
            continue
        for doubled in range(log2_smallest):
            some = (some | some >> np.uint64(1 << doubled)) & _FIRST[doubled]
        left, first = some, BITS * word
        while left:
            while first + int(lowest_bit(left)) >= end:
                section, end = section + 1, end + length
            inside = left
            if end - first < BITS:
                inside &= (ONE << np.uint64(end - first)) - ONE
            left ^= inside
            sections[section] = min(sections[section] + int(popcount(inside)), most)
        for size in range(len(sizes)):
            sizes[size] += int(popcount(some))
            doubled = log2_smallest + size
            some = (some | some >> np.uint64(1 << doubled)) & _FIRST[doubled]


def chosen(call: Call, total: NDArray[np.int32], workers: int) -> Call:
    """The same call with the block size that costs the fewest bytes. total: the sum of all workers' `counts`.

    Non-zero blocks of several workers may coincide, so the size of their union is unknown. It is estimated by the
    geometric mean of its bounds, n / workers and n. If no worker has a zero block, there is nothing to estimate.
    """
    sizes, spread = total[: len(BLOCK_WORDS)].tolist(), total[len(BLOCK_WORDS) :]
    costs = [cost(blocks, words) for blocks, words in zip(sizes, BLOCK_WORDS, strict=True)]
    best = costs.index(min(costs))
    signature = call.signature.of_blocks(block_sizes(call.signature.width)[best])
    if sizes[best] == workers * signature.blocks:
        return signature.call(call.number)
    expected = min(max(1, math.ceil(sizes[best] / math.sqrt(workers))), signature.blocks)
    return signature.call(call.number, expected, spread.tobytes())


def dense(call: Call, total: NDArray[np.int32], workers: int) -> bool:
    """Whether no worker has a zero block, of any size. total: as for `chosen`."""
    smallest = block_sizes(call.signature.width)[0]
    return bool(total[0] == workers * -(-call.signature.length // smallest))


def cost(blocks: int, words: int) -> int:
    """The bytes that `blocks` blocks of `words` words each take on the wire."""
    columns = PACKET_ELEMENTS // words
    return blocks * words * 4 + -(-blocks // columns) * _HEADERS[columns]
