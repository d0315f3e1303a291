"""Vector instructions on granules of 32 words. LLVM does not vectorize the equivalent loops, which take three times as
long."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from dropzero.protocol.wire import BLOCK_WORDS

GRANULE = BLOCK_WORDS[0]
"""Words in a granule, the size of the smallest block."""
GRANULE_BYTES = 4 * GRANULE

_WORD = ir.IntType(32)
_WORDS = ir.VectorType(_WORD, GRANULE)
_ZEROS = ir.Constant(_WORDS, [0] * GRANULE)


def log2_granules(size: int) -> int:
    """log2 of the granules in a block of `size` elements."""
    return (size // GRANULE).bit_length() - 1


def _load(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    return builder.load(builder.inttoptr(address, _WORDS.as_pointer()), align=4)


def _reduced(builder: ir.IRBuilder, operation: str, words: ir.Value) -> ir.Value:
    name = f"llvm.vector.reduce.{operation}.v{GRANULE}i32"
    kind = ir.FunctionType(_WORD, [_WORDS])
    reduction = get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
    return builder.call(reduction, [words])


def _is_zero(_: Any, address: Any) -> Any:
    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        return builder.icmp_unsigned("==", _reduced(builder, "or", _load(builder, arguments[0])), _WORD(0))

    return types.boolean(types.uintp), generate


def _largest(_: Any, address: Any, counted: Any) -> Any:
    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value, ir.Value]) -> ir.Value:
        mask = builder.insert_element(ir.Constant(_WORDS, ir.Undefined), arguments[1], _WORD(0))
        mask = builder.shuffle_vector(mask, mask, _ZEROS)
        return _reduced(builder, "umax", builder.and_(_load(builder, arguments[0]), mask))

    return types.uint32(types.uintp, types.uint32), generate


def _stream_zeros(_: Any, address: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        place = builder.inttoptr(arguments[0], _WORDS.as_pointer())
        store = builder.store(_ZEROS, place, align=GRANULE_BYTES)
        store.set_metadata("nontemporal", builder.module.add_metadata([_WORD(1)]))
        return context.get_dummy_value()

    return types.void(types.uintp), generate


def _fence(_: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, *_: Any) -> ir.Value:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


def _lowest_bit(_: Any, word: Any) -> Any:
    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), generate


def _popcount(_: Any, word: Any) -> Any:
    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _prefetch(_: Any, address: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        place = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [place, _WORD, _WORD, _WORD])
        function = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
        builder.call(function, [builder.inttoptr(arguments[0], place), _WORD(0), _WORD(2), _WORD(1)])
        return context.get_dummy_value()

    return types.void(types.uintp), generate


is_zero: Any = intrinsic(_is_zero)
"""(address) -> whether all bits of the granule there are 0."""
largest: Any = intrinsic(_largest)
"""(address, mask) -> the largest of the 32 words there, each ANDed with the mask first."""
stream_zeros: Any = intrinsic(_stream_zeros)
"""(address): zeroes the granule there, bypassing the caches. The address must be a multiple of GRANULE_BYTES; call
`fence` after the last granule."""
fence: Any = intrinsic(_fence)
"""(): orders all earlier stores, including non-temporal ones, before later ones."""
lowest_bit: Any = intrinsic(_lowest_bit)
"""(word) -> the index of the lowest set bit of 64; undefined for 0."""
popcount: Any = intrinsic(_popcount)
"""(word) -> the number of set bits of 64."""
prefetch: Any = intrinsic(_prefetch)
"""(address): starts to fetch the cache line (64 bytes) there."""
