"""Table lookups as native code: by hash where all keys are exact, else trying the rows in their order."""

from __future__ import annotations

from llvmlite import ir

from softswitch.emission import BIT, POINTER, WORD, Body, integer, word
from softswitch.expressions import Expressions
from softswitch.layout import TableWords
from softswitch.program import TableDeclaration
from softswitch.tables import MULTIPLIER, RowLayout


class Lookup:
    """Finds the row of a table that matches the packet."""

    def __init__(self, expressions: Expressions, table: TableDeclaration, place: TableWords) -> None:
        self.body: Body = expressions.body
        self.expressions = expressions
        self.table = table
        self.place = place
        self.layout = RowLayout(table)

    def row(self) -> tuple[ir.Value, ir.Value]:
        """A pointer to the row that matches, else to the default's row; and whether one matches."""
        builder = self.body.builder
        default = self.body.load_address(self.place.default)
        if not self.table.keys:
            return default, ir.Constant(BIT, 0)
        found = self.body.block("found")
        missed = self.body.block("missed")
        done = self.body.block("done")
        key = self._key()
        row = self._by_hash(key, found, missed) if self.layout.hashed else self._by_order(key, found, missed)
        builder.position_at_end(found)
        builder.branch(done)
        builder.position_at_end(missed)
        builder.branch(done)
        builder.position_at_end(done)
        pointer = builder.phi(POINTER)
        pointer.add_incoming(row, found)
        pointer.add_incoming(default, missed)
        hit = builder.phi(BIT)
        hit.add_incoming(ir.Constant(BIT, 1), found)
        hit.add_incoming(ir.Constant(BIT, 0), missed)
        return pointer, hit

    def _key(self) -> ir.Value:
        """The key's fields side by side, as rows have them, in whole words."""
        builder = self.body.builder
        width = 64 * self.layout.key_words
        key: ir.Value = integer(width, 0)
        for part, shift in zip(self.table.keys, self.layout.key_shift, strict=True):
            value = self.expressions.bits(part.target, part.width)
            if part.mask is not None:
                value = builder.and_(value, integer(part.width, part.mask))
            placed = builder.shl(self.body.resized(value, width), integer(width, shift))
            key = builder.or_(key, placed)
        return key

    def _block_at(self, row: ir.Value, offset: int) -> ir.Value:
        return self.body.load(self.body.at(row, 8 * offset), 8 * self.layout.key_words)

    def _row_at(self, number: ir.Value) -> ir.Value:
        offset = self.body.builder.mul(self.body.resized(number, 64), word(8 * self.layout.words))
        return self.body.at(self.body.load_address(self.place.rows), offset)

    def _index_at(self, slot: ir.Value) -> ir.Value:
        index = self.body.load_address(self.place.index)
        return self.body.load(self.body.at(index, self.body.builder.mul(slot, word(4))), 4)

    def _by_hash(self, key: ir.Value, found: ir.Block, missed: ir.Block) -> ir.Value:
        builder = self.body.builder
        mixed: ir.Value = word(0)
        for number in range(self.layout.key_words):
            part = self.body.resized(builder.lshr(key, integer(key.type.width, 64 * number)), 64)
            mixed = builder.mul(builder.xor(mixed, part), word(MULTIPLIER))
            mixed = builder.xor(mixed, builder.lshr(mixed, word(32)))
        last = self.body.load_word(self.place.extent)
        first = builder.and_(mixed, last)
        probe, taken, onward = self.body.block("probe"), self.body.block("taken"), self.body.block("onward")
        before = builder.block
        builder.branch(probe)
        builder.position_at_end(probe)
        slot = builder.phi(WORD)
        slot.add_incoming(first, before)
        number = self._index_at(slot)
        builder.cbranch(builder.icmp_unsigned("==", number, integer(32, 0)), missed, taken)
        builder.position_at_end(taken)
        row = self._row_at(builder.sub(number, integer(32, 1)))
        same = builder.icmp_unsigned("==", self._block_at(row, self.layout.value), key)
        builder.cbranch(same, found, onward)
        builder.position_at_end(onward)
        slot.add_incoming(builder.and_(builder.add(slot, word(1)), last), onward)
        builder.branch(probe)
        return row

    def _by_order(self, key: ir.Value, found: ir.Block, missed: ir.Block) -> ir.Value:
        builder = self.body.builder
        count = self.body.load_word(self.place.extent)
        test, compare, onward = self.body.block("test"), self.body.block("compare"), self.body.block("onward")
        before = builder.block
        builder.branch(test)
        builder.position_at_end(test)
        at = builder.phi(WORD)
        at.add_incoming(word(0), before)
        builder.cbranch(builder.icmp_unsigned("<", at, count), compare, missed)
        builder.position_at_end(compare)
        row = self._row_at(self._index_at(at))
        masked = builder.and_(key, self._block_at(row, self.layout.mask))
        same = builder.icmp_unsigned("==", masked, self._block_at(row, self.layout.value))
        if self.layout.ranged:
            same = builder.and_(same, self._in_ranges(key, row))
        builder.cbranch(same, found, onward)
        builder.position_at_end(onward)
        at.add_incoming(builder.add(at, word(1)), onward)
        builder.branch(test)
        return row

    def _in_ranges(self, key: ir.Value, row: ir.Value) -> ir.Value:
        builder = self.body.builder
        blocks = key, self._block_at(row, self.layout.low), self._block_at(row, self.layout.high)
        inside: ir.Value = ir.Constant(BIT, 1)
        for part, shift in zip(self.table.keys, self.layout.key_shift, strict=True):
            if part.kind != "range":
                continue
            value, low, high = (
                self.body.resized(builder.lshr(block, integer(block.type.width, shift)), part.width) for block in blocks
            )
            inside = builder.and_(inside, builder.icmp_unsigned(">=", value, low))
            inside = builder.and_(inside, builder.icmp_unsigned("<=", value, high))
        return inside
