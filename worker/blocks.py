"""Which block size an array is cheapest with: small ones find more zeros, large ones need fewer headers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocol.native import compiled
from protocol.wire import BLOCK_WORDS, MAX_WORKERS, OUTER_BYTES, PACKET_ELEMENTS, Width, block_sizes, payload_bytes

COST_BITS = 31 - (MAX_WORKERS - 1).bit_length()
"""Of one worker's cost, which is below twice its array's bytes."""


def costs(array: NDArray[Any], width: Width) -> NDArray[np.int32]:
    """About how many bytes it takes to send the non-zero blocks of an array of float32 or int32, shape (4,): one cost a
    block size. Of large arrays in units of 2, 4, 8 or more bytes, so that the sum over all workers is an int32."""
    unit = max(0, (8 * array.size).bit_length() - COST_BITS)
    held: NDArray[np.int64] = np.zeros(len(BLOCK_WORDS), np.int64)
    patterns = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
    _count(patterns, 0x7FFFFFFF if array.dtype == np.float32 else 0xFFFFFFFF, block_sizes(width)[0], held)
    found = []
    for blocks, words in zip(held.tolist(), BLOCK_WORDS, strict=True):
        columns = PACKET_ELEMENTS // words
        headers = -(-blocks // columns) * (OUTER_BYTES + payload_bytes(columns, 0))
        found.append((blocks * words * 4 + headers) >> unit)
    return np.array(found, np.int32)


@compiled
def _count(patterns: NDArray[np.uint32], counted: int, size: int, held: NDArray[np.int64]) -> None:
    """How many blocks of `size` elements, and of twice, four and eight times as many, are not zero. counted: the bits
    of an element that say so."""
    end = 0
    for block in range((len(patterns) + size - 1) // size):
        bits = np.uint32(0)
        for pattern in patterns[block * size : (block + 1) * size]:
            bits |= pattern
        if bits & np.uint32(counted):
            for doubling in range(len(held)):
                # Unless another one in the larger block was not zero either.
                held[doubling] += block >> doubling >= -(-end >> doubling)
            end = block + 1
