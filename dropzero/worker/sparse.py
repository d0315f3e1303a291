"""Sums rows of a table by index, such as gradients of embeddings, without sending rows that no worker has.

[OmniReduce] (algorithm 3) merges sorted streams of key-value pairs. Here the workers first exchange their indices, each
in its own part of one array, and then sum the rows of the union of all indices. Zero blocks are not sent, so each
worker sends only its own rows, and 4 or 8 bytes for each index. It receives the union's rows and all workers' indices.
The size of the table does not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.wire import Width, block_sizes

INDEX_TYPES = (np.int32, np.int64)


def coalesced(indices: NDArray[Any], rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sorts rows by index, and adds up rows with the same index. Returns the unique indices, shape (k,), and their
    rows, shape (k, n).

    Raises:
        ValueError: `indices` is not 1-D int32 or int64 with one index for each row, or an index is negative or the
            largest of its dtype.
    """
    if indices.ndim != 1 or indices.dtype not in INDEX_TYPES:
        raise ValueError(f"indices must be a 1-D array of int32 or int64, not {indices.ndim}-D {indices.dtype}")
    if rows.ndim < 1 or len(rows) != len(indices):
        raise ValueError(f"{len(indices)} indices need an array of {len(indices)} rows, not shape {rows.shape}")
    largest = np.iinfo(indices.dtype).max - 1
    if len(indices) and not 0 <= indices.min() <= indices.max() <= largest:
        wrong = indices.min() if indices.min() < 0 else indices.max()
        raise ValueError(f"indices of {indices.dtype} must be 0 to {largest}, not {wrong}")
    flat = rows.reshape(len(rows), int(np.prod(rows.shape[1:])))
    found, places = np.unique(indices, return_inverse=True)
    if len(found) == len(indices):
        added = np.empty_like(flat)
        added[places] = flat
    else:
        added = np.zeros((len(found), flat.shape[1]), flat.dtype)
        np.add.at(added, places, flat)
    return found, added


def union(lists: NDArray[Any]) -> NDArray[Any]:
    """The unique indices in all workers' lists, ascending. In the lists, indices are increased by one; 0 is padding."""
    indices: NDArray[Any] = np.unique(lists[lists != 0]) - lists.dtype.type(1)
    return indices


def row_block(elements: int, width: Width) -> int:
    """The largest block size that a row of `elements` elements fills; the smallest one for shorter rows."""
    sizes = block_sizes(width)
    return max((size for size in sizes if size <= elements), default=sizes[0])
