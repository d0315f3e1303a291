"""Compiles the parser: one block for each state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass

from llvmlite import ir

from dropzero.softswitch.compiler.actions import ActionCode, Surroundings
from dropzero.softswitch.compiler.expressions import Expressions, HeaderHandle
from dropzero.softswitch.compiler.intervals import Interval
from dropzero.softswitch.compiler.serialization import read_header, read_variable
from dropzero.softswitch.native.emission import INT, WORD, Body, integer, word
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.state.tables.rows import words

MOST_STATES = 1 << 16
"""Limit on the states that a packet passes. A parser that exceeds it ends, so that the switch cannot hang."""

CORE_ERRORS = {
    "PacketTooShort": 1,
    "NoMatch": 2,
    "StackOutOfBounds": 3,
    "HeaderTooShort": 4,
    "ParserInvalidArgument": 6,
}
"""The codes of core.p4's errors, for programs that do not list them."""


UNMATCHED = "no match"
"""Stands for the next state when no case matches and there is no default."""


class ParserCode:
    """Writes the whole parser. An error ends it and sets parser_error; the headers extracted so far stay valid."""

    def __init__(
        self, body: Body, surroundings: Surroundings, parser: p4.Parser, packet: ir.Value, length: ir.Value
    ) -> None:
        self.body = body
        self.parser = parser
        self.surroundings = surroundings
        self.program = surroundings.program
        self.packet = packet
        self.length = body.resized(length, 64)
        self.expressions = Expressions(body, self.program, surroundings.vector)
        self.actions = ActionCode(body, surroundings)
        self.offset = body.variable(WORD, word(0))
        self.passed = body.variable(INT, integer(32, 0))
        self.error = body.variable(INT, integer(32, self.program.errors.get("NoError", 0)))
        self.states = {name: body.block(name) for name in parser.states}
        self.end = body.block("end")

    def write(self) -> ir.Value:
        """Writes the parser into the body, which continues at its end. Returns the number of bytes extracted, i64."""
        builder = self.body.builder
        builder.branch(self.states[self.parser.start])
        for state in self.parser.states.values():
            builder.position_at_end(self.states[state.name])
            self._state(state)
        builder.position_at_end(self.end)
        target = self.program.parser_error(self.parser)
        if target is not None:
            field = self.expressions.field(target)
            self.expressions.write(field, self.body.resized(builder.load(self.error, typ=INT), field.width))
        return builder.load(self.offset, typ=WORD)

    def _state(self, state: p4.ParseState) -> None:
        for operation in state.operations:
            self._operation(operation)
        self._transitions(state)

    # --- operations ---

    def _operation(self, operation: p4.ParserOperation) -> None:
        self._require_last(operation)
        match operation:
            case p4.Extract(header, bits):
                self._extract(self.expressions.header(p4.HeaderRef(header)), bits)
            case p4.ExtractNext(stack, bits):
                with self._next(stack, len(self.program.stacks[stack].headers)) as following:
                    self._extract(self.expressions.header_at(stack, following), bits)
            case p4.ExtractNextUnion(stack, member, bits):
                with self._next(stack, len(self.program.union_stacks[stack].unions)) as following:
                    self._extract(self.expressions.union_header_at(stack, following, member), bits)
            case p4.Set(target, value) if self.expressions.is_variable(target):
                self.expressions.assign_variable(target, value)
            case p4.Set(target, p4.Lookahead() as ahead):
                field = self.expressions.field(target)
                self.expressions.write(field, self.body.resized(self.look(ahead), field.width))
            case p4.Set(target, value):
                self.expressions.assign(target, value)
            case p4.Verify(condition, error):
                code = self.body.resized(self.expressions.exact(error), 32)
                self._fail_unless(self.expressions.boolean(condition), code)
            case p4.Advance(bits):
                self._advance(bits)
            case p4.Primitive(op) if op.startswith("_jump"):
                raise p4.UnsupportedProgram(f"the primitive {op} in a parser is not supported")
            case p4.Primitive():
                self.actions.primitive(operation, self.expressions)

    def _extract(self, header: HeaderHandle, bits: p4.Expression | None) -> None:
        if header.kind.variable is None:
            start = self._take(word(header.kind.bits // 8))
            read_header(self.expressions, header, self.body.at(self.packet, start))
        else:
            assert bits is not None, "the reader of the program checks this"
            self._extract_variable(header, header.kind.variable, bits)
        self.expressions.set_valid(header, True)

    def _extract_variable(self, header: HeaderHandle, variable: p4.FieldType, bits: p4.Expression) -> None:
        builder = self.body.builder
        # In programs of P4_14, the width depends on the header's fields.
        ahead, offset = [], 0
        for field in header.kind.fields:
            ahead.append(_FieldAhead(self, p4.Lookahead(offset, field.width)))
            offset += field.width
        exact = Expressions(self.body, self.program, self.surroundings.vector, ahead).exact(bits, 33)
        wide = exact.type.width
        whole = builder.icmp_unsigned("==", builder.and_(exact, integer(wide, 7)), integer(wide, 0))
        self._fail_unless(whole, self._code("ParserInvalidArgument"))
        fixed = word((header.kind.bits - variable.width) // 8)
        size = builder.add(fixed, builder.lshr(self.body.resized(exact, 64), word(3)))
        self._need(size)
        fits = builder.icmp_unsigned("<=", exact, integer(wide, variable.width))
        self._fail_unless(fits, self._code("HeaderTooShort"))
        count = self.body.resized(exact, 32)
        start = self._take(size)
        read_variable(self.expressions, header, self.body.at(self.packet, start), count)

    @contextmanager
    def _next(self, stack: str, depth: int) -> Iterator[ir.Value]:
        """Yields the index of the next element of a stack, which the code written in the block extracts."""
        builder = self.body.builder
        place = self.surroundings.vector.next[stack]
        following = self.body.load_place(place)
        self._fail_unless(builder.icmp_unsigned("<", following, integer(32, depth)), self._code("StackOutOfBounds"))
        yield following
        self.body.store_place(builder.add(following, integer(32, 1)), place)

    def _advance(self, bits: p4.Expression) -> None:
        builder = self.body.builder
        amount = self.expressions.exact(bits, 64)
        wide = amount.type.width
        whole = builder.icmp_unsigned("==", builder.and_(amount, integer(wide, 7)), integer(wide, 0))
        self._fail_unless(whole, self._code("ParserInvalidArgument"))
        size = builder.lshr(amount, integer(wide, 3))
        enough = builder.icmp_unsigned("<=", size, self.body.resized(self._remaining(), wide))
        self._fail_unless(enough, self._code("PacketTooShort"))
        self._take(self.body.resized(size, 64))

    def look(self, ahead: p4.Lookahead) -> ir.Value:
        """The value of bits ahead; the parser ends if the packet is too short."""
        first, last = ahead.offset // 8, (ahead.offset + ahead.width + 7) // 8
        self._need(word(last))
        start = self.body.builder.load(self.offset, typ=WORD)
        pointer = self.body.at(self.body.at(self.packet, start), first)
        value = self.body.load_network(pointer, last - first)
        below = 8 * last - ahead.offset - ahead.width
        return self.body.resized(self.body.builder.lshr(value, integer(value.type.width, below)), ahead.width)

    def _take(self, size: ir.Value) -> ir.Value:
        """Advances by `size` bytes. Returns their offset."""
        self._need(size)
        builder = self.body.builder
        start = builder.load(self.offset, typ=WORD)
        builder.store(builder.add(start, size), self.offset)
        return start

    def _remaining(self) -> ir.Value:
        return self.body.builder.sub(self.length, self.body.builder.load(self.offset, typ=WORD))

    def _need(self, size: ir.Value) -> None:
        enough = self.body.builder.icmp_unsigned("<=", size, self._remaining())
        self._fail_unless(enough, self._code("PacketTooShort"))

    def _require_last(self, used: object) -> None:
        """In strict mode, reading the last element of an empty stack is an error."""
        if not self.program.strict:
            return
        for stack in sorted(set(_stacks_with_last(used))):
            following = self.body.load_place(self.surroundings.vector.next[stack])
            some = self.body.builder.icmp_unsigned("!=", following, integer(32, 0))
            self._fail_unless(some, self._code("StackOutOfBounds"))

    def _code(self, name: str) -> ir.Value:
        return integer(32, self.program.errors.get(name, CORE_ERRORS[name]))

    def _fail_unless(self, condition: ir.Value, code: ir.Value) -> None:
        builder = self.body.builder
        with self.body.builder.if_then(builder.not_(condition), likely=False):
            builder.store(code, self.error)
            builder.branch(self.end)

    # --- transitions ---

    def _transitions(self, state: p4.ParseState) -> None:
        builder = self.body.builder
        transitions = list(state.transitions)
        defaults = [at for at, each in enumerate(transitions) if each.value is None]
        if self.program.strict and defaults:
            del transitions[defaults[0] + 1 :]
        cases = [each for each in transitions if each.value is not None]
        # p4c makes a default of each mask of 0; BMv2 takes the last one, after all cases. Without a default, a key that
        # no case matches leads to accept.
        otherwise = next((each.next for each in reversed(transitions) if each.value is None), None)
        if not cases:
            self._go_to(otherwise)
            return
        if self.program.strict and all(each.value is not None for each in state.transitions):
            otherwise = UNMATCHED
        key = self._key(state)
        unmasked = all(each.mask is None and each.value_set is None for each in cases)
        if unmasked and key.type.width <= 64:
            self._switch(key, cases, otherwise)
            return
        width = key.type.width
        for case in cases:
            assert case.value is not None
            taken, onward = self.body.block(f"{state.name}.taken"), self.body.block(f"{state.name}.onward")
            if case.value_set is not None:
                builder.cbranch(self._among(state, case.value_set, case.mask), taken, onward)
            else:
                mask = case.mask if case.mask is not None else -1
                masked = builder.and_(key, integer(width, mask))
                builder.cbranch(builder.icmp_unsigned("==", masked, integer(width, case.value & mask)), taken, onward)
            builder.position_at_end(taken)
            self._go_to(case.next)
            builder.position_at_end(onward)
        self._go_to(otherwise)

    def _switch(self, key: ir.Value, cases: list[p4.Transition], otherwise: str | None) -> None:
        builder = self.body.builder
        default = self.body.block("default")
        chosen = builder.switch(key, default)
        seen: set[int] = set()
        for case in cases:
            assert case.value is not None
            if case.value in seen or case.value.bit_length() > key.type.width:
                continue
            seen.add(case.value)
            block = self.body.block("case")
            chosen.add_case(integer(key.type.width, case.value), block)
            builder.position_at_end(block)
            self._go_to(case.next)
        builder.position_at_end(default)
        self._go_to(otherwise)

    def _among(self, state: p4.ParseState, name: str, mask: int | None) -> ir.Value:
        """Whether the concatenation of the key's parts is in a value set."""
        body, builder = self.body, self.body.builder
        declared = next(each for each in self.program.value_sets if each.name == name)
        parts = [self._key_part(part) for part in state.key]
        if sum(part.type.width for part in parts) != declared.width:
            raise p4.UnsupportedProgram(
                f"parser state {state.name} is not supported: its key and {name} differ in width"
            )
        wide = 64 * words(declared.width)
        key: ir.Value = integer(wide, 0)
        below = declared.width
        for part in parts:
            below -= part.type.width
            key = builder.or_(key, builder.shl(body.resized(part, wide), integer(wide, below)))
        if mask is not None:
            key = builder.and_(key, integer(wide, mask))
        at = self.surroundings.context.value_sets[name]
        first, count = body.load_address(at), body.load_word(at + 1)
        loop, test, end = (body.block(f"{name}.{part}") for part in ("loop", "test", "end"))
        before = builder.block
        builder.branch(loop)
        builder.position_at_end(loop)
        number = builder.phi(WORD)
        number.add_incoming(word(0), before)
        more = builder.icmp_unsigned("<", number, count)
        builder.cbranch(more, test, end)
        builder.position_at_end(test)
        value = body.load(body.at(first, builder.mul(number, word(wide // 8))), wide // 8)
        if mask is not None:
            value = builder.and_(value, integer(wide, mask))
        same = builder.icmp_unsigned("==", key, value)
        number.add_incoming(builder.add(number, word(1)), test)
        builder.cbranch(same, end, loop)
        builder.position_at_end(end)
        # The loop ends early at a matching value.
        return builder.icmp_unsigned("<", number, count)

    def _key(self, state: p4.ParseState) -> ir.Value:
        """The concatenation of the key's parts, the first one highest, each padded to whole bytes."""
        builder = self.body.builder
        parts = [self._key_part(part) for part in state.key]
        width = sum(-(-each.type.width // 8) * 8 for each in parts)
        key: ir.Value | None = None
        below = width
        for part in parts:
            below -= -(-part.type.width // 8) * 8
            placed = builder.shl(self.body.resized(part, width), integer(width, below))
            key = placed if key is None else builder.or_(key, placed)
        if key is None:
            raise p4.UnsupportedProgram(f"parser state {state.name}, which selects without a key, is not supported")
        return key

    def _key_part(self, part: p4.FieldRef | p4.LastField | p4.LastUnionField | p4.Lookahead) -> ir.Value:
        self._require_last(part)
        if isinstance(part, p4.Lookahead):
            return self.look(part)
        field = self.expressions.field(part)
        return self.expressions.read(field, field.width)

    def _go_to(self, name: str | None) -> None:
        builder = self.body.builder
        if name is None:
            builder.branch(self.end)
            return
        if name == UNMATCHED:
            builder.store(self._code("NoMatch"), self.error)
            builder.branch(self.end)
            return
        if name not in self.states:
            raise p4.UnsupportedProgram(f"there is no parser state {name}")
        passed = builder.add(builder.load(self.passed, typ=INT), integer(32, 1))
        builder.store(passed, self.passed)
        within = builder.icmp_unsigned("<", passed, integer(32, MOST_STATES))
        builder.cbranch(within, self.states[name], self.end)


@dataclass(frozen=True)
class _FieldAhead:
    """A field of the header that the parser extracts next, as a parameter of an expression."""

    parser: ParserCode
    bits: p4.Lookahead

    @property
    def interval(self) -> Interval:
        return Interval.of_width(self.bits.width)

    def load(self, body: Body) -> ir.Value:
        return self.parser.look(self.bits)


def _stacks_with_last(used: object) -> Iterator[str]:
    """The stacks whose last element an operation or expression reads."""
    if isinstance(used, p4.LastField | p4.LastHeader | p4.LastUnionField):
        yield used.stack
    elif isinstance(used, tuple):
        for each in used:
            yield from _stacks_with_last(each)
    elif is_dataclass(used):
        for each in fields(used):
            yield from _stacks_with_last(getattr(used, each.name))
