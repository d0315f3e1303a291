"""Vector instructions for parts, which are 32 words of memory each: what loops over them are not compiled to, although
they would take a third of the time.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from dropzero.protocol.wire import BLOCK_WORDS

PART = BLOCK_WORDS[0]
"""As many words as the smallest block has."""
PART_BYTES = 4 * PART

_WORD = ir.IntType(32)
_WORDS = ir.VectorType(_WORD, PART)
_ZEROS = ir.Constant(_WORDS, [0] * PART)


def doublings(size: int) -> int:
    """How often a part is doubled to make a block of so many elements."""
    return (size // PART).bit_length() - 1


def _load(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    return builder.load(builder.inttoptr(address, _WORDS.as_pointer()), align=4)


def _reduced(builder: ir.IRBuilder, operation: str, words: ir.Value) -> ir.Value:
    name = f"llvm.vector.reduce.{operation}.v{PART}i32"
    kind = ir.FunctionType(_WORD, [_WORDS])
    reduction = get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
    return builder.call(reduction, [words])


def _blank(_: Any, address: Any) -> Any:
    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        return builder.icmp_unsigned("==", _reduced(builder, "or", _load(builder, arguments[0])), _WORD(0))

    return types.boolean(types.uintp), generate


def _largest(_: Any, address: Any, counted: Any) -> Any:
    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value, ir.Value]) -> ir.Value:
        mask = builder.insert_element(ir.Constant(_WORDS, ir.Undefined), arguments[1], _WORD(0))
        mask = builder.shuffle_vector(mask, mask, _ZEROS)
        return _reduced(builder, "umax", builder.and_(_load(builder, arguments[0]), mask))

    return types.uint32(types.uintp, types.uint32), generate


def _wipe(_: Any, address: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        place = builder.inttoptr(arguments[0], _WORDS.as_pointer())
        store = builder.store(_ZEROS, place, align=PART_BYTES)
        store.set_metadata("nontemporal", builder.module.add_metadata([_WORD(1)]))
        return context.get_dummy_value()

    return types.void(types.uintp), generate


def _settle(_: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, *_: Any) -> ir.Value:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


def _lowest(_: Any, word: Any) -> Any:
    def generate(_: Any, builder: ir.IRBuilder, __: Any, arguments: tuple[ir.Value]) -> ir.Value:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), generate


def _ones(_: Any, word: Any) -> Any:
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


blank: Any = intrinsic(_blank)
"""(address) -> whether none of the 32 words there has a bit set."""
largest: Any = intrinsic(_largest)
"""(address, bits) -> the largest of the 32 words there, of which only those bits count."""
wipe: Any = intrinsic(_wipe)
"""(address) makes the 32 words there zero. They begin at a multiple of their size, and are not brought into the caches
first. `settle` comes after the last one."""
settle: Any = intrinsic(_settle)
"""() has all see what `wipe` did before what is done next."""
lowest: Any = intrinsic(_lowest)
"""(word) -> the place of the lowest bit that is set in those 64, of which at least one is."""
ones: Any = intrinsic(_ones)
"""(word) -> how many of those 64 bits are set."""
prefetch: Any = intrinsic(_prefetch)
"""(address) has the processor bring the memory there into its caches: 64 bytes, which will be needed soon."""
