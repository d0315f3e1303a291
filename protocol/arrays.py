"""The array that a worker brings to a collective, and the memory for the result, with what is known of their parts.

A part is 32 elements, as many as the smallest block has. That most parts of a sparse array are zero is found out in one
pass over it; the result is written and copied without another, and cleared only where nothing was written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from protocol.call import check_type
from protocol.fixedpoint import NOT_FINITE
from protocol.native import compiled
from protocol.parts import PART, PART_BYTES, blank, largest, lowest, none, prefetch, settle, wipe

Tensor = NDArray[np.float32] | NDArray[np.int32]

AHEAD = 8
"""Parts are fetched while so many others before them are copied: they are all over the memory, from where it takes long
to get them."""
STRETCHES = 4
"""Places in an array that is looked through, at once: the processor fetches ahead in each of them."""
FEW = 4
"""When less than a fourth of a result's parts were written, the others are not looked at again."""
SMALL = 8
"""Of so few parts all are."""

STALE, FRESH = 1, 2
"""A part of a result that is not zero is left from a call before, or has been written in this one."""


class Source(NamedTuple):
    """What is to be reduced."""

    array: Tensor
    """Shape (n,)."""
    is_float: bool
    """It is of float32; else of int32."""
    exponents: NDArray[np.int16]
    """Of each part, shape (ceil(n / 32),): biased (see protocol.fixedpoint), or 1 for integers; 0: it is all zero."""
    plain: bool
    """No part that is all zero has a -0.0."""

    @classmethod
    def of(cls, array: Tensor) -> Self:
        """Looks through an array of any shape.

        Raises:
            ValueError: it is of another type than these two, or a part of it is not finite.
        """
        check_type(array.dtype)
        is_float = array.dtype == np.float32
        flat: Any = np.ascontiguousarray(array).reshape(-1)
        if not flat.flags.behaved:
            # To compiled code those that are read-only or not aligned are of another type.
            flat = flat.copy()
        exponents = np.zeros(-(-len(flat) // PART), np.int16)
        plain, infinite = find(flat.view(np.uint32), is_float, 0, exponents)
        if infinite >= 0:
            first = infinite * PART
            raise not_finite(first, min(first + PART, len(flat)))
        return cls(flat, is_float, exponents, plain)

    def blocks(self, size: int) -> NDArray[np.int16]:
        """The same of each block of `size` elements, 32 times a power of two."""
        exponents = self.exponents
        for _ in range((size // PART).bit_length() - 1):
            exponents = coarser(exponents)
        return exponents


def coarser(exponents: NDArray[np.int16]) -> NDArray[np.int16]:
    """The exponents of blocks of twice the size."""
    if len(exponents) % 2:
        exponents = np.append(exponents, np.int16(0))
    return np.maximum(exponents[::2], exponents[1::2])


class Target(NamedTuple):
    """Where a result is made. What is not written is zero."""

    patterns: NDArray[np.uint32]
    """The bit patterns of the elements, shape (n,)."""
    parts: NDArray[np.uint8]
    """STALE, FRESH, or 0: it is zero; shape (ceil(n / 32),). None is stale once a call is over."""

    @classmethod
    def new(cls, length: int) -> Self:
        """Of so many zeros."""
        parts = np.zeros(-(-length // PART), np.uint8)
        if len(parts) <= SMALL:
            return cls(np.zeros(length, np.uint32), parts)
        # Parts that begin at multiples of their size take up no more cache lines than they fill.
        room = np.zeros(length + PART, np.uint32)
        first = -room.ctypes.data % PART_BYTES // 4
        return cls(room[first : first + length], parts)

    @classmethod
    def around(cls, array: Tensor) -> Self:
        """The memory of an array, shape (n,), and what is in it."""
        return cls(array.view(np.uint32), np.full(-(-len(array) // PART), FRESH, np.uint8))

    def twin(self) -> Self:
        """The same in memory of its own."""
        return type(self)(self.patterns.copy(), self.parts.copy())

    def copy(self, out: NDArray[Any] | None, source: Source) -> NDArray[Any]:
        """The elements, shape (n,), in memory of their own: in `out`, of that shape and the source's type, or a new
        array. `out` may be the source's array itself, whose zeros are not written again."""
        few = len(self.parts) > SMALL and FEW * np.count_nonzero(self.parts) < len(self.parts)
        if not few:
            out = np.empty(len(self.patterns), source.array.dtype) if out is None else out
            out.view(np.uint32)[:] = self.patterns
            return out
        if out is None:
            out = np.zeros(len(self.patterns), source.array.dtype)
        elif source.plain and out.ctypes.data == source.array.ctypes.data:
            _clear_others(source.exponents, self.parts, out.view(np.uint32))
        elif out.flags.carray:
            _clear(out.view(np.uint32))
        else:
            out.fill(0)
        _copy(self.patterns, self.parts, out.view(np.uint32), np.empty(AHEAD, np.int64))
        return out


def not_finite(first: int, end: int) -> ValueError:
    """About those elements of an array."""
    return ValueError(f"elements {first} to {end - 1} are not all finite")


@compiled
def find(patterns: NDArray[np.uint32], is_float: bool, larger: int, exponents: NDArray[np.int16]) -> tuple[bool, int]:
    """The exponents, all 0 before, of the blocks of 2^larger parts of an array that is given as bit patterns. Says
    whether all parts that are 0 have no bit set, and which is the first that is not finite (-1: all are)."""
    plain, infinite = True, -1
    counted = np.uint32(0x7FFFFFFF if is_float else 0xFFFFFFFF)
    address = np.uintp(patterns.ctypes.data)
    parts = (len(patterns) + PART - 1) // PART
    stretch = parts // STRETCHES
    for number in range(parts):
        part = number % STRETCHES * stretch + number // STRETCHES if number < STRETCHES * stretch else number
        word = np.uint32(0)
        if (part + 1) * PART <= len(patterns):
            here = address + np.uintp(PART_BYTES * part)
            if blank(here):
                continue
            word = largest(here, counted)
        else:
            blank_rest = True
            for i in range(part * PART, len(patterns)):
                blank_rest &= patterns[i] == 0
                word = max(word, patterns[i] & counted)
            if blank_rest:
                continue
        if word == 0:
            plain = False
        elif is_float:
            exponent = np.int16(word >> np.uint32(23)) + np.int16(1)
            exponents[part >> larger] = max(exponents[part >> larger], exponent)
            if exponent == NOT_FINITE and not 0 <= infinite < part:
                infinite = part
        else:
            exponents[part >> larger] = 1
    return plain, infinite


def _search(bits: int, wanted: int) -> Callable[[NDArray[Any], int, int], int]:
    """Looks through marks of so many bits, a word at a time, for one that has any of the wanted ones."""
    many = 64 // bits
    all_wanted = np.uint64(sum(wanted << at for at in range(0, 64, bits)))

    @compiled
    def search(marks: NDArray[Any], first: int, end: int) -> int:
        whole = end // many
        words = marks[: many * whole].view(np.uint64)
        word = first // many
        if word < whole:
            left = (words[word] & all_wanted) >> np.uint64(bits * (first % many))
            if left:
                return first + int(lowest(left) // np.uint64(bits))
            word += 1
            # Mostly there are none.
            here = np.uintp(marks.ctypes.data)
            while word + 2 <= whole and none(here + np.uintp(8 * word)):
                word += 2
            while word < whole:
                left = words[word] & all_wanted
                if left:
                    return many * word + int(lowest(left) // np.uint64(bits))
                word += 1
            first = many * whole
        while first < end and not marks[first] & wanted:
            first += 1
        return first

    return search


following = _search(16, 0xFFFF)
"""(exponents, block, end) -> the first block from that one on, and before `end`, whose exponent is not 0; `end` if
there is none."""
_fresh, _stale = _search(8, FRESH), _search(8, STALE)
"""Likewise the first part that is fresh, and stale."""


@compiled
def _copy(
    patterns: NDArray[np.uint32], parts: NDArray[np.uint8], out: NDArray[np.uint32], fetched: NDArray[np.int64]
) -> None:
    """Copies the parts that are fresh. fetched: memory for the next ones, shape (AHEAD,)."""
    found = copied = 0
    part = _fresh(parts, 0, len(parts))
    while copied < found or part < len(parts):
        while part < len(parts) and found < copied + AHEAD:
            for line in range(0, PART_BYTES, 64):
                place = np.uintp(PART_BYTES * part + line)
                prefetch(np.uintp(patterns.ctypes.data) + place)
                prefetch(np.uintp(out.ctypes.data) + place)
            fetched[found % AHEAD] = part
            found += 1
            part = _fresh(parts, part + 1, len(parts))
        first = fetched[copied % AHEAD] * PART
        copied += 1
        if first + PART <= len(patterns):
            for at in range(first, first + PART):
                out[at] = patterns[at]
        else:
            for at in range(first, len(patterns)):
                out[at] = patterns[at]


@compiled
def age(parts: NDArray[np.uint8]) -> None:
    """A call begins: what a target holds is of one before."""
    for part in range(len(parts)):
        parts[part] = min(parts[part], STALE)


@compiled
def clear(patterns: NDArray[np.uint32], parts: NDArray[np.uint8]) -> None:
    """A call is over: makes what is stale in a target zero."""
    aligned = not np.uintp(patterns.ctypes.data) % np.uintp(PART_BYTES)
    part = _stale(parts, 0, len(parts))
    while part < len(parts):
        if aligned and (part + 1) * PART <= len(patterns):
            wipe(np.uintp(patterns.ctypes.data) + np.uintp(PART_BYTES * part))
        else:
            patterns[part * PART : (part + 1) * PART] = 0
        parts[part] = 0
        part = _stale(parts, part + 1, len(parts))
    settle()


@compiled
def _clear_others(exponents: NDArray[np.int16], parts: NDArray[np.uint8], out: NDArray[np.uint32]) -> None:
    """Sets the parts of `out` to zero that are not fresh, of those that are not zero."""
    part = following(exponents, 0, len(exponents))
    while part < len(exponents):
        if not parts[part]:
            out[part * PART : (part + 1) * PART] = 0
        part = following(exponents, part + 1, len(exponents))


@compiled
def _clear(words: NDArray[np.uint32]) -> None:
    """Sets all of them to zero, which lie one after the other and are aligned."""
    address = words.ctypes.data
    first = min(-address % PART_BYTES // 4, len(words))
    words[:first] = 0
    whole = (len(words) - first) // PART
    for part in range(whole):
        wipe(np.uintp(address + 4 * first + PART_BYTES * part))
    settle()
    words[first + whole * PART :] = 0
