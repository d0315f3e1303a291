"""The array that a worker brings to a collective, and the memory for the result, with what is known of their parts.

A part is 32 elements, as many as the smallest block has. That most parts of a sparse array are zero is found out in one
pass over it; the result is written and copied without another, and cleared only where nothing was written.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.protocol.call import check_type
from dropzero.protocol.marks import BITS, ONE, Marks, all_marks, following, mark, marked, new_marks
from dropzero.protocol.native import compiled
from dropzero.protocol.parts import PART, PART_BYTES, blank, largest, lowest, ones, prefetch, settle, wipe

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


class Source(NamedTuple):
    """What is to be reduced."""

    array: Tensor
    """Shape (n,)."""
    is_float: bool
    """It is of float32; else of int32."""
    marks: Marks
    """Of the parts that are not zero."""
    exponents: NDArray[np.uint8]
    """Of each of these, biased (see dropzero.protocol.fixedpoint), or 0 for integers; shape (ceil(n / 32),)."""
    plain: bool
    """No part that is all zero has a -0.0."""

    @classmethod
    def of(cls, array: Tensor) -> Self:
        """Looks through an array of any shape.

        Raises:
            ValueError: it is of another type than these two.
        """
        check_type(array.dtype)
        is_float = array.dtype == np.float32
        flat: Any = np.ascontiguousarray(array).reshape(-1)
        if not flat.flags.behaved:
            # To compiled code those that are read-only or not aligned are of another type.
            flat = flat.copy()
        parts = -(-len(flat) // PART)
        marks, exponents = new_marks(parts), np.empty(parts, np.uint8)
        plain = find(flat.view(np.uint32), is_float, marks, exponents)
        return cls(flat, is_float, marks, exponents, plain)


class Target(NamedTuple):
    """Where a result is made. What is not written is zero."""

    patterns: NDArray[np.uint32]
    """The bit patterns of the elements, shape (n,)."""
    fresh: Marks
    """Of the parts that were written in this call."""
    stale: Marks
    """Of those that were before; none once a call is over."""

    @classmethod
    def new(cls, length: int) -> Self:
        """Of so many zeros."""
        parts = -(-length // PART)
        if parts <= SMALL:
            return cls(np.zeros(length, np.uint32), new_marks(parts), new_marks(parts))
        # Parts that begin at multiples of their size take up no more cache lines than they fill.
        room = np.zeros(length + PART, np.uint32)
        first = -room.ctypes.data % PART_BYTES // 4
        return cls(room[first : first + length], new_marks(parts), new_marks(parts))

    @classmethod
    def around(cls, array: Tensor) -> Self:
        """The memory of an array, shape (n,), and what is in it."""
        parts = -(-len(array) // PART)
        return cls(array.view(np.uint32), all_marks(parts), new_marks(parts))

    def snapshot(self) -> Self:
        """The elements as they are now, in memory of their own; what is said of them goes on changing."""
        return type(self)(self.patterns.copy(), self.fresh, self.stale)

    def copy(self, out: NDArray[Any] | None, source: Source) -> NDArray[Any]:
        """The elements, shape (n,), in memory of their own: in `out`, of that shape and the source's type, or a new
        array. `out` may be the source's array itself, whose zeros are not written again."""
        parts = -(-len(self.patterns) // PART)
        if parts <= SMALL or FEW * _count(self.fresh) >= parts:
            out = np.empty(len(self.patterns), source.array.dtype) if out is None else out
            out.view(np.uint32)[:] = self.patterns
            return out
        if out is None:
            out = np.zeros(len(self.patterns), source.array.dtype)
        elif source.plain and out.ctypes.data == source.array.ctypes.data:
            _clear_others(source.marks, self.fresh, out.view(np.uint32))
        elif out.flags.carray:
            _clear(out.view(np.uint32))
        else:
            out.fill(0)
        _copy(self.patterns, self.fresh, out.view(np.uint32))
        return out


@compiled
def find(patterns: NDArray[np.uint32], is_float: bool, marks: Marks, exponents: NDArray[np.uint8]) -> bool:
    """Marks the parts that are not zero, where none is marked, of an array that is given as bit patterns, and says
    their exponents. Returns whether all others have no bit set."""
    plain = True
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
            continue
        mark(marks, part, 1)
        exponents[part] = word >> np.uint32(23) if is_float else 0
    return plain


@compiled
def exponent(marks: Marks, exponents: NDArray[np.uint8], block: int, larger: int) -> int:
    """The exponent of a block of 2^larger parts; 0 also if all of it is zero."""
    most = 0
    for part in range(block << larger, min(block + 1 << larger, len(exponents))):
        if marked(marks, part, 1):
            most = max(most, int(exponents[part]))
    return most


@compiled
def _count(marks: Marks) -> int:
    count = 0
    for word in marks:
        count += int(ones(word))
    return count


@compiled
def _copy(patterns: NDArray[np.uint32], fresh: Marks, out: NDArray[np.uint32]) -> None:
    """Copies the parts that are fresh."""
    parts = (len(patterns) + PART - 1) // PART
    part = ahead = following(fresh, 0, parts)
    fetched = 0
    while part < parts:
        while ahead < parts and fetched < AHEAD:
            for line in range(0, PART_BYTES, 64):
                place = np.uintp(PART_BYTES * ahead + line)
                prefetch(np.uintp(patterns.ctypes.data) + place)
                prefetch(np.uintp(out.ctypes.data) + place)
            fetched += 1
            ahead = following(fresh, ahead + 1, parts)
        first = part * PART
        if first + PART <= len(patterns):
            for at in range(first, first + PART):
                out[at] = patterns[at]
        else:
            for at in range(first, len(patterns)):
                out[at] = patterns[at]
        fetched -= 1
        part = following(fresh, part + 1, parts)


@compiled
def age(fresh: Marks, stale: Marks) -> None:
    """A call begins: what a target holds is of one before."""
    for word in range(len(fresh)):
        stale[word] |= fresh[word]
        fresh[word] = 0


@compiled
def clear(patterns: NDArray[np.uint32], fresh: Marks, stale: Marks) -> None:
    """A call is over: makes what is stale in a target zero, and not fresh."""
    aligned = not np.uintp(patterns.ctypes.data) % np.uintp(PART_BYTES)
    for word in range(len(stale)):
        left = stale[word] & ~fresh[word]
        stale[word] = 0
        while left:
            part = BITS * word + int(lowest(left))
            left &= left - ONE
            if aligned and (part + 1) * PART <= len(patterns):
                wipe(np.uintp(patterns.ctypes.data) + np.uintp(PART_BYTES * part))
            else:
                patterns[part * PART : (part + 1) * PART] = 0
    settle()


@compiled
def _clear_others(marks: Marks, fresh: Marks, out: NDArray[np.uint32]) -> None:
    """Sets the parts of `out` to zero that are not fresh, of those that are not zero."""
    for word in range(len(marks)):
        left = marks[word] & ~fresh[word]
        while left:
            part = BITS * word + int(lowest(left))
            left &= left - ONE
            out[part * PART : (part + 1) * PART] = 0


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
