"""The array that a worker brings to a collective, and the memory for the result, with what is known of their parts.

A part is 32 elements, as many as the smallest block has. That most parts of a sparse array are zero is found out in one
pass over it; the result is written, cleared and copied without another.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic
from numpy.typing import NDArray

from protocol.call import check_type
from protocol.fixedpoint import NOT_FINITE
from protocol.native import compiled
from protocol.wire import BLOCK_WORDS

Tensor = NDArray[np.float32] | NDArray[np.int32]

PART = BLOCK_WORDS[0]
FEW = 4
"""When less than a fourth of a result's parts were written, the others are not looked at again."""


class Source(NamedTuple):
    """What is to be reduced."""

    array: Tensor
    """Shape (n,)."""
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
        check_type(str(array.dtype))
        flat: Any = np.ascontiguousarray(array).reshape(-1)
        if not flat.flags.writeable:
            # To compiled code that is another type, for which it would be compiled again.
            flat = flat.copy()
        is_float = flat.dtype == np.float32
        exponents = np.zeros(-(-len(flat) // PART), np.int16)
        patterns = flat.view(np.uint32)
        whole = len(flat) // PART
        rest = np.zeros(PART, np.uint32)
        rest[: len(flat) - whole * PART] = patterns[whole * PART :]
        plain = _find(patterns, is_float, exponents[:whole])
        plain &= _find(rest, is_float, exponents[whole:])
        if len(exponents) and exponents.max() == NOT_FINITE:
            first = int(exponents.argmax()) * PART
            raise ValueError(f"elements {first} to {min(first + PART, len(flat)) - 1} are not all finite")
        return cls(flat, exponents, plain)

    @property
    def is_float(self) -> bool:
        """float32; else int32."""
        return self.array.dtype == np.float32

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
    written: NDArray[np.bool_]
    """Whether each part has been, shape (ceil(n / 32),)."""

    @classmethod
    def new(cls, length: int) -> Self:
        """Of so many zeros."""
        return cls(np.zeros(length, np.uint32), np.zeros(-(-length // PART), np.bool_))

    @classmethod
    def around(cls, array: Tensor) -> Self:
        """The memory of an array, shape (n,), and what is in it."""
        return cls(array.view(np.uint32), np.ones(-(-len(array) // PART), np.bool_))

    def clear(self) -> None:
        """Makes all of it zero."""
        if self._few:
            _copy(self.patterns, self.written, self.patterns, True)
        else:
            self.patterns.fill(0)
        self.written.fill(False)

    def copy(self, out: NDArray[Any] | None, source: Source) -> NDArray[Any]:
        """The elements, shape (n,), in memory of their own: in `out`, of that shape and the source's type, or a new
        array. `out` may be the source's array itself, whose zeros are not written again."""
        few = self._few
        if out is None:
            out = (np.zeros if few else np.empty)(len(self.patterns), source.array.dtype)
        elif few and source.plain and out.ctypes.data == source.array.ctypes.data:
            _clear_others(source.exponents, self.written, out.view(np.uint32))
        elif few:
            out.fill(0)
        if few:
            _copy(self.patterns, self.written, out.view(np.uint32), False)
        else:
            out.view(np.uint32)[:] = self.patterns
        return out

    @property
    def _few(self) -> bool:
        return FEW * int(np.count_nonzero(self.written)) < len(self.written)


def _largest(_: Any, address: Any, counted: Any) -> Any:
    """The largest of the 32 words there, of which only those bits count; and above it, all bits of any of them. (As a
    loop it is not compiled to vector instructions that go through memory in order, and takes three times as long.)"""

    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value, ir.Value]) -> ir.Value:
        word = ir.IntType(32)
        part = ir.VectorType(word, PART)
        words = builder.load(builder.inttoptr(arguments[0], part.as_pointer()), align=4)
        mask = builder.insert_element(ir.Constant(part, ir.Undefined), arguments[1], ir.IntType(32)(0))
        mask = builder.shuffle_vector(mask, mask, ir.Constant(part, [0] * PART))
        kind = ir.FunctionType(word, [part])

        def reduced(operation: str, values: ir.Value) -> ir.Value:
            name = f"llvm.vector.reduce.{operation}.v{PART}i32"
            reduction = get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
            return builder.zext(builder.call(reduction, [values]), ir.IntType(64))

        bits = builder.shl(reduced("or", words), ir.IntType(64)(32))
        return builder.or_(bits, reduced("umax", builder.and_(words, mask)))

    return types.uint64(types.uintp, types.uint32), generate


_largest_word: Any = intrinsic(_largest)


@compiled
def _find(patterns: NDArray[np.uint32], is_float: bool, exponents: NDArray[np.int16]) -> bool:
    """The exponents of whole parts, which are given as bit patterns. Says whether all that are 0 have no bit set."""
    plain = True
    counted = np.uint32(0x7FFFFFFF if is_float else 0xFFFFFFFF)
    address = np.uintp(patterns.ctypes.data)
    for part in range(len(exponents)):
        found = _largest_word(address + np.uintp(4 * PART * part), counted)
        largest = np.uint32(found)
        plain &= largest != 0 or found == 0
        held = np.int16(largest != 0)
        exponents[part] = np.int16(largest >> np.uint32(23)) + held if is_float else held
    return plain


@compiled
def _copy(patterns: NDArray[np.uint32], written: NDArray[np.bool_], out: NDArray[np.uint32], zero: bool) -> None:
    """Copies the parts that were written to `out`, or sets them to zero there."""
    whole = len(written) // 8
    # Eight at a time: hardly any were.
    eights = written[: 8 * whole].view(np.uint64)
    for eight in range(whole + 1):
        if eight == whole or eights[eight]:
            for part in range(8 * eight, min(8 * eight + 8, len(written))):
                if written[part]:
                    for i in range(part * PART, min((part + 1) * PART, len(patterns))):
                        out[i] = np.uint32(0) if zero else patterns[i]


@compiled
def _clear_others(exponents: NDArray[np.int16], written: NDArray[np.bool_], out: NDArray[np.uint32]) -> None:
    """Sets the parts of `out` to zero that were not written, of those that are not zero."""
    for part in range(len(exponents)):
        if exponents[part] and not written[part]:
            out[part * PART : (part + 1) * PART] = 0
