"""Which block size an array is cheapest with: small ones find more zeros, large ones need fewer headers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocol.wire import BLOCK_WORDS, OUTER_BYTES, PACKET_ELEMENTS, Width, block_sizes, payload_bytes


def costs(array: NDArray[Any], width: Width) -> NDArray[np.int32]:
    """About how many bytes it takes to send the array's non-zero blocks, shape (4,): one cost a block size."""
    held = np.flatnonzero(array)
    found = []
    for size, words in zip(block_sizes(width), BLOCK_WORDS, strict=True):
        blocks = len(np.unique(held // size))
        columns = PACKET_ELEMENTS // words
        headers = -(-blocks // columns) * (OUTER_BYTES + payload_bytes(columns, 0))
        found.append(min(blocks * words * 4 + headers, 2**24))
    return np.array(found, np.int32)
