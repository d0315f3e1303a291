"""Operations on integers of any width. Wide ones are computed as vectors of words, because LLVM would compute them word
by word, in general registers."""

from __future__ import annotations

from llvmlite import ir

_WORD = ir.IntType(64)
_FEWEST, _MOST = 4, 63
"""Words of the integers that are computed as vectors. One bit for each word, and a carry, fit into a word."""


def type_of(width: int) -> ir.Type:
    """The type in which integers of `width` bits are kept in memory, and computed."""
    words, rest = divmod(width, 64)
    return ir.VectorType(_WORD, words) if not rest and _FEWEST <= words <= _MOST else ir.IntType(width)


def add(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    left, right = (_words(builder, each) for each in (left, right))
    total = builder.add(left, right)
    if isinstance(total.type, ir.VectorType):
        carry = builder.icmp_unsigned("<", total, left)
        passes = builder.icmp_unsigned("==", total, ir.Constant(total.type, [-1] * total.type.count))
        total = builder.sub(total, _arrivals(builder, carry, passes))
    return _integer(builder, total)


def sub(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    left, right = (_words(builder, each) for each in (left, right))
    difference = builder.sub(left, right)
    if isinstance(difference.type, ir.VectorType):
        borrow = builder.icmp_unsigned("<", left, right)
        passes = builder.icmp_unsigned("==", difference, ir.Constant(difference.type, [0] * difference.type.count))
        difference = builder.add(difference, _arrivals(builder, borrow, passes))
    return _integer(builder, difference)


def and_(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    left, right = (_words(builder, each) for each in (left, right))
    return _integer(builder, builder.and_(left, right))


def or_(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    left, right = (_words(builder, each) for each in (left, right))
    return _integer(builder, builder.or_(left, right))


def xor(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    left, right = (_words(builder, each) for each in (left, right))
    return _integer(builder, builder.xor(left, right))


def not_(builder: ir.IRBuilder, operand: ir.Value) -> ir.Value:
    return xor(builder, operand, ir.Constant(operand.type, -1))


def select(builder: ir.IRBuilder, condition: ir.Value, then: ir.Value, otherwise: ir.Value) -> ir.Value:
    then, otherwise = (_words(builder, each) for each in (then, otherwise))
    return _integer(builder, builder.select(condition, then, otherwise))


def reversed_bytes(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Reverses the bytes of a value of whole bytes."""
    width = value.type.width
    if width == 8:
        return value
    if isinstance(type_of(width), ir.VectorType):
        count = width // 8
        octets = builder.bitcast(value, ir.VectorType(ir.IntType(8), count))
        order = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(count))[::-1])
        return builder.bitcast(builder.shuffle_vector(octets, octets, order), value.type)
    even = -(-width // 16) * 16
    swap = builder.module.declare_intrinsic("llvm.bswap", [ir.IntType(even)])
    swapped = builder.call(swap, [builder.zext(value, ir.IntType(even))])
    return builder.trunc(builder.lshr(swapped, ir.Constant(swapped.type, even - width)), value.type)


def load(builder: ir.IRBuilder, pointer: ir.Value, width: int, align: int) -> ir.Value:
    return _integer(builder, builder.load(pointer, align=align, typ=type_of(width)))


def store(builder: ir.IRBuilder, value: ir.Value, pointer: ir.Value, align: int) -> None:
    builder.store(_words(builder, value), pointer, align=align)


def _words(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.bitcast(value, type_of(value.type.width))


def _integer(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.bitcast(value, ir.IntType(64 * value.type.count)) if isinstance(value.type, ir.VectorType) else value


def _arrivals(builder: ir.IRBuilder, carry: ir.Value, passes: ir.Value) -> ir.Value:
    """-1 for each word at which a carry arrives, 0 for the others. carry: whether a word's own sum has one; passes:
    whether it passes one on. A carry out of a word arrives at the next, and beyond all that pass it on; so the addition
    of the two masks, one bit for each word, tells where all carries arrive."""
    words = carry.type.count
    mask = ir.IntType(words)
    out, through = (builder.zext(builder.bitcast(each, mask), _WORD) for each in (carry, passes))
    arriving = builder.add(builder.shl(out, ir.Constant(_WORD, 1)), through)
    arriving = builder.trunc(builder.xor(arriving, through), mask)
    return builder.sext(builder.bitcast(arriving, carry.type), ir.VectorType(_WORD, words))
