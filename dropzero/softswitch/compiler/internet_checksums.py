"""Compiles the methods of PSA's extern InternetChecksum. [RFC1071]"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.native.emission import INT, Body, integer
from dropzero.softswitch.program import model as p4

WORD_BITS = 16


class InternetChecksums:
    """The instances that a body uses. Each has a sum of 16-bit words, which is 0 when the body begins, as PSA demands.
    (psa_switch continues with the sum of the packet before, unless the program clears it.)"""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._sums: dict[str, ir.Value] = {}

    def method(
        self, expressions: Expressions, primitive: str, instance: str, arguments: Sequence[p4.Expression]
    ) -> None:
        """Writes a method, of the primitive "METHOD_checksum"."""
        body, builder = self.body, self.body.builder
        if instance not in self._sums:
            self._sums[instance] = body.variable(INT)
            with builder.goto_entry_block():
                builder.store(integer(32, 0), self._sums[instance])
        sum_pointer = self._sums[instance]
        match primitive, arguments:
            case "clear_checksum", ():
                builder.store(integer(32, 0), sum_pointer)
            case "add_checksum" | "subtract_checksum", (p4.Values(fields),):
                self._add(expressions, sum_pointer, fields, negative=primitive == "subtract_checksum")
            case "get_checksum", (target,):
                self._store(expressions, target, self._checksum(sum_pointer))
            case "get_state_checksum", (target,):
                self._store(expressions, target, builder.load(sum_pointer, typ=INT))
            case "set_state_checksum", (value,):
                builder.store(body.resized(expressions.bits(value, WORD_BITS), 32), sum_pointer)
            case "get_verify_checksum", (target, given):
                same = builder.icmp_unsigned("==", expressions.bits(given, WORD_BITS), self._checksum(sum_pointer))
                self._store(expressions, target, same)
            case _:
                raise p4.UnsupportedProgram(f"{primitive} of {instance} with these arguments is not supported")

    def _checksum(self, sum_pointer: ir.Value) -> ir.Value:
        total = self.body.builder.load(sum_pointer, typ=INT)
        return self.body.builder.not_(self.body.resized(total, WORD_BITS))

    def _store(self, expressions: Expressions, target: p4.Expression, value: ir.Value) -> None:
        field = expressions.field(target)
        expressions.write(field, self.body.resized(value, field.width))

    def _add(
        self, expressions: Expressions, sum_pointer: ir.Value, fields: Sequence[p4.Expression], *, negative: bool
    ) -> None:
        """Adds the 16-bit words of the concatenated fields, or subtracts them by adding their complements. Leaves out
        the zeros at the beginning, as psa_switch does, which matters to 0 and -0."""
        body, builder = self.body, self.body.builder
        values = [expressions.read(field, field.width) for field in map(expressions.field, fields)]
        width = sum(value.type.width for value in values)
        if width % WORD_BITS:
            raise p4.UnsupportedProgram(
                f"an Internet checksum over {width} bits is not supported: it adds 16-bit words"
            )
        joined: ir.Value = integer(width, 0)
        for value in values:
            shifted = builder.shl(joined, integer(width, value.type.width)) if value.type.width < width else joined
            joined = builder.or_(shifted, body.resized(value, width))
        total = builder.load(sum_pointer, typ=INT)
        for below in range(0, width, WORD_BITS):
            rest = builder.lshr(joined, integer(width, below))
            part = body.resized(rest, WORD_BITS)
            part = body.resized(builder.not_(part) if negative else part, 32)
            more = builder.add(total, part)
            carried = builder.add(builder.and_(more, integer(32, 0xFFFF)), builder.lshr(more, integer(32, WORD_BITS)))
            some = builder.icmp_unsigned("!=", rest, integer(width, 0))
            total = builder.select(some, carried, total)
        builder.store(total, sum_pointer)
