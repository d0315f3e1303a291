"""Division as native code. Wider than 64 bits, it is long division, because LLVM would call a library that is not
linked."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.native.emission import integer

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
    function = builder.function
    dividend, divisor = function.args
    width = dividend.type.width
    zero, one = integer(width, 0), integer(width, 1)
    loop, end = function.append_basic_block("loop"), function.append_basic_block("end")
    entry = builder.block
    builder.branch(loop)
    builder.position_at_end(loop)
    count, rest, remainder, quotient = (builder.phi(kind) for kind in (ir.IntType(32), *[dividend.type] * 3))
    moved = builder.or_(builder.shl(remainder, one), builder.lshr(rest, integer(width, width - 1)))
    fits = builder.icmp_unsigned(">=", moved, divisor)
    left = builder.select(fits, builder.sub(moved, divisor), moved)
    grown = builder.or_(builder.shl(quotient, one), builder.zext(fits, dividend.type))
    counted = builder.add(count, integer(32, 1))
    for phi, first, following in (
        (count, integer(32, 0), counted),
        (rest, dividend, builder.shl(rest, one)),
        (remainder, zero, left),
        (quotient, zero, grown),
    ):
        phi.add_incoming(first, entry)
        phi.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", counted, integer(32, width)), loop, end)
    builder.position_at_end(end)
    builder.ret(grown if op == "/" else left)
