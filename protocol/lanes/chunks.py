"""How a call's blocks are shared out: in strips, that columns have to begin with or are dealt later.

The tensor is cut into regions, and each region into as many strips as there are columns. Where it is known how the
blocks that are not zero are spread, a strip is a part of the tensor, in which as many of them are expected as in the
others of its region; elsewhere it is every so manieth block of the region, because where some are, there are others
near. The first region is most of the tensor; those after it are half of what is left each (guided self-scheduling,
Polychronopoulos and Kuck, 1987). So a column that is done early takes work over from others, and a strip near the end
is too short to hold anybody up. Each strip costs a round without data: none is very short, and tensors of few blocks
are not dealt at all.

Lanes beyond the lowest ones may not be in the window (window.py) for long, and a strip that waited there for its turn
would hold everybody up at the end. So they have none to begin with.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.lanes.window import ENOUGH
from dropzero.protocol.native.compilation import compiled

DEALT_SHARE = 4
"""A fourth of the blocks is left to be dealt."""
SHORTEST = 16
"""Blocks that are expected in a strip that is dealt, at least."""

WORTH_A_LANE = 10
"""Blocks in each of a lane's columns, at least, beyond the lowest lanes: every lane costs a packet without data."""

_UNIT = 20
"""Shares of what is expected are counted in 2^-20 of it."""


def occupied(blocks: int, columns: int, lanes: int, expected: int = 0) -> int:
    """How many of a job's lanes a call takes, of `columns` blocks a packet each. expected: see Call."""
    return min(lanes, -(-blocks // columns), max(int(ENOUGH), (expected or blocks) // (columns * WORTH_A_LANE)))


class Strips(NamedTuple):
    """Strip s is every `step`-th block from first[s] on, up to the one before end[s]; both of shape (strips,)."""

    first: NDArray[np.int64]
    end: NDArray[np.int64]
    step: int


@lru_cache(maxsize=64)
def strips(blocks: int, columns: int, expected: int = 0, spread: bytes = b"") -> Strips:
    """The strips of a tensor of so many blocks, those of the first region before those of the next.

    columns: of all lanes together. expected, spread: see dropzero.protocol.lanes.call.Call.
    """
    if not columns:
        return Strips(np.zeros(0, np.int64), np.zeros(0, np.int64), 1)
    # Of what is expected, in each column.
    rows = -(-(expected if spread else blocks) // columns)
    left = rows // DEALT_SHARE
    if left < SHORTEST:
        left = 0
    lengths = [rows - left]
    while left:
        lengths.append(max(-(-left // 2), SHORTEST) if left >= 2 * SHORTEST else left)
        left -= lengths[-1]
    if not spread:
        ends = np.cumsum(lengths) * columns
        first = (np.append(0, ends[:-1])[:, np.newaxis] + np.arange(columns)).reshape(-1)
        return Strips(first, np.minimum(np.repeat(ends, columns), blocks), columns)
    places = np.empty(len(lengths) * columns + 1, np.int64)
    _cut(blocks, columns, np.array(lengths), np.frombuffer(spread, np.uint16), places)
    return Strips(places[:-1], places[1:], 1)


@compiled
def _cut(
    blocks: int, columns: int, lengths: NDArray[np.int64], spread: NDArray[np.uint16], places: NDArray[np.int64]
) -> None:
    """Finds the places at which strips begin, and the last one ends: each has as much of what is spread like that as it
    has of all rows, of which lengths[r] are in every one of region r's `columns` strips. Reckoned in whole numbers,
    which are the same on all workers."""
    size = section_length(blocks, len(spread))
    rows, total = 0, 0
    for length in lengths:
        rows += length * columns
    for count in spread:
        total += int(count)
    # Of the rows; of what is spread, in the sections before that one.
    before = at = section = passed = 0
    for length in lengths:
        for _ in range(columns):
            wanted = (before << _UNIT) // rows * total
            while section + 1 < len(spread) and passed + int(spread[section]) << _UNIT <= wanted:
                passed += int(spread[section])
                section += 1
            start = min(section * size, blocks)
            inside = (wanted - (passed << _UNIT)) * (min(start + size, blocks) - start)
            places[at] = start + inside // max(int(spread[section]) << _UNIT, 1)
            before += length
            at += 1
    places[0], places[at] = 0, blocks


@compiled
def section_length(blocks: int, sections: int) -> int:
    """Blocks in each of so many sections of a tensor; the last ones may lack some."""
    return -(-blocks // sections)


def given(count: int, lanes: int, columns: int) -> int:
    """How many columns have one of so many strips to begin with, of so many lanes' with `columns` each."""
    stride = lanes * columns
    return stride if count <= stride else min(stride, int(ENOUGH) * columns)
