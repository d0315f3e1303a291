"""Vector instructions on granules of 32 words. LLVM does not vectorize the equivalent loops, which take three times as
long."""

from __future__ import annotations

from llvmlite import ir

from dropzero.native.intrinsics import intrinsic
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
    return builder.call(builder.module.declare_intrinsic(name, fnty=kind), [words])


@intrinsic("boolean(uintp)")
def is_zero(builder: ir.IRBuilder, address: ir.Value) -> ir.Value:
    """(address) -> whether all bits of the granule there are 0."""
    return builder.icmp_unsigned("==", _reduced(builder, "or", _load(builder, address)), _WORD(0))


@intrinsic("uint32(uintp, uint32)")
def largest(builder: ir.IRBuilder, address: ir.Value, counted: ir.Value) -> ir.Value:
    """(address, mask) -> the largest of the 32 words there, each ANDed with the mask first."""
    mask = builder.insert_element(ir.Constant(_WORDS, ir.Undefined), counted, _WORD(0))
    mask = builder.shuffle_vector(mask, mask, _ZEROS)
    return _reduced(builder, "umax", builder.and_(_load(builder, address), mask))


@intrinsic("void(uintp)")
def stream_zeros(builder: ir.IRBuilder, address: ir.Value) -> None:
    """(address): zeroes the granule there, bypassing the caches. The address must be a multiple of GRANULE_BYTES; call
    `fence` after the last granule."""
    store = builder.store(_ZEROS, builder.inttoptr(address, _WORDS.as_pointer()), align=GRANULE_BYTES)
    store.set_metadata("nontemporal", builder.module.add_metadata([_WORD(1)]))
