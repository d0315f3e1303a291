"""Compiles checksums, which are verified after the parser and updated before the deparser.

The Internet checksum (RFC 1071) over fields of fixed width is computed from the packet vector. All other checksums
first copy their inputs into a string of bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from llvmlite import ir

from dropzero.softswitch.compiler.calculations import CalculationCode
from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.native.emission import BIT, Body, integer
from dropzero.softswitch.program.model import Checksum, ConstantBits, FieldRef, HeaderRef, Payload


class ChecksumCode:
    """Writes the code for checksums into a body."""

    def __init__(self, expressions: Expressions, payload: tuple[ir.Value, ir.Value]) -> None:
        """payload: a pointer to its bytes and their number (i64)."""
        self.expressions = expressions
        self.body: Body = expressions.body
        self.payload = payload

    def verify(self, checksums: Sequence[Checksum]) -> ir.Value:
        """Writes the verification. Returns a bit: whether any checksum is wrong. Skips checksums of invalid headers."""
        builder = self.body.builder
        wrong: ir.Value = ir.Constant(BIT, 0)
        for checksum in checksums:
            if not checksum.verify:
                continue
            field = self.expressions.field(checksum.target)
            held = self.expressions.read(field, field.width)
            right = self.body.resized(self._value(checksum), field.width)
            differs = builder.icmp_unsigned("!=", held, right)
            due = builder.and_(self._valid(checksum.target), self._condition(checksum))
            self.verified(checksum, due, held, right)
            wrong = builder.or_(wrong, builder.and_(due, differs))
        return wrong

    def update(self, checksums: Sequence[Checksum]) -> None:
        """Writes the update of all checksums whose conditions hold."""
        for checksum in checksums:
            if not checksum.update:
                continue
            with self.body.when(self._condition(checksum)):
                field = self.expressions.field(checksum.target)
                self.expressions.write(field, self.body.resized(self._value(checksum), field.width))
                self.updated(checksum)

    def verified(self, checksum: Checksum, due: ir.Value, held: ir.Value, right: ir.Value) -> None:
        """Hook for traced programs. due: whether the checksum is verified. held, right: the packet's and the right
        checksum."""

    def updated(self, checksum: Checksum) -> None:
        """Hook for traced programs."""

    def _condition(self, checksum: Checksum) -> ir.Value:
        return ir.Constant(BIT, 1) if checksum.condition is None else self.expressions.boolean(checksum.condition)

    def _valid(self, field: FieldRef) -> ir.Value:
        if self.expressions.program.headers[field.header].metadata:
            return ir.Constant(BIT, 1)
        return self.expressions.valid(self.expressions.header(HeaderRef(field.header)))

    def _value(self, checksum: Checksum) -> ir.Value:
        calculation = checksum.calculation
        if calculation.algorithm == "csum16":
            inputs = [each for each in calculation.inputs if not isinstance(each, Payload)]
            fixed = not any(isinstance(each, FieldRef) and self.expressions.is_variable(each) for each in inputs)
            if fixed and len(inputs) == len(calculation.inputs):
                return self._sum(inputs)
        return CalculationCode(self.expressions, self.payload).value(calculation)

    def _sum(self, inputs: Sequence[FieldRef | ConstantBits]) -> ir.Value:
        """The Internet checksum, 16 bits, of the concatenated inputs. Leaves out inputs in invalid headers, and pads
        the end with zeros."""
        builder = self.body.builder
        by_header = groupby(inputs, key=lambda each: each.header if isinstance(each, FieldRef) else "")
        pieces = [self._piece(list(group)) for _, group in by_header]
        if all(bits.type.width % 16 == 0 for bits, _ in pieces):
            # All pieces are whole words, so the order of the words does not matter.
            total: ir.Value = integer(32, 0)
            for bits, valid in pieces:
                added = self._add_words(bits)
                total = builder.add(total, builder.select(valid, added, integer(32, 0)))
        else:
            total = self._add_words(self._joined(pieces))
        for _ in range(2):
            total = builder.add(builder.lshr(total, integer(32, 16)), builder.and_(total, integer(32, 0xFFFF)))
        return builder.not_(self.body.resized(total, 16))

    def _piece(self, inputs: Sequence[FieldRef | ConstantBits]) -> tuple[ir.Value, ir.Value]:
        """Consecutive inputs in one header as one integer, and whether the header is valid."""
        builder = self.body.builder
        values = []
        for each in inputs:
            if isinstance(each, ConstantBits):
                values.append(integer(each.width, each.value))
            else:
                field = self.expressions.field(each)
                values.append(self.expressions.read(field, field.width))
        width = sum(value.type.width for value in values)
        joined: ir.Value = integer(width, 0)
        below = width
        for value in values:
            below -= value.type.width
            joined = builder.or_(joined, builder.shl(self.body.resized(value, width), integer(width, below)))
        first = inputs[0]
        return joined, ir.Constant(BIT, 1) if isinstance(first, ConstantBits) else self._valid(first)

    def _joined(self, pieces: Sequence[tuple[ir.Value, ir.Value]]) -> ir.Value:
        """Concatenates the valid pieces, the first one highest."""
        builder = self.body.builder
        width = -(-sum(bits.type.width for bits, _ in pieces) // 16) * 16
        joined: ir.Value = integer(width, 0)
        free: ir.Value = integer(width, width)
        for bits, valid in pieces:
            after = builder.sub(free, integer(width, bits.type.width))
            placed = builder.or_(joined, builder.shl(self.body.resized(bits, width), after))
            joined = builder.select(valid, placed, joined)
            free = builder.select(valid, after, free)
        return joined

    def _add_words(self, bits: ir.Value) -> ir.Value:
        """The sum of the 16-bit words of an integer, i32."""
        builder = self.body.builder
        width = bits.type.width
        total: ir.Value = integer(32, 0)
        for below in range(0, width, 16):
            part = self.body.resized(builder.lshr(bits, integer(width, below)), 16)
            total = builder.add(total, self.body.resized(part, 32))
        return total
