"""The parser as native code: one block for each state."""

from __future__ import annotations

from llvmlite import ir

from softswitch.actions import ActionCode, Surroundings
from softswitch.emission import INT, WORD, Body, integer, word
from softswitch.expressions import Expressions, HeaderHandle
from softswitch.program import (
    Advance,
    Expression,
    Extract,
    ExtractNext,
    FieldRef,
    HeaderRef,
    LastField,
    Lookahead,
    ParserOperation,
    ParseState,
    Primitive,
    Set,
    Transition,
    UnsupportedProgram,
    Verify,
)
from softswitch.serialization import read_header

MOST_STATES = 1 << 16
"""States a packet may pass; a parser that then still goes round is left there, for the switch must not hang."""

CORE_ERRORS = {"PacketTooShort": 1, "StackOutOfBounds": 3, "ParserInvalidArgument": 6}
"""Codes of the errors of P4's core library where the program does not list them."""


class ParserCode:
    """Writes the whole parser. An error ends it: parser_error says which one, and what was taken stays taken."""

    def __init__(self, body: Body, surroundings: Surroundings, packet: ir.Value, length: ir.Value) -> None:
        self.body = body
        self.surroundings = surroundings
        self.program = surroundings.program
        self.packet = packet
        self.length = body.resized(length, 64)
        self.expressions = Expressions(body, self.program, surroundings.vector)
        self.actions = ActionCode(body, surroundings)
        self.offset = body.variable(WORD, word(0))
        self.passed = body.variable(INT, integer(32, 0))
        self.error = body.variable(INT, integer(32, self.program.errors.get("NoError", 0)))
        self.states = {name: body.block(name) for name in self.program.parser.states}
        self.end = body.block("end")

    def write(self) -> ir.Value:
        """The parser from its start; returns how many bytes it has taken, and leaves `body` after its end."""
        builder = self.body.builder
        builder.branch(self.states[self.program.parser.start])
        for state in self.program.parser.states.values():
            builder.position_at_end(self.states[state.name])
            self._state(state)
        builder.position_at_end(self.end)
        target = self.program.standard("parser_error")
        if target is not None:
            field = self.expressions.field(target)
            self.expressions.write(field, self.body.resized(builder.load(self.error, typ=INT), field.width))
        return builder.load(self.offset, typ=WORD)

    def _state(self, state: ParseState) -> None:
        for operation in state.operations:
            self._operation(operation)
        self._transitions(state)

    # --- operations ---

    def _operation(self, operation: ParserOperation) -> None:
        match operation:
            case Extract(header):
                self._extract(self.expressions.header(HeaderRef(header)))
            case ExtractNext(stack):
                self._extract_next(stack)
            case Set(target, Lookahead() as ahead):
                field = self.expressions.field(target)
                self.expressions.write(field, self.body.resized(self._look(ahead), field.width))
            case Set(target, value):
                self.expressions.assign(target, value)
            case Verify(condition, error):
                code = self.body.resized(self.expressions.exact(error), 32)
                self._fail_unless(self.expressions.boolean(condition), code)
            case Advance(bits):
                self._advance(bits)
            case Primitive(op) if op.startswith("_jump"):
                raise UnsupportedProgram(f"the primitive {op} in a parser is not supported")
            case Primitive():
                self.actions.primitive(operation, self.expressions)

    def _extract(self, header: HeaderHandle) -> None:
        size = word(header.kind.bits // 8)
        start = self._take(size)
        read_header(self.expressions, header, self.body.at(self.packet, start))
        self.expressions.set_valid(header, True)

    def _extract_next(self, stack: str) -> None:
        builder = self.body.builder
        place = self.surroundings.vector.next[stack]
        following = self.body.load_place(place)
        depth = integer(32, len(self.program.stacks[stack].headers))
        self._fail_unless(builder.icmp_unsigned("<", following, depth), self._code("StackOutOfBounds"))
        self._extract(self.expressions.header_at(stack, following))
        self.body.store_place(builder.add(following, integer(32, 1)), place)

    def _advance(self, bits: Expression) -> None:
        builder = self.body.builder
        amount = self.expressions.exact(bits, 64)
        wide = amount.type.width
        whole = builder.icmp_unsigned("==", builder.and_(amount, integer(wide, 7)), integer(wide, 0))
        self._fail_unless(whole, self._code("ParserInvalidArgument"))
        size = builder.lshr(amount, integer(wide, 3))
        enough = builder.icmp_unsigned("<=", size, self.body.resized(self._remaining(), wide))
        self._fail_unless(enough, self._code("PacketTooShort"))
        self._take(self.body.resized(size, 64))

    def _look(self, ahead: Lookahead) -> ir.Value:
        first, last = ahead.offset // 8, (ahead.offset + ahead.width + 7) // 8
        self._need(word(last))
        start = self.body.builder.load(self.offset, typ=WORD)
        pointer = self.body.at(self.body.at(self.packet, start), first)
        value = self.body.load_network(pointer, last - first)
        below = 8 * last - ahead.offset - ahead.width
        return self.body.resized(self.body.builder.lshr(value, integer(value.type.width, below)), ahead.width)

    def _take(self, size: ir.Value) -> ir.Value:
        """Goes on by some bytes; returns where they begin."""
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

    def _code(self, name: str) -> ir.Value:
        return integer(32, self.program.errors.get(name, CORE_ERRORS[name]))

    def _fail_unless(self, condition: ir.Value, code: ir.Value) -> None:
        builder = self.body.builder
        with self.body.builder.if_then(builder.not_(condition), likely=False):
            builder.store(code, self.error)
            builder.branch(self.end)

    # --- transitions ---

    def _transitions(self, state: ParseState) -> None:
        builder = self.body.builder
        cases = [each for each in state.transitions if each.value is not None]
        # A key that no case matches is accepted when there is no default.
        otherwise = next((each.next for each in state.transitions if each.value is None), None)
        if not cases:
            self._go_to(otherwise)
            return
        key = self._key(state)
        unmasked = all(each.mask is None for each in cases)
        if unmasked and key.type.width <= 64:
            self._switch(key, cases, otherwise)
            return
        width = key.type.width
        for case in cases:
            assert case.value is not None
            mask = case.mask if case.mask is not None else -1
            masked = builder.and_(key, integer(width, mask))
            taken, onward = self.body.block(f"{state.name}.taken"), self.body.block(f"{state.name}.onward")
            builder.cbranch(builder.icmp_unsigned("==", masked, integer(width, case.value & mask)), taken, onward)
            builder.position_at_end(taken)
            self._go_to(case.next)
            builder.position_at_end(onward)
        self._go_to(otherwise)

    def _switch(self, key: ir.Value, cases: list[Transition], otherwise: str | None) -> None:
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

    def _key(self, state: ParseState) -> ir.Value:
        """The key's parts side by side, the first one highest, each in whole bytes."""
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
            raise UnsupportedProgram(f"parser state {state.name}, which chooses by nothing, is not supported")
        return key

    def _key_part(self, part: FieldRef | LastField | Lookahead) -> ir.Value:
        if isinstance(part, Lookahead):
            return self._look(part)
        field = self.expressions.field(part)
        return self.expressions.read(field, field.width)

    def _go_to(self, name: str | None) -> None:
        builder = self.body.builder
        if name is None:
            builder.branch(self.end)
            return
        if name not in self.states:
            raise UnsupportedProgram(f"there is no parser state {name}")
        passed = builder.add(builder.load(self.passed, typ=INT), integer(32, 1))
        builder.store(passed, self.passed)
        within = builder.icmp_unsigned("<", passed, integer(32, MOST_STATES))
        builder.cbranch(within, self.states[name], self.end)
