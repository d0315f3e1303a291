"""Actions as native code: one piece of code for every primitive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir

from softswitch.emission import BIT, Body, integer, word
from softswitch.expressions import ActionParameter, Expressions, FieldHandle, HeaderHandle
from softswitch.layout import Context, PacketVector
from softswitch.program import (
    Action,
    Constant,
    Expression,
    HeaderRef,
    Named,
    Primitive,
    Program,
    Stack,
    StackRef,
    UnsupportedProgram,
)
from softswitch.registers import storage_bytes
from softswitch.spans import Span
from softswitch.tables import PARAMETERS, words

MOST_JUMPS = 1 << 20
"""Backward jumps one run of an action may make; a loop that goes on is left there, for the switch must not hang."""


@dataclass(frozen=True)
class ConstantParameter:
    """A parameter whose value the program fixes."""

    value: int

    @property
    def span(self) -> Span:
        return Span(self.value, self.value)

    def load(self, body: Body) -> ir.Value:
        return integer(self.span.width, self.value)


@dataclass(frozen=True)
class RowParameter:
    """A parameter in the row of a table."""

    row: ir.Value
    offset: int
    width: int

    @property
    def span(self) -> Span:
        return Span.of_width(self.width)

    def load(self, body: Body) -> ir.Value:
        return body.load(body.at(self.row, 8 * (PARAMETERS + self.offset)), 8 * words(self.width))


@dataclass(frozen=True)
class Surroundings:
    """What primitives use besides the body.

    length: the packet's bytes on arrival, i32. exiting: a bit variable, set when the pipeline is to stop; None in a
    parser.
    """

    program: Program
    vector: PacketVector
    context: Context
    drop_port: int
    length: ir.Value
    exiting: ir.Value | None


class ActionCode:
    """Writes the code of actions into a body."""

    def __init__(self, body: Body, surroundings: Surroundings) -> None:
        self.body = body
        self.surroundings = surroundings
        self.program = surroundings.program
        self._registers = {register.name: register for register in self.program.registers}
        self._counters = {counter.name: counter for counter in self.program.counters}

    def action(self, action: Action, parameters: Sequence[ActionParameter]) -> None:
        """All primitives, in order, with loops and branches where the action jumps."""
        expressions = Expressions(self.body, self.program, self.surroundings.vector, parameters)
        count = len(action.primitives)
        targets = {_jump_target(each, count) for each in action.primitives if each.op.startswith("_jump")}
        if not targets:
            for primitive in action.primitives:
                self.primitive(primitive, expressions)
            return
        blocks = {target: self.body.block(f"{action.name}.{target}") for target in sorted(targets | {count})}
        end = blocks[count]
        jumps = self.body.variable(ir.IntType(32), integer(32, 0))
        builder = self.body.builder
        for at, primitive in enumerate(action.primitives):
            if at in blocks:
                builder.branch(blocks[at])
                builder.position_at_end(blocks[at])
            if not primitive.op.startswith("_jump"):
                self.primitive(primitive, expressions)
                continue
            target = _jump_target(primitive, count)
            condition = integer(1, 1)
            if primitive.op == "_jump_if_zero":
                condition = builder.not_(self._truth(expressions, primitive.arguments[0]))
            if target <= at:
                made = builder.add(builder.load(jumps, typ=ir.IntType(32)), integer(32, 1))
                builder.store(made, jumps)
                allowed = self.body.block(f"{action.name}.loop")
                builder.cbranch(builder.icmp_unsigned("<", made, integer(32, MOST_JUMPS)), allowed, end)
                builder.position_at_end(allowed)
            onward = self.body.block(f"{action.name}.onward")
            builder.cbranch(condition, blocks[target], onward)
            builder.position_at_end(onward)
        builder.branch(end)
        builder.position_at_end(end)

    @staticmethod
    def _truth(expressions: Expressions, tested: Expression) -> ir.Value:
        if expressions.is_boolean(tested):
            return expressions.boolean(tested)
        value = expressions.exact(tested)
        return expressions.body.builder.icmp_unsigned("!=", value, integer(value.type.width, 0))

    def primitive(self, primitive: Primitive, expressions: Expressions) -> None:
        """One primitive that is not a jump."""
        try:
            match primitive.op, primitive.arguments:
                case "assign", (target, value):
                    expressions.assign(target, value)
                case "add_header", (header,):
                    self._add_header(expressions, expressions.header(header))
                case "remove_header", (header,):
                    self._remove_header(expressions, expressions.header(header))
                case "assign_header", (target, source):
                    self._assign_header(expressions, expressions.header(target), expressions.header(source))
                case "assign_header_stack", (StackRef(target), StackRef(source)):
                    self._assign_stack(expressions, target, source)
                case "push", (StackRef(stack), Constant(count)):
                    self._push(expressions, self.program.stacks[stack], count)
                case "pop", (StackRef(stack), Constant(count)):
                    self._pop(expressions, self.program.stacks[stack], count)
                case "mark_to_drop", (HeaderRef(),):
                    self._mark_to_drop(expressions)
                case "register_read", (target, Named("register_array", name), index):
                    self._read_register(expressions, expressions.field(target), name, index)
                case "register_write", (Named("register_array", name), index, value):
                    self._write_register(expressions, name, index, value)
                case "count", (Named("counter_array", name), index):
                    self._count(expressions, name, index)
                case "modify_field_rng_uniform", (target, low, high):
                    self._random(expressions, expressions.field(target), low, high)
                case "exit", () if self.surroundings.exiting is not None:
                    self.body.builder.store(integer(1, 1), self.surroundings.exiting)
                case _:
                    raise UnsupportedProgram(f"the primitive {primitive.op} with these arguments is not supported")
        except UnsupportedProgram as error:
            if primitive.source is None or str(error).startswith(str(primitive.source)):
                raise
            raise UnsupportedProgram(f"{primitive.source}: {error}") from error

    # --- headers ---

    def _add_header(self, expressions: Expressions, header: HeaderHandle) -> None:
        with self.body.when(self.body.builder.not_(expressions.valid(header))):
            self.body.written.add(header.region)
            self.body.clear(header.pointer, self.surroundings.vector.layout(header.kind).size)
            expressions.set_valid(header, True)
            self._lengthen(header.kind.bits // 8)

    def _remove_header(self, expressions: Expressions, header: HeaderHandle) -> None:
        with self.body.when(expressions.valid(header)):
            expressions.set_valid(header, False)
            self._lengthen(-(header.kind.bits // 8))

    def _lengthen(self, size: int) -> None:
        place = self.surroundings.vector.length
        self.body.store_place(self.body.builder.add(self.body.load_place(place), integer(32, size)), place)

    def _assign_header(self, expressions: Expressions, target: HeaderHandle, source: HeaderHandle) -> None:
        if target.kind.name != source.kind.name:
            raise UnsupportedProgram(f"a {target.kind.name} from a {source.kind.name} is not supported")
        size = self.surroundings.vector.layout(target.kind).size
        valid = expressions.valid(source)
        with self.body.builder.if_else(valid) as (then, otherwise):
            with then:
                self.body.written.add(target.region)
                self.body.move(target.pointer, source.pointer, size)
            with otherwise:
                expressions.set_valid(target, False)

    def _assign_stack(self, expressions: Expressions, target: str, source: str) -> None:
        vector, stacks = self.surroundings.vector, self.program.stacks
        self.body.store_place(self.body.load_place(vector.next[source]), vector.next[target])
        for mine, its in zip(stacks[target].headers, stacks[source].headers, strict=True):
            self._assign_header(expressions, expressions.header(HeaderRef(mine)), expressions.header(HeaderRef(its)))

    def _push(self, expressions: Expressions, stack: Stack, count: int) -> None:
        self._shift(expressions, stack, min(count, len(stack.headers)))

    def _pop(self, expressions: Expressions, stack: Stack, count: int) -> None:
        self._shift(expressions, stack, -min(count, len(stack.headers)))

    def _shift(self, expressions: Expressions, stack: Stack, count: int) -> None:
        """Moves a stack's headers `count` places up (or down), and leaves those that it makes room with invalid."""
        size, depth = self.surroundings.vector.layout(stack.type).size, len(stack.headers)
        headers = [expressions.header(HeaderRef(name)) for name in stack.headers]
        self.body.written.update(header.region for header in headers)
        moved = size * (depth - abs(count))
        if count > 0:
            if moved:
                self.body.move(headers[count].pointer, headers[0].pointer, moved)
            new = headers[:count]
        else:
            if moved:
                self.body.move(headers[0].pointer, headers[-count].pointer, moved)
            new = headers[depth + count :]
        for header in new:
            expressions.set_valid(header, False)
        place, builder = self.surroundings.vector.next[stack.name], self.body.builder
        following = builder.add(self.body.load_place(place), integer(32, count))
        limit = integer(32, depth if count > 0 else 0)
        beyond = builder.icmp_signed(">" if count > 0 else "<", following, limit)
        self.body.store_place(builder.select(beyond, limit, following), place)

    def _mark_to_drop(self, expressions: Expressions) -> None:
        for name, alias, value in (
            ("egress_spec", None, self.surroundings.drop_port),
            ("mcast_grp", "intrinsic_metadata.mcast_grp", 0),
        ):
            target = self.program.standard(name, alias)
            if target is not None:
                expressions.assign(target, Constant(value))

    # --- what outlives the packet ---

    def _inside(self, expressions: Expressions, index: Expression, size: int) -> tuple[ir.Value, ir.Value]:
        """An index as a word, and whether it is below size."""
        span = expressions.span(index)
        exact = expressions.exact(index, size.bit_length() + 1)
        wide = exact.type.width
        if not span.signed and span.high < size:
            inside = ir.Constant(BIT, 1)
        else:
            inside = self.body.builder.icmp_unsigned("<", exact, integer(wide, size))
        return self.body.resized(exact, 64), inside

    def _read_register(self, expressions: Expressions, target: FieldHandle, name: str, index: Expression) -> None:
        register = self._registers[name]
        at, inside = self._inside(expressions, index, register.size)
        with self.body.when(inside, likely=True):
            cell = self.body.load(self._cell(name, at), storage_bytes(register.width))
            expressions.write(target, self.body.resized(cell, target.width))

    def _write_register(self, expressions: Expressions, name: str, index: Expression, value: Expression) -> None:
        register = self._registers[name]
        at, inside = self._inside(expressions, index, register.size)
        with self.body.when(inside, likely=True):
            content = expressions.bits(value, register.width)
            self.body.store(content, self._cell(name, at), storage_bytes(register.width))

    def _cell(self, name: str, index: ir.Value) -> ir.Value:
        size = storage_bytes(self._registers[name].width)
        cells = self.body.load_address(self.surroundings.context.registers[name])
        return self.body.at(cells, self.body.builder.mul(index, word(size)))

    def _count(self, expressions: Expressions, name: str, index: Expression) -> None:
        counter = self._counters[name]
        at, inside = self._inside(expressions, index, counter.size)
        with self.body.when(inside, likely=True):
            cells = self.body.load_address(self.surroundings.context.counters[name])
            packets = self.body.at(cells, self.body.builder.mul(at, word(8)))
            self.add(packets, word(1))
            self.add(self.body.at(packets, 8 * counter.size), self.body.resized(self.surroundings.length, 64))

    def add(self, pointer: ir.Value, amount: ir.Value) -> None:
        """Adds to a word in memory."""
        self.body.store(self.body.builder.add(self.body.load(pointer, 8), amount), pointer, 8)

    def _random(self, expressions: Expressions, target: FieldHandle, low: Expression, high: Expression) -> None:
        """Uniform from low to high, both included; nothing happens when low > high. (splitmix64)"""
        builder = self.body.builder
        bounds = [expressions.bits(bound, 64) for bound in (low, high)]
        state_pointer = self.body.at(self.body.context, 8 * self.surroundings.context.random)
        state = builder.add(self.body.load(state_pointer, 8), word(0x9E3779B97F4A7C15))
        self.body.store(state, state_pointer, 8)
        mixed = state
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = builder.mul(builder.xor(mixed, builder.lshr(mixed, word(shift))), word(factor))
        mixed = builder.xor(mixed, builder.lshr(mixed, word(31)))
        # The upper half of a product with the number of values is uniform over them.
        values = builder.add(self.body.resized(builder.sub(bounds[1], bounds[0]), 128), integer(128, 1))
        product = builder.mul(self.body.resized(mixed, 128), values)
        drawn = builder.add(self.body.resized(builder.lshr(product, integer(128, 64)), 64), bounds[0])
        with self.body.when(builder.icmp_unsigned("<=", *bounds), likely=True):
            expressions.write(target, self.body.resized(drawn, target.width))


def _jump_target(primitive: Primitive, count: int) -> int:
    """Which of `count` primitives comes next; count itself is the end."""
    match primitive.arguments[-1]:
        case Constant(value) if 0 <= value <= count:
            return value
    raise UnsupportedProgram(f"{primitive.source}: a jump to {primitive.arguments[-1]} is not supported")
