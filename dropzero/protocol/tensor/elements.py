"""Elements on the wire: big-endian 32-bit integers, or floats as 32-, 16- or 8-bit fixed point.

One pass converts and copies the elements of a block between a tensor and a packet. It takes offsets instead of slices:
a packet has up to eight blocks, and slicing for each of them would cost more than the pass itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dropzero.native.compilation import compiled
from dropzero.protocol.tensor.fixedpoint import NAN, fixed, scale
from dropzero.protocol.wire import NOT_FINITE


@compiled
def _swapped32(number: int) -> np.uint32:
    """Reverses the bytes of a 32-bit word."""
    word = np.uint32(number)
    return (
        word << np.uint32(24)
        | (word & np.uint32(0xFF00)) << np.uint32(8)
        | (word >> np.uint32(8)) & np.uint32(0xFF00)
        | word >> np.uint32(24)
    )


@compiled
def _swapped16(number: int) -> np.uint16:
    half = np.uint16(number)
    return np.uint16(half << np.uint16(8) | half >> np.uint16(8))


@compiled
def put(row: NDArray[np.uint8], at: int, room: int, source: NDArray[np.uint32], first: int, exponent: int,
        is_float: bool, bits: int, width: int) -> None:  # fmt: skip
    """Writes elements from source[first] on to the `room` bytes of a packet from `at` on. Pads with zeros.

    Args:
        row: the packet's payload, shape (>= at + room,).
        source: bit patterns of the elements, shape (n,).
        exponent, bits: for floats, see fixedpoint.scale. A block with exponent NOT_FINITE is sent as zeros.
        is_float: the elements are float32, not int32.
        width: bits of an element on the wire.
    """
    data = row[at : at + room]
    if is_float and exponent == NOT_FINITE:
        data[:] = 0
        return
    factor, most = scale(exponent, bits), 2.0**bits - 1
    count = min(room * 8 // width, len(source) - first)
    patterns = source[first : first + count]
    elements = patterns.view(np.float32)
    if width == 32:
        words = data.view(np.uint32)
        if is_float:
            for i in range(count):
                words[i] = _swapped32(fixed(elements[i], factor, most))
        else:
            for i in range(count):
                words[i] = _swapped32(patterns[i])
        words[count:] = 0
    elif width == 16:
        halves = data.view(np.uint16)
        for i in range(count):
            halves[i] = _swapped16(fixed(elements[i], factor, most))
        halves[count:] = 0
    else:
        for i in range(count):
            data[i] = fixed(elements[i], factor, most)
        data[count:] = 0


@compiled
def get(row: NDArray[np.uint8], at: int, room: int, target: NDArray[np.uint32], first: int, exponent: int,
        is_float: bool, bits: int, width: int) -> None:  # fmt: skip
    """Reads elements from a packet into target[first] and the following ones: the inverse of `put`. Ignores elements
    beyond the end of the target, shape (n,). A block with exponent NOT_FINITE becomes NaNs."""
    data = row[at : at + room]
    count = max(min(room * 8 // width, len(target) - first), 0)
    patterns = target[first : first + count]
    if is_float and exponent == NOT_FINITE:
        patterns[:] = NAN
        return
    factor = 1.0 / scale(exponent, bits) if is_float else 1.0
    elements = patterns.view(np.float32)
    if width == 32:
        words = data.view(np.uint32)
        if is_float:
            for i in range(count):
                elements[i] = np.int32(_swapped32(words[i])) * factor
        else:
            for i in range(count):
                patterns[i] = _swapped32(words[i])
    elif width == 16:
        halves = data.view(np.uint16)
        for i in range(count):
            elements[i] = np.int16(_swapped16(halves[i])) * factor
    else:
        numbers = data.view(np.int8)
        for i in range(count):
            elements[i] = numbers[i] * factor


@compiled
def complete(row: NDArray[np.uint8], at: int, room: int, given: bool, source: NDArray[np.uint32],
             target: NDArray[np.uint32], first: int, exponent: int, is_float: bool, bits: int,
             width: int) -> None:  # fmt: skip
    """As `get`, but adds this worker's own elements, of `source`, as the switch would. given: the packet has the sum of
    the others'; if not, they have sent none."""
    data = row[at : at + room]
    count = max(min(room * 8 // width, len(target) - first), 0)
    own, patterns = source[first : first + count], target[first : first + count]
    if is_float and exponent == NOT_FINITE:
        patterns[:] = NAN
        return
    factor, most = scale(exponent, bits), 2.0**bits - 1
    mine, elements, inverse = own.view(np.float32), patterns.view(np.float32), 1.0 / factor
    if width == 32:
        words = data.view(np.uint32)
        for i in range(count):
            total = np.uint32(fixed(mine[i], factor, most)) if is_float else own[i]
            if given:
                total += _swapped32(words[i])
            if is_float:
                elements[i] = np.int32(total) * inverse
            else:
                patterns[i] = total
    elif width == 16:
        halves = data.view(np.uint16)
        for i in range(count):
            others = np.int16(_swapped16(halves[i])) if given else np.int16(0)
            elements[i] = np.int16(others + fixed(mine[i], factor, most)) * inverse
    else:
        numbers = data.view(np.int8)
        for i in range(count):
            theirs = numbers[i] if given else np.int8(0)
            elements[i] = np.int8(theirs + fixed(mine[i], factor, most)) * inverse
