"""Memory for many workers' tensors and results, of which only the pages in use exist."""

from __future__ import annotations

import ctypes
import mmap
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.native.memory import call_at
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.tensor.bitmap import new_bitmap
from dropzero.protocol.tensor.simd import GRANULE

PAGE = mmap.PAGESIZE
_ELEMENTS = PAGE // 4
_WORDS = _ELEMENTS // GRANULE // 32
"""32 bits of a bitmap each."""
_RELEASE = ctypes.cast(ctypes.CDLL(None).madvise, ctypes.c_void_p).value or 0


def zeros(elements: int) -> NDArray[np.float32]:
    """Zeros whose pages take no memory until something is written there."""
    room = mmap.mmap(-1, max(1, 4 * elements), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):
        # The kernel may have no huge pages.
        room.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(room, np.float32, elements)


class Received:
    """A worker's result. `check` gives back the pages that hold what they should, so that large results of many workers
    need little memory at once.

    Args:
        expected: the sum, shape (elements,).
        needed: a bitmap of its granules that are not zero.
        own: the part that the worker needs.

    Attributes:
        target: where it arrives; zero where it has been checked.
    """

    def __init__(self, expected: NDArray[np.float32], needed: NDArray[np.uint64], own: slice = slice(None)) -> None:
        granules = -(-len(expected) // GRANULE)
        self.target = Target(zeros(len(expected)).view(np.uint32), new_bitmap(granules), new_bitmap(granules))
        self._first, self._end, _ = own.indices(len(expected))
        self._expected, self._needed = expected.view(np.uint32), needed.view(np.uint32)
        self._checked = np.zeros(-(-self._end // _ELEMENTS) - self._first // _ELEMENTS, np.bool_)

    def check(self) -> None:
        """Checks the pages that have arrived as a whole."""
        self._check(last=False)

    def restart(self) -> None:
        """Everything arrives again."""
        self._checked[:] = False

    def content(self) -> NDArray[np.uint32]:
        """What has arrived, as bit patterns, with what has been checked."""
        own = slice(self._first, self._end)
        checked = np.repeat(self._checked, _ELEMENTS)[self._first % _ELEMENTS :][: self._end - self._first]
        return np.where(checked, self._expected[own], self.target.patterns[own])

    def exact(self) -> bool:
        """Whether every page was, or is, what it should be. After the call."""
        return self._check(last=True) == 0

    def _check(self, last: bool) -> int:
        target, wanted = self.target, (self._expected, self._needed)
        fresh = target.fresh.view(np.uint32)
        return check(target.patterns, fresh, *wanted, self._checked, self._first, self._end, last, _RELEASE)


def needed(expected: NDArray[np.float32]) -> NDArray[np.uint64]:
    """The bitmap of an array's granules that are not zero."""
    return Source.of(expected).nonzero


@compiled
def check(
    patterns: NDArray[np.uint32],
    fresh: NDArray[np.uint32],
    expected: NDArray[np.uint32],
    needed: NDArray[np.uint32],
    checked: NDArray[np.bool_],
    first: int,
    end: int,
    last: bool,
    release: int,
) -> int:
    """Marks the pages of `patterns` that hold what is expected from element `first` on and before `end`, and gives
    their memory back. Returns how many others there are.

    last: look at all pages, also at those that nothing was written to; otherwise only at those that have all granules
    that are needed. release: the address of madvise(2).
    """
    others = 0
    for which in range(len(checked)):
        if checked[which]:
            continue
        page = first // _ELEMENTS + which
        if not last:
            some, whole = False, True
            for word in range(page * _WORDS, min((page + 1) * _WORDS, len(needed))):
                some |= needed[word] != 0
                whole &= fresh[word] & needed[word] == needed[word]
            if not (some and whole):
                others += 1
                continue
        differs = np.uint32(0)
        for at in range(max(first, page * _ELEMENTS), min((page + 1) * _ELEMENTS, end)):
            differs |= patterns[at] ^ expected[at]
        if differs:
            others += 1
            continue
        checked[which] = True
        call_at(release, (int(patterns.ctypes.data) + PAGE * page, PAGE, int(mmap.MADV_DONTNEED)))
    return others
