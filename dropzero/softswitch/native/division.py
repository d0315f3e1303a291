"""Division as native code. Wider than 64 bits, it is long division, because LLVM would call a library that is not
linked."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.native.emission import integer, repeat

WIDEST_NATIVE = 64


def division(module: ir.Module, op: str, width: int) -> ir.Function:
    """The module's function (dividend, divisor) -> quotient ("/") or remainder ("%"), all of `width` bits.

    The operands are not negative. The divisor is not 0, and its highest bit is not set.
    """
    name = f"{'quotient' if op == '/' else 'remainder'}.{width}"
    known = module.globals.get(name)
    if known is not None:
        return known
    kind = ir.IntType(width)
    function = ir.Function(module, ir.FunctionType(kind, [kind, kind]), name)
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    if width <= WIDEST_NATIVE:
        builder.ret((builder.udiv if op == "/" else builder.urem)(*function.args))
    else:
        _divide_long(builder, op)
    return function


def _divide_long(builder: ir.IRBuilder, op: str) -> None:
    """Writes long division: shifts the dividend into the remainder, highest bit first, and a bit into the quotient for
    each."""
    dividend, divisor = builder.function.args
    width = dividend.type.width
    zero, one = integer(width, 0), integer(width, 1)

    def going(count: ir.Value, *_: ir.Value) -> ir.Value:
        return builder.icmp_unsigned("<", count, integer(32, width))

    def following(count: ir.Value, rest: ir.Value, remainder: ir.Value, quotient: ir.Value) -> tuple[ir.Value, ...]:
        moved = builder.or_(builder.shl(remainder, one), builder.lshr(rest, integer(width, width - 1)))
        fits = builder.icmp_unsigned(">=", moved, divisor)
        left = builder.select(fits, builder.sub(moved, divisor), moved)
        grown = builder.or_(builder.shl(quotient, one), builder.zext(fits, dividend.type))
        return builder.add(count, integer(32, 1)), builder.shl(rest, one), left, grown

    _, _, remainder, quotient = repeat(builder, (integer(32, 0), dividend, zero, zero), going, following)
    builder.ret(quotient if op == "/" else remainder)
