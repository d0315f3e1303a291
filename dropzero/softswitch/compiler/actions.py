"""Compiles actions and their primitives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from dropzero.softswitch.compiler.calculations import CalculationCode
from dropzero.softswitch.compiler.expressions import ActionParameter, Expressions, FieldHandle, HeaderHandle
from dropzero.softswitch.compiler.internet_checksums import InternetChecksums
from dropzero.softswitch.compiler.intervals import Interval
from dropzero.softswitch.compiler.metering import GREEN, RED, YELLOW, execute_meter
from dropzero.softswitch.native.emission import BIT, Body, integer, word
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.program.steps import Steps
from dropzero.softswitch.state.arrays import storage_bytes
from dropzero.softswitch.state.layout import Context, PacketVector
from dropzero.softswitch.state.meters import METER_WORDS
from dropzero.softswitch.state.reports import DIGEST, MESSAGE, WORDS, messages
from dropzero.softswitch.state.tables.rows import PARAMETERS, words

CLONE = 1 << 15
"""A flag that is added to the session number of a clone request, because the number may be 0."""

STANDARD_COLOURS = (GREEN, YELLOW, RED)
"""What simple_switch stores for each colour."""

MOST_JUMPS = 1 << 20
"""Limit on backward jumps in one run of an action. A loop that exceeds it is left, so that the switch cannot hang."""


@dataclass(frozen=True)
class ConstantParameter:
    """A parameter with a value fixed by the program."""

    value: int

    @property
    def interval(self) -> Interval:
        return Interval(self.value, self.value)

    def load(self, body: Body) -> ir.Value:
        return integer(self.interval.width, self.value)


@dataclass(frozen=True)
class RowParameter:
    """A parameter stored in a table row."""

    row: ir.Value
    offset: int
    width: int

    @property
    def interval(self) -> Interval:
        return Interval.of_width(self.width)

    def load(self, body: Body) -> ir.Value:
        return body.load(body.at(self.row, 8 * (PARAMETERS + self.offset)), 8 * words(self.width))


@dataclass(frozen=True)
class Surroundings:
    """The environment in which a body's primitives are compiled.

    vector:    the layout of the packet vector
    context:   the layout of the context
    drop_port: the egress_spec that drops a packet
    length:    the packet's bytes on arrival, i32
    exiting:   a bit variable that is set when the control must end; None in a parser
    steps:     the steps that a traced program reports
    """

    program: p4.Program
    vector: PacketVector
    context: Context
    drop_port: int
    length: ir.Value
    exiting: ir.Value | None
    steps: Steps | None = None


class ActionCode:
    """Writes the code of actions into a body."""

    def __init__(self, body: Body, surroundings: Surroundings) -> None:
        self.body = body
        self.surroundings = surroundings
        self.program = surroundings.program
        self.checksums = InternetChecksums(body)
        self._registers = {register.name: register for register in self.program.registers}
        self._counters = {counter.name: counter for counter in self.program.counters}
        self._meters = {meter.name: meter for meter in self.program.meters}

    def action(self, action: p4.Action, parameters: Sequence[ActionParameter]) -> None:
        """Writes all primitives in order, including jumps."""
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
    def _truth(expressions: Expressions, tested: p4.Expression) -> ir.Value:
        if expressions.is_boolean(tested):
            return expressions.boolean(tested)
        value = expressions.exact(tested)
        return expressions.body.builder.icmp_unsigned("!=", value, integer(value.type.width, 0))

    def primitive(self, primitive: p4.Primitive, expressions: Expressions) -> None:
        """Writes one primitive that is not a jump."""
        try:
            match primitive.op, primitive.arguments:
                case "assign", (target, value):
                    expressions.assign(target, value)
                case "assign_VL", (target, value):
                    expressions.assign_variable(target, value)
                case "add_header", (header,):
                    self._add_header(expressions, expressions.header(header))
                case "remove_header", (header,):
                    self._remove_header(expressions, expressions.header(header))
                case "assign_header", (target, source):
                    self._assign_header(expressions, expressions.header(target), expressions.header(source))
                case "assign_header_stack", (p4.StackRef(target), p4.StackRef(source)):
                    self._assign_stack(expressions, target, source)
                case "assign_union", (target, source):
                    self._assign_union(expressions, target, source)
                case "assign_union_stack", (p4.UnionStackRef(target), p4.UnionStackRef(source)):
                    self._assign_union_stack(expressions, target, source)
                case "push" | "pop", (p4.UnionStackRef(stack), p4.Constant(count)):
                    self._shift_unions(expressions, stack, count if primitive.op == "push" else -count)
                case "push", (p4.StackRef(stack), p4.Constant(count)):
                    self._push(expressions, self.program.stacks[stack], count)
                case "pop", (p4.StackRef(stack), p4.Constant(count)):
                    self._pop(expressions, self.program.stacks[stack], count)
                case "mark_to_drop", (p4.HeaderRef(name),):
                    self._mark_to_drop(expressions, name)
                case "drop", ():
                    self._drop(expressions)
                case "no_op", ():
                    pass
                case "register_read", (target, p4.Named("register_array", name), index):
                    self._read_register(expressions, expressions.field(target), name, index)
                case "register_write", (p4.Named("register_array", name), index, value):
                    self._write_register(expressions, name, index, value)
                case "count", (p4.Named("counter_array", name), index):
                    self._count(expressions, name, index)
                case "execute_meter", (p4.Named("meter_array", name), index, target):
                    self._execute_meter(expressions, name, index, expressions.field(target))
                case "modify_field_rng_uniform", (target, low, high):
                    self._random(expressions, primitive, expressions.field(target), low, high)
                case "modify_field_with_hash_based_offset", (target, base, p4.Named("calculation", name), size):
                    self._hash(expressions, primitive, target, base, name, size)
                case "get_hash", (target, p4.Named("calculation", name)):
                    field = expressions.field(target)
                    value = self._hashed(expressions, self.program.calculations[name])
                    expressions.write(field, self.body.resized(value, field.width))
                case op, (p4.Text(instance), *arguments) if op.endswith("_checksum"):
                    self.checksums.method(expressions, op, instance, arguments)
                case "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress", (session, p4.Constant(fields)):
                    number = self.body.resized(expressions.bits(session, 15), 32)
                    self._request("clone_session", self.body.builder.or_(number, integer(32, CLONE)))
                    self._request("clone_list", integer(32, fields))
                case "resubmit" | "recirculate" as request, (p4.Constant(fields),):
                    self._request(request, integer(32, fields))
                case "truncate", (length,):
                    self._truncate(expressions, length)
                case "generate_digest", (_, p4.Constant(number)):
                    self._request("digest", integer(32, number))
                case "log_msg", (p4.Text(), p4.Values(values)):
                    self.report(expressions, MESSAGE, self._message(primitive), values)
                case "assert" | "assume", (condition,):
                    with self.body.when(self.body.builder.not_(self._truth(expressions, condition)), likely=False):
                        self.report(expressions, MESSAGE, self._message(primitive), ())
                case "exit", () if self.surroundings.exiting is not None:
                    self.body.builder.store(integer(1, 1), self.surroundings.exiting)
                case _:
                    raise p4.UnsupportedProgram(f"the primitive {primitive.op} with these arguments is not supported")
        except p4.UnsupportedProgram as error:
            if primitive.source is None or str(error).startswith(str(primitive.source)):
                raise
            raise p4.UnsupportedProgram(f"{primitive.source}: {error}") from error

    # --- headers ---

    def _add_header(self, expressions: Expressions, header: HeaderHandle) -> None:
        with self.body.when(self.body.builder.not_(expressions.valid(header))):
            self.body.written.add(header.region)
            self.body.clear(header.pointer, self.surroundings.vector.layout(header.kind).size)
            expressions.set_valid(header, True)
            self._lengthen(expressions.bytes_of(header))

    def _remove_header(self, expressions: Expressions, header: HeaderHandle) -> None:
        with self.body.when(expressions.valid(header)):
            expressions.set_valid(header, False)
            self._lengthen(self.body.builder.neg(expressions.bytes_of(header)))

    def _lengthen(self, size: ir.Value) -> None:
        """Adds to the packet's length, if the program can read it."""
        if self.program.standard("packet_length") is None:
            return
        place = self.surroundings.vector.length
        self.body.store_place(self.body.builder.add(self.body.load_place(place), size), place)

    def _assign_header(self, expressions: Expressions, target: HeaderHandle, source: HeaderHandle) -> None:
        if target.kind.name != source.kind.name:
            raise p4.UnsupportedProgram(f"a {target.kind.name} from a {source.kind.name} is not supported")
        size = self.surroundings.vector.layout(target.kind).size
        valid = expressions.valid(source)
        with self.body.builder.if_else(valid) as (then, otherwise):
            with then:
                self.body.written.add(target.region)
                self.body.move(target.pointer, source.pointer, size)
                expressions.set_valid(target, True)
            with otherwise:
                expressions.set_valid(target, False)

    def _assign_stack(self, expressions: Expressions, target: str, source: str) -> None:
        vector, stacks = self.surroundings.vector, self.program.stacks
        self.body.store_place(self.body.load_place(vector.next[source]), vector.next[target])
        for to, origin in zip(stacks[target].headers, stacks[source].headers, strict=True):
            self._assign_header(
                expressions, expressions.header(p4.HeaderRef(to)), expressions.header(p4.HeaderRef(origin))
            )

    def _assign_union(self, expressions: Expressions, target: p4.Expression, source: p4.Expression) -> None:
        for member in range(expressions.members(target)):
            to, origin = (expressions.union_header(union, member) for union in (target, source))
            self._assign_header(expressions, to, origin)

    def _assign_union_stack(self, expressions: Expressions, target: str, source: str) -> None:
        vector, stacks = self.surroundings.vector, self.program.union_stacks
        self.body.store_place(self.body.load_place(vector.next[source]), vector.next[target])
        for to, origin in zip(stacks[target].unions, stacks[source].unions, strict=True):
            self._assign_union(expressions, p4.UnionRef(to), p4.UnionRef(origin))

    def _shift_unions(self, expressions: Expressions, stack: str, count: int) -> None:
        unions = self.program.union_stacks[stack].unions
        first = expressions.header(p4.HeaderRef(self.program.unions[unions[0]].headers[0]))
        names = [self.program.unions[union].headers for union in unions]
        size = sum(self.surroundings.vector.layout(self.program.headers[name].type).size for name in names[0])
        self._move(expressions, stack, first.pointer, size, names, count)

    def _push(self, expressions: Expressions, stack: p4.Stack, count: int) -> None:
        self._shift(expressions, stack, min(count, len(stack.headers)))

    def _pop(self, expressions: Expressions, stack: p4.Stack, count: int) -> None:
        self._shift(expressions, stack, -min(count, len(stack.headers)))

    def _shift(self, expressions: Expressions, stack: p4.Stack, count: int) -> None:
        size = self.surroundings.vector.layout(stack.type).size
        first = expressions.header(p4.HeaderRef(stack.headers[0])).pointer
        self._move(expressions, stack.name, first, size, [(name,) for name in stack.headers], count)

    def _move(
        self,
        expressions: Expressions,
        stack: str,
        first: ir.Value,
        size: int,
        elements: Sequence[tuple[str, ...]],
        count: int,
    ) -> None:
        """Moves the elements of a stack up by `count` places, or down if it is negative. Invalidates the places that
        become free.

        first: a pointer to the first element. size: bytes of an element. elements: the headers in each.
        """
        depth = len(elements)
        count = max(-depth, min(count, depth))
        for name in (name for names in elements for name in names):
            self.body.written.add(expressions.header(p4.HeaderRef(name)).region)
        moved = size * (depth - abs(count))
        if moved:
            target, source = (count, 0) if count > 0 else (0, -count)
            self.body.move(self.body.at(first, size * target), self.body.at(first, size * source), moved)
        for name in (
            name for names in (elements[:count] if count > 0 else elements[depth + count :]) for name in names
        ):
            expressions.set_valid(expressions.header(p4.HeaderRef(name)), False)
        place, builder = self.surroundings.vector.next[stack], self.body.builder
        following = builder.add(self.body.load_place(place), integer(32, count))
        limit = integer(32, depth if count > 0 else 0)
        beyond = builder.icmp_signed(">" if count > 0 else "<", following, limit)
        self.body.store_place(builder.select(beyond, limit, following), place)

    def _mark_to_drop(self, expressions: Expressions, header: str) -> None:
        """Marks the packet to be dropped. header: standard_metadata, or a copy of it that the action copies back."""
        fields = self.program.headers[header].type.by_name
        for name, value in (("egress_spec", self.surroundings.drop_port), ("mcast_grp", 0)):
            if name in fields:
                expressions.assign(p4.FieldRef(header, name), p4.Constant(value))

    def _drop(self, expressions: Expressions) -> None:
        """Marks the packet to be dropped, in programs compiled before mark_to_drop had an argument."""
        for name, value in (("egress_spec", self.surroundings.drop_port), ("mcast_grp", 0)):
            field = self.program.standard(name, f"intrinsic_metadata.{name}")
            if field is not None:
                expressions.assign(field, p4.Constant(value))

    # --- state that outlives the packet ---

    @contextmanager
    def _inside(self, expressions: Expressions, index: p4.Expression, size: int) -> Iterator[ir.Value]:
        """Makes the code written in the block conditional on an index below `size`. Yields it as a word."""
        interval = expressions.interval(index)
        exact = expressions.exact(index, size.bit_length() + 1)
        wide = exact.type.width
        if not interval.signed and interval.high < size:
            inside = ir.Constant(BIT, 1)
        else:
            inside = self.body.builder.icmp_unsigned("<", exact, integer(wide, size))
        at = self.body.resized(exact, 64)
        with self.body.when(inside, likely=True):
            yield at

    def _read_register(self, expressions: Expressions, target: FieldHandle, name: str, index: p4.Expression) -> None:
        register = self._registers[name]
        with self._inside(expressions, index, register.size) as at:
            cell = self.body.load(self._cell(name, at), storage_bytes(register.width))
            expressions.write(target, self.body.resized(cell, target.width))

    def _write_register(self, expressions: Expressions, name: str, index: p4.Expression, value: p4.Expression) -> None:
        register = self._registers[name]
        with self._inside(expressions, index, register.size) as at:
            content = expressions.bits(value, register.width)
            self.body.store(content, self._cell(name, at), storage_bytes(register.width))

    def _cell(self, name: str, index: ir.Value) -> ir.Value:
        size = storage_bytes(self._registers[name].width)
        cells = self.body.load_address(self.surroundings.context.registers[name])
        return self.body.at(cells, self.body.builder.mul(index, word(size)))

    def _count(self, expressions: Expressions, name: str, index: p4.Expression) -> None:
        counter = self._counters[name]
        with self._inside(expressions, index, counter.size) as at:
            cells = self.body.load_address(self.surroundings.context.counters[name])
            packets = self.body.at(cells, self.body.builder.mul(at, word(8)))
            self.add(packets, word(1))
            self.add(self.body.at(packets, 8 * counter.size), self.body.resized(self.surroundings.length, 64))

    def _execute_meter(self, expressions: Expressions, name: str, index: p4.Expression, target: FieldHandle) -> None:
        meter = self._meters[name]
        with self._inside(expressions, index, meter.size) as at:
            cells = self.body.load_address(self.surroundings.context.meters[name])
            cell = self.body.at(cells, self.body.builder.mul(at, word(8 * METER_WORDS)))
            self.meter(expressions, cell, meter, target)

    def meter(self, expressions: Expressions, cell: ir.Value, meter: p4.MeterDeclaration, target: FieldHandle) -> None:
        """Executes a meter and stores its colour in `target`."""
        size = self.body.resized(self.surroundings.length, 64)
        units = word(1) if meter.unit == "packets" else size
        now = self.body.load_word(self.surroundings.context.now)
        colour = self.body.builder.call(execute_meter(self.body.module), [cell, now, units, size])
        if meter.colours != STANDARD_COLOURS:
            green, yellow, red = map(word, meter.colours)
            builder = self.body.builder
            other = builder.select(builder.icmp_unsigned("==", colour, word(YELLOW)), yellow, red)
            colour = builder.select(builder.icmp_unsigned("==", colour, word(GREEN)), green, other)
        expressions.write(target, self.body.resized(colour, target.width))

    def add(self, pointer: ir.Value, amount: ir.Value) -> None:
        """Adds an amount to a word in memory."""
        self.body.store(self.body.builder.add(self.body.load(pointer, 8), amount), pointer, 8)

    # --- requests for later ---

    def _request(self, request: str, value: ir.Value) -> None:
        self.body.store_place(value, self.surroundings.vector.requests[request])

    def _truncate(self, expressions: Expressions, length: p4.Expression) -> None:
        """Requests truncation to the shortest of all requested lengths. Stores it plus 1, because 0 means none."""
        builder = self.body.builder
        place = self.surroundings.vector.requests["truncation"]
        wanted = expressions.exact(length, 33)
        most = integer(wanted.type.width, (1 << 31) - 2)
        wanted = builder.select(builder.icmp_unsigned("<", wanted, most), wanted, most)
        wanted = builder.add(self.body.resized(wanted, 32), integer(32, 1))
        held = self.body.load_place(place)
        shorter = builder.or_(
            builder.icmp_unsigned("==", held, integer(32, 0)), builder.icmp_unsigned("<", wanted, held)
        )
        self._request("truncation", builder.select(shorter, wanted, held))

    def digest(self, expressions: Expressions) -> None:
        """Reports the last digest that ingress requested."""
        requested = self.body.load_place(self.surroundings.vector.requests["digest"])
        for number, declared in self.program.digests.items():
            with self.body.when(self.body.builder.icmp_unsigned("==", requested, integer(32, number))):
                self.report(expressions, DIGEST, number, declared.elements)

    def _message(self, primitive: p4.Primitive) -> int:
        return messages(self.program)[primitive]

    def report(self, expressions: Expressions, kind: int, number: int, values: Sequence[p4.Expression]) -> None:
        """Writes a report of expressions' values, or counts it as lost if the buffer is full."""
        body, builder = self.body, self.body.builder
        content: list[ir.Value] = [word(len(values))]
        for each in values:
            if expressions.is_boolean(each):
                content += (word(1), body.resized(expressions.boolean(each), 64))
                continue
            interval = expressions.interval(each)
            size = words(interval.width)
            value = body.resized(expressions.exact(each), 64 * size, signed=interval.signed)
            content.append(word(-size if interval.signed else size))
            content += (body.resized(builder.lshr(value, integer(64 * size, 64 * at)), 64) for at in range(size))
        self.report_words(kind, number, content)

    def report_words(self, kind: int, number: int, values: Sequence[ir.Value]) -> None:
        """Writes a report, or counts it as lost if the buffer is full. values: the words after the number."""
        body, builder, context = self.body, self.body.builder, self.surroundings.context
        content = [word(kind), word(number), *values]
        end = body.load_word(context.reports_end)
        room = builder.icmp_unsigned("<=", end, word(WORDS - len(content)))
        with builder.if_else(room) as (then, otherwise):
            with then:
                target = body.at(body.load_address(context.reports), builder.mul(end, word(8)))
                for at, each_word in enumerate(content):
                    body.store(each_word, body.at(target, 8 * at), 8)
                end = builder.add(end, word(len(content)))
                body.store(end, body.at(body.context, 8 * context.reports_end), 8)
            with otherwise:
                self.add(body.at(body.context, 8 * context.reports_lost), word(1))

    # --- numbers ---

    def chosen(self, where: p4.Primitive | str, index: ir.Value, count: ir.Value, *more: ir.Value) -> ir.Value:
        """Hook for traced programs, which may choose another index than the selector of an action profile, a hash or
        the random number generator. Returns the index.

        where: the primitive, or the profile. index: below `count`, which is 0 for 2^64. more: to report. All i64.
        """
        return index

    def _hash(
        self,
        expressions: Expressions,
        primitive: p4.Primitive,
        target: p4.Expression,
        base: p4.Expression,
        name: str,
        size: p4.Expression,
    ) -> None:
        """Stores base + hash % size, computed in 64 bits. A size of 0 counts as 1."""
        builder = self.body.builder
        calculation = self.program.calculations[name]
        hashed = self._hashed(expressions, calculation)
        count = expressions.bits(size, 64)
        count = builder.select(builder.icmp_unsigned("==", count, word(0)), word(1), count)
        value = builder.add(self.chosen(primitive, builder.urem(hashed, count), count), expressions.bits(base, 64))
        field = expressions.field(target)
        expressions.write(field, self.body.resized(value, field.width))

    def _hashed(self, expressions: Expressions, calculation: p4.Calculation) -> ir.Value:
        is_random = calculation.algorithm == "random"
        return self._random_bits() if is_random else CalculationCode(expressions).value(calculation)

    def _random(
        self,
        expressions: Expressions,
        primitive: p4.Primitive,
        target: FieldHandle,
        low: p4.Expression,
        high: p4.Expression,
    ) -> None:
        """Stores a uniform random number from low to high, inclusive. Does nothing if low > high."""
        builder = self.body.builder
        bounds = [expressions.bits(bound, 64) for bound in (low, high)]
        # The upper 64 bits of (64 random bits * number of values) are uniform over the values.
        values = builder.add(self.body.resized(builder.sub(bounds[1], bounds[0]), 128), integer(128, 1))
        product = builder.mul(self.body.resized(self._random_bits(), 128), values)
        index = self.body.resized(builder.lshr(product, integer(128, 64)), 64)
        with self.body.when(builder.icmp_unsigned("<=", *bounds), likely=True):
            number = builder.add(self.chosen(primitive, index, self.body.resized(values, 64)), bounds[0])
            expressions.write(target, self.body.resized(number, target.width))

    def _random_bits(self) -> ir.Value:
        """Draws 64 random bits with splitmix64 [SplitMix]."""
        builder = self.body.builder
        state_pointer = self.body.at(self.body.context, 8 * self.surroundings.context.random)
        state = builder.add(self.body.load(state_pointer, 8), word(0x9E3779B97F4A7C15))
        self.body.store(state, state_pointer, 8)
        mixed = state
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = builder.mul(builder.xor(mixed, builder.lshr(mixed, word(shift))), word(factor))
        return builder.xor(mixed, builder.lshr(mixed, word(31)))


def _jump_target(primitive: p4.Primitive, count: int) -> int:
    """The index of the primitive jumped to; `count` is the end of the action."""
    match primitive.arguments[-1]:
        case p4.Constant(value) if 0 <= value <= count:
            return value
    raise p4.UnsupportedProgram(f"{primitive.source}: a jump to {primitive.arguments[-1]} is not supported")
