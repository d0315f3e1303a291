"""Compiles table lookups: by hash if all keys are exact, else by tuple space search (tuple_space.py)."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.native.emission import BIT, INT, WORD, Body, integer, word
from dropzero.softswitch.program.model import TableDeclaration
from dropzero.softswitch.state.layout import TableWords
from dropzero.softswitch.state.tables.row_index import MULTIPLIER, index_slots
from dropzero.softswitch.state.tables.rows import RANK_WORDS, RowLayout
from dropzero.softswitch.state.tables.tuple_space import BEST, MASK, NUMBER, ONLY, trial_words


class Lookup:
    """Finds the row of a table that matches the packet."""

    def __init__(self, expressions: Expressions, table: TableDeclaration, place: TableWords) -> None:
        self.body: Body = expressions.body
        self.expressions = expressions
        self.table = table
        self.place = place
        self.layout = RowLayout(table)

    def row(self) -> tuple[ir.Value, ir.Value]:
        """A pointer to the row that matches, or else to the default row; and whether a row matches."""
        builder = self.body.builder
        default = self.body.load_address(self.place.default)
        key = self._key()
        found = self._found(key) if self.layout.exact else self._best(key)
        hit = builder.icmp_unsigned("!=", found, integer(32, 0))
        return builder.select(hit, self._row_at(found), default), hit

    def number(self, row: ir.Value) -> ir.Value:
        """The number of a row that matches, from its pointer."""
        builder = self.body.builder
        first = builder.ptrtoint(self.body.load_address(self.place.rows), WORD)
        return builder.udiv(builder.sub(builder.ptrtoint(row, WORD), first), word(8 * self.layout.words))

    def _key(self) -> ir.Value:
        """The key's fields, packed as in rows, in whole words."""
        builder = self.body.builder
        width = 64 * self.layout.key_words
        key: ir.Value = integer(width, 0)
        for part, shift in zip(self.table.keys, self.layout.key_shift, strict=True):
            value = self.expressions.key_part(part.target, part.width)
            if part.mask is not None:
                value = builder.and_(value, integer(part.width, part.mask))
            placed = builder.shl(self.body.resized(value, width), integer(width, shift))
            key = builder.or_(key, placed)
        return key

    def _packed_at(self, row: ir.Value, offset: int) -> ir.Value:
        """Loads packed key fields from a row or trial."""
        return self.body.load(self.body.at(row, 8 * offset), 8 * self.layout.key_words)

    def _row_at(self, number: ir.Value) -> ir.Value:
        """A pointer to a row. number: the row + 1, as in the index."""
        before = self.body.builder.sub(self.body.resized(number, 64), word(1))
        offset = self.body.builder.mul(before, word(8 * self.layout.words))
        return self.body.at(self.body.load_address(self.place.rows), offset)

    def _found(self, identity: ir.Value) -> ir.Value:
        """Looks an identity up in the index, like RowIndex.find(). Returns the row + 1, or 0."""
        body, builder = self.body, self.body.builder
        size = identity.type.width // 8
        last = word(index_slots(self.table.size) - 1)
        mixed: ir.Value = word(0)
        for number in range(size // 8):
            part = body.resized(builder.lshr(identity, integer(8 * size, 64 * number)), 64)
            mixed = builder.mul(builder.xor(mixed, part), word(MULTIPLIER))
            mixed = builder.xor(mixed, builder.lshr(mixed, word(32)))
        first = builder.and_(mixed, last)
        probe, taken, onward, done = (body.block(name) for name in ("probe", "taken", "onward", "probed"))
        before = builder.block
        builder.branch(probe)
        builder.position_at_end(probe)
        slot = builder.phi(WORD)
        slot.add_incoming(first, before)
        found = body.load(body.at(body.load_address(self.place.index), builder.mul(slot, word(4))), 4)
        builder.cbranch(builder.icmp_unsigned("==", found, integer(32, 0)), done, taken)
        builder.position_at_end(taken)
        there = body.load(body.at(self._row_at(found), 8 * self.layout.identity), size)
        builder.cbranch(builder.icmp_unsigned("==", there, identity), done, onward)
        builder.position_at_end(onward)
        slot.add_incoming(builder.and_(builder.add(slot, word(1)), last), onward)
        builder.branch(probe)
        builder.position_at_end(done)
        return found

    def _best(self, key: ir.Value) -> ir.Value:
        """Searches the trials for the row with the lowest rank that matches. Returns the row + 1, or 0."""
        body, builder, layout = self.body, self.body.builder, self.layout
        ranks = ir.IntType(64 * RANK_WORDS)
        best, best_rank = body.variable(INT, integer(32, 0)), body.variable(ranks, integer(ranks.width, -1))
        at, link = body.variable(WORD, word(0)), body.variable(INT)
        count = body.load_word(self.place.count)
        trials = body.load_address(self.place.trials)
        next_trial, consider, search, compare, several, chain, done = (
            body.block(name) for name in ("trials", "consider", "search", "compare", "several", "chain", "searched")
        )
        builder.branch(next_trial)
        builder.position_at_end(next_trial)
        number = builder.load(at, typ=WORD)
        builder.store(builder.add(number, word(1)), at)
        builder.cbranch(builder.icmp_unsigned("<", number, count), consider, done)

        builder.position_at_end(consider)
        trial = body.at(trials, builder.mul(number, word(8 * trial_words(layout))))
        bound = body.load(body.at(trial, 8 * BEST), 8 * RANK_WORDS)
        builder.cbranch(builder.icmp_unsigned("<", bound, builder.load(best_rank, typ=ranks)), search, done)

        builder.position_at_end(search)
        value = builder.and_(key, self._packed_at(trial, MASK))
        only = body.load(body.at(trial, 8 * ONLY), 4)
        builder.store(only, link)
        builder.cbranch(builder.icmp_unsigned("==", only, integer(32, 0)), several, compare)

        builder.position_at_end(compare)
        same = builder.icmp_unsigned("==", value, self._packed_at(trial, MASK + layout.key_words))
        builder.cbranch(same, chain, next_trial)

        builder.position_at_end(several)
        width = 64 * (1 + layout.key_words)
        identity = builder.or_(
            builder.shl(body.resized(value, width), integer(width, 64)),
            body.resized(body.load(body.at(trial, 8 * NUMBER), 8), width),
        )
        head = self._found(identity)
        builder.store(head, link)
        builder.cbranch(builder.icmp_unsigned("==", head, integer(32, 0)), next_trial, chain)

        builder.position_at_end(chain)
        found = builder.load(link, typ=INT)
        row = self._row_at(found)
        rank = body.load(body.at(row, 8 * layout.rank), 8 * RANK_WORDS)
        better = builder.icmp_unsigned("<", rank, builder.load(best_rank, typ=ranks))
        if layout.ranged:
            better = builder.and_(better, self._in_ranges(key, row))
        with body.when(better):
            builder.store(found, best)
            builder.store(rank, best_rank)
        following = body.load(body.at(row, 8 * layout.next), 4)
        builder.store(following, link)
        builder.cbranch(builder.icmp_unsigned("==", following, integer(32, 0)), next_trial, chain)

        builder.position_at_end(done)
        return builder.load(best, typ=INT)

    def _in_ranges(self, key: ir.Value, row: ir.Value) -> ir.Value:
        builder = self.body.builder
        blocks = key, self._packed_at(row, self.layout.low), self._packed_at(row, self.layout.high)
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
