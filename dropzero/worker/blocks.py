"""Chooses the cheapest block size for an array: small blocks find more zeros, large ones need fewer headers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.call import Call, Signature
from dropzero.protocol.lanes.chunks import log2_group, most_groups
from dropzero.protocol.lanes.window import MIN_LANES
from dropzero.protocol.tensor.arrays import Source
from dropzero.protocol.tensor.bitmap import BITS, folded, full_bitmap, set_groups
from dropzero.protocol.tensor.simd import log2_granules
from dropzero.protocol.wire import (
    BLOCK_WORDS,
    OUTER_BYTES,
    PACKET_ELEMENTS,
    Operation,
    Width,
    block_for,
    block_sizes,
    payload_bytes,
)

FEW = int(MIN_LANES) * PACKET_ELEMENTS
"""Elements that fit into the first window with any block size: for arrays up to this size, choosing would cost more
than sending."""

UPLINK = 16
"""A byte of the sum counts UPLINK times as much as one that a worker sends: links to the workers carry more."""

_OTHERS = len(BLOCK_WORDS) + 1
"""Words of 64 bits in `held` after the bitmap."""
_STEPS, _LARGEST = 4, BITS - 1
"""Bit _LARGEST - n of such a word stands for a share of 2^(-n / _STEPS)."""

_HEADERS = {PACKET_ELEMENTS // words: OUTER_BYTES + payload_bytes(PACKET_ELEMENTS // words, 0) for words in BLOCK_WORDS}
"""The bytes of a packet without data, by its number of columns."""


def held(source: Source, width: Width, lanes: int) -> NDArray[np.int32]:
    """What a worker tells the others of its array: a bitmap of the non-zero groups of granules; for each block size of
    this width, one bit of 64 for the share of blocks that are not zero; and whether there is a zero granule.

    lanes: of the job.
    """
    groups = folded(source.nonzero, log2_group(len(source.array), most_groups(lanes)))
    words = np.zeros(len(groups) + _OTHERS, np.uint64)
    words[:-_OTHERS] = groups
    for at, size in enumerate(block_sizes(width)):
        log2 = log2_granules(size)
        if count := set_groups(source.nonzero, log2):
            halvings = math.log2(-(-len(source.exponents) >> log2) / count)
            words[at - _OTHERS] = np.uint64(1 << max(0, _LARGEST - int(_STEPS * halvings)))
    words[-1] = not np.array_equal(source.nonzero, full_bitmap(len(source.exponents)))
    return words.view(np.int32)


def union_of(words: int) -> Signature:
    """The signature of the call that combines all workers' `held`, of `words` words, by bitwise or."""
    return Signature.of("union", np.dtype(np.int32), words, Operation.OR, block=block_for(words))


def chosen(call: Call, union: NDArray[np.int32], workers: int) -> Call:
    """The same call with the block size for which the sum takes the fewest bytes, and if sizes are nearly equal, the
    worker that sends the most. union: of all `workers` workers' `held`."""
    words, signature = union.view(np.uint64), call.signature
    bitmap, shares = words[:-_OTHERS], words[-_OTHERS:-1].tolist()
    sizes, group = block_sizes(signature.width), log2_group(signature.length, BITS * len(bitmap))
    expected, costs = [], []
    for size, words_of_block, share in zip(sizes, BLOCK_WORDS, shares, strict=True):
        blocks = -(-signature.length // size)
        most = blocks / 2 ** ((_LARGEST + 1 - share.bit_length()) / _STEPS)
        log2 = log2_granules(size) - group
        some = set_groups(bitmap, max(0, log2))
        if log2 < 0:
            # A group has one block at least, and all at most. The sum has those of one worker at least.
            least, largest = max(some, most), min(some << -log2, workers * most, blocks)
            some = min(math.ceil(math.sqrt(least * largest)), blocks)
        expected.append(some)
        costs.append(UPLINK * cost(some, words_of_block) + cost(round(most), words_of_block))
    best = costs.index(min(costs))
    signature = signature.of_blocks(sizes[best])
    if expected[best] == signature.blocks:
        return signature.call(call.number)
    return signature.call(call.number, max(1, expected[best]), bitmap.tobytes())


def dense(union: NDArray[np.int32]) -> bool:
    """Whether no worker has a zero granule. union: of all workers' `held`."""
    return not union[-2:].any()


def cost(blocks: int, words: int) -> int:
    """The bytes that `blocks` blocks of `words` words each take on the wire."""
    columns = PACKET_ELEMENTS // words
    return blocks * words * 4 + -(-blocks // columns) * _HEADERS[columns]
