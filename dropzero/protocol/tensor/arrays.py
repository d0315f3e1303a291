"""A collective's input array and the memory for its result, each with bitmaps of its granules.

A granule is 32 elements, the smallest block. One pass over an array finds its non-zero granules. A result is copied and
cleared only where it was written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled, inlined
from dropzero.native.intrinsics import fence, lowest_bit, popcount, prefetch
from dropzero.protocol.tensor.bitmap import BITS, ONE, Bitmap, any_set, full_bitmap, new_bitmap, next_set, set_bits
from dropzero.protocol.tensor.simd import GRANULE, GRANULE_BYTES, is_zero, largest, stream_zeros

Tensor = NDArray[np.float32] | NDArray[np.int32]

AHEAD = 8
"""How many granules ahead to prefetch while copying, because they are scattered."""
READ_AHEAD = 8192
"""How many bytes ahead to prefetch while reading a whole array: the processor itself stops at the end of each page."""
SPARSE = 4
"""A result is copied granule by granule if fewer than 1 in SPARSE granules were written, else as a whole."""
SMALL = 8
"""A result of up to this many granules is always copied as a whole."""

_TYPES = np.dtype(np.float32), np.dtype(np.int32)


def check_type(dtype: np.dtype[Any]) -> None:
    """Raises ValueError unless arrays of this type can be reduced."""
    if dtype not in _TYPES:
        raise ValueError(f"{' and '.join(map(str, _TYPES))} arrays can be reduced, not {dtype}")


def touched(length: int, ranges: Iterable[slice]) -> Bitmap:
    """The granules of an array of `length` elements that these ranges touch."""
    bits = np.zeros(-(-length // (GRANULE * BITS)) * BITS, np.bool_)
    for each in ranges:
        bits[each.start // GRANULE : -(-each.stop // GRANULE)] |= each.start < each.stop
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


class Source(NamedTuple):
    """The array to reduce."""

    array: Tensor
    """Shape (n,)."""
    is_float: bool
    """Whether its elements are float32, not int32."""
    nonzero: Bitmap
    """The granules with a non-zero element."""
    exponents: NDArray[np.uint8]
    """The granules' biased exponents (see dropzero.protocol.tensor.fixedpoint); 0 for integers. Shape (ceil(n /
    32),)."""
    plain: bool
    """Whether all other granules have no bit set: none holds a -0.0."""
    kept: slice = slice(0)
    """Elements of a sum that only this worker needs: it adds its own to what the switch sends, instead of sending
    them."""

    @classmethod
    def of(cls, array: Tensor) -> Self:
        """Scans an array of any shape.

        Raises:
            ValueError: it is neither float32 nor int32.
        """
        check_type(array.dtype)
        is_float = array.dtype == np.float32
        flat: Any = np.ascontiguousarray(array).reshape(-1)
        if not flat.flags.behaved:
            # Read-only and unaligned arrays are another type in compiled code.
            flat = flat.copy()
        granules = -(-len(flat) // GRANULE)
        nonzero, exponents = new_bitmap(granules), np.empty(granules, np.uint8)
        plain = find(flat.view(np.uint32), is_float, nonzero, exponents)
        return cls(flat, is_float, nonzero, exponents, plain)

    @property
    def sparse(self) -> bool:
        """Whether most granules are zero."""
        granules = len(self.exponents)
        return granules > SMALL and SPARSE * _count(self.nonzero) < granules


class Target(NamedTuple):
    """The memory for a result. Elements that no call wrote are zero."""

    patterns: NDArray[np.uint32]
    """The elements' bit patterns, shape (n,)."""
    fresh: Bitmap
    """The granules that this call wrote."""
    stale: Bitmap
    """The granules that earlier calls wrote and that are not cleared yet; none once a call is over."""

    @classmethod
    def new(cls, length: int) -> Self:
        """`length` zeros."""
        granules = -(-length // GRANULE)
        if granules <= SMALL:
            return cls(np.zeros(length, np.uint32), new_bitmap(granules), new_bitmap(granules))
        # Align granules, so that each touches no more cache lines than it fills.
        room = np.zeros(length + GRANULE, np.uint32)
        first = -room.ctypes.data % GRANULE_BYTES // 4
        return cls(room[first : first + length], new_bitmap(granules), new_bitmap(granules))

    @classmethod
    def around(cls, array: Tensor) -> Self:
        """Wraps an array, shape (n,), with its content."""
        granules = -(-len(array) // GRANULE)
        return cls(array.view(np.uint32), full_bitmap(granules), new_bitmap(granules))

    def fill(self, source: Source, part: slice) -> None:
        """Copies elements of the source of a call that is over, of the same length."""
        self.patterns[part] = source.array.view(np.uint32)[part]
        self.fresh[:] |= touched(len(self.patterns), [part])

    def snapshot(self) -> Self:
        """A copy of the elements; the bitmaps are shared."""
        return type(self)(self.patterns.copy(), self.fresh, self.stale)

    def copy(self, out: NDArray[Any] | None, source: Source, *, blank: bool = False) -> NDArray[Any]:
        """Copies the elements to `out`, shape (n,), of the source's dtype, or to a new array. Returns it. If `out` is
        the source's own array, its zeros are not written again. blank: `out` is all zeros."""
        granules = -(-len(self.patterns) // GRANULE)
        if granules <= SMALL or SPARSE * _count(self.fresh) >= granules:
            out = np.empty(len(self.patterns), source.array.dtype) if out is None else out
            out.view(np.uint32)[:] = self.patterns
            return out
        if out is None:
            out = np.zeros(len(self.patterns), source.array.dtype)
        elif blank:
            pass
        elif source.plain and out.ctypes.data == source.array.ctypes.data:
            _clear_others(source.nonzero, self.fresh, out.view(np.uint32))
        elif out.flags.carray:
            _clear(out.view(np.uint32))
        else:
            out.fill(0)
        _copy(self.patterns, self.fresh, out.view(np.uint32))
        return out


@compiled
def find(patterns: NDArray[np.uint32], is_float: bool, nonzero: Bitmap, exponents: NDArray[np.uint8]) -> bool:
    """Finds the non-zero granules of an array of bit patterns, shape (n,), and their biased exponents. `nonzero` must
    be empty. Returns whether all other granules have no bit set (see Source.plain)."""
    plain = True
    counted = np.uint32(0x7FFFFFFF if is_float else 0xFFFFFFFF)
    address = np.uintp(patterns.ctypes.data)
    whole = len(patterns) // GRANULE
    for granule in range(whole):
        here = address + np.uintp(GRANULE_BYTES * granule)
        for line in range(0, GRANULE_BYTES, 64):
            prefetch(here + np.uintp(READ_AHEAD + line))
        if not is_zero(here):
            plain &= _note(granule, largest(here, counted), is_float, nonzero, exponents)
    any_bit = largest_word = np.uint32(0)
    for word in patterns[whole * GRANULE :]:
        any_bit |= word
        largest_word = max(largest_word, word & counted)
    if any_bit:
        plain &= _note(whole, largest_word, is_float, nonzero, exponents)
    return plain


@inlined
def _note(granule: int, largest_word: np.uint32, is_float: bool, nonzero: Bitmap, exponents: NDArray[np.uint8]) -> bool:
    """Notes a granule that has bits set, unless all its elements are -0.0. Returns whether it did."""
    if largest_word == 0:
        return False
    set_bits(nonzero, granule, 1)
    exponents[granule] = largest_word >> np.uint32(23) if is_float else 0
    return True


@compiled
def exponent(nonzero: Bitmap, exponents: NDArray[np.uint8], block: int, log2_granules: int) -> int:
    """The biased exponent of a block of 2^log2_granules granules; 0 if the block is zero."""
    most = 0
    for granule in range(block << log2_granules, min(block + 1 << log2_granules, len(exponents))):
        if any_set(nonzero, granule, 1):
            most = max(most, int(exponents[granule]))
    return most


@compiled
def _count(bitmap: Bitmap) -> int:
    count = 0
    for word in bitmap:
        count += int(popcount(word))
    return count


@compiled
def _copy(patterns: NDArray[np.uint32], fresh: Bitmap, out: NDArray[np.uint32]) -> None:
    """Copies the fresh granules."""
    granules = (len(patterns) + GRANULE - 1) // GRANULE
    granule = ahead = next_set(fresh, 0, granules)
    fetched = 0
    while granule < granules:
        while ahead < granules and fetched < AHEAD:
            for line in range(0, GRANULE_BYTES, 64):
                place = np.uintp(GRANULE_BYTES * ahead + line)
                prefetch(np.uintp(patterns.ctypes.data) + place)
                prefetch(np.uintp(out.ctypes.data) + place)
            fetched += 1
            ahead = next_set(fresh, ahead + 1, granules)
        first = granule * GRANULE
        if first + GRANULE <= len(patterns):
            for at in range(first, first + GRANULE):
                out[at] = patterns[at]
        else:
            for at in range(first, len(patterns)):
                out[at] = patterns[at]
        fetched -= 1
        granule = next_set(fresh, granule + 1, granules)


@compiled
def age(fresh: Bitmap, stale: Bitmap) -> None:
    """Begins a call: marks the target's fresh granules as stale."""
    for word in range(len(fresh)):
        stale[word] |= fresh[word]
        fresh[word] = 0


@compiled
def clear(patterns: NDArray[np.uint32], fresh: Bitmap, stale: Bitmap) -> None:
    """Ends a call: zeroes the granules of a target that are stale and not fresh."""
    aligned = not np.uintp(patterns.ctypes.data) % np.uintp(GRANULE_BYTES)
    for word in range(len(stale)):
        left = stale[word] & ~fresh[word]
        stale[word] = 0
        while left:
            granule = BITS * word + int(lowest_bit(left))
            left &= left - ONE
            if aligned and (granule + 1) * GRANULE <= len(patterns):
                stream_zeros(np.uintp(patterns.ctypes.data) + np.uintp(GRANULE_BYTES * granule))
            else:
                patterns[granule * GRANULE : (granule + 1) * GRANULE] = 0
    fence()


@compiled
def _clear_others(nonzero: Bitmap, fresh: Bitmap, out: NDArray[np.uint32]) -> None:
    """Zeroes the granules of `out` that are non-zero and not fresh."""
    for word in range(len(nonzero)):
        left = nonzero[word] & ~fresh[word]
        while left:
            granule = BITS * word + int(lowest_bit(left))
            left &= left - ONE
            out[granule * GRANULE : (granule + 1) * GRANULE] = 0


@compiled
def _clear(words: NDArray[np.uint32]) -> None:
    """Zeroes a contiguous, aligned array."""
    address = words.ctypes.data
    first = min(-address % GRANULE_BYTES // 4, len(words))
    words[:first] = 0
    whole = (len(words) - first) // GRANULE
    for granule in range(whole):
        stream_zeros(np.uintp(address + 4 * first + GRANULE_BYTES * granule))
    fence()
    words[first + whole * GRANULE :] = 0
