"""Which block size an array is cheapest with: small ones find more zeros, large ones need fewer headers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protocol.arrays import Source, coarser
from protocol.window import ENOUGH
from protocol.wire import BLOCK_WORDS, OUTER_BYTES, PACKET_ELEMENTS, Width, block_sizes, payload_bytes

SMALL = int(ENOUGH) * PACKET_ELEMENTS
"""Elements of an array that goes out all at once whatever its blocks: to choose would take longer than to send it."""


class Choice(NamedTuple):
    """What all workers use. block: elements in a block. expected: see protocol.call.Call."""

    block: int
    expected: int


def held(source: Source, width: Width) -> NDArray[np.int32]:
    """How many of the array's blocks are not zero, of each size that there is for that width, shape (4,)."""
    exponents = source.blocks(block_sizes(width)[0])
    counts = []
    for _ in BLOCK_WORDS:
        counts.append(np.count_nonzero(exponents))
        exponents = coarser(exponents)
    return np.array(counts, np.int32)


def choice(total: NDArray[np.int32], width: Width, workers: int) -> Choice:
    """The size with which it takes the fewest bytes to send the blocks, of which all workers together hold so many.

    Of how many it is that some worker holds one is not known: the mean, in proportion, of the fewest and the most.
    """
    counts = [int(count) for count in total]
    costs = [cost(count, words) for count, words in zip(counts, BLOCK_WORDS, strict=True)]
    best = costs.index(min(costs))
    return Choice(block_sizes(width)[best], max(1, math.ceil(counts[best] / math.sqrt(workers))))


def cost(blocks: int, words: int) -> int:
    """Bytes that it takes to send so many blocks of so many words."""
    columns = PACKET_ELEMENTS // words
    return blocks * words * 4 + -(-blocks // columns) * (OUTER_BYTES + payload_bytes(columns, 0))
