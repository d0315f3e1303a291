"""Compiles expressions, headers and fields.

BMv2 computes with unbounded integers, and truncates a value only when it stores it. So every expression is compiled for
as many low bits as its consumer needs, and is exact if these are at least as many as the width of its interval.
Additions, multiplications and bitwise operations need only as many bits of their operands. Comparisons, right shifts
and divisions need exact operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from llvmlite import ir

from dropzero.softswitch.compiler.intervals import WIDEST, Interval
from dropzero.softswitch.native import wide
from dropzero.softswitch.native.division import division
from dropzero.softswitch.native.emission import Body, integer, word
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.state.arrays import storage_bytes
from dropzero.softswitch.state.layout import BITS, Context, PacketVector, Place

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
BOOLEAN_OPERATIONS = (*COMPARISONS, "and", "or", "not", "d2b", "valid", "valid_union")


class ActionParameter(Protocol):
    """An action parameter whose value can be loaded."""

    @property
    def interval(self) -> Interval: ...

    def load(self, body: Body) -> ir.Value:
        """Loads the value, at least interval.width bits wide, zero-extended."""


@dataclass(frozen=True)
class HeaderHandle:
    """A header, possibly one chosen at run time.

    region:   all bytes of the packet vector that it may occupy
    siblings: the byte offsets of the other headers of its union from this one
    """

    kind: p4.HeaderType
    pointer: ir.Value
    region: Place
    siblings: tuple[int, ...] = ()
    metadata: bool = False


@dataclass(frozen=True)
class FieldHandle:
    """A field that can be read and written.

    size:   bytes in memory
    width:  bits
    region: all bytes of the packet vector that it may occupy; None: it is local to the control
    owner:  its header, if that may be invalid
    """

    pointer: ir.Value
    size: int
    width: int
    signed: bool
    region: Place | None
    saturating: bool = False
    owner: HeaderHandle | None = None


class Expressions:
    """Writes the code of expressions into a body. Expressions refer to the packet vector and an action's parameters."""

    def __init__(
        self, body: Body, program: p4.Program, vector: PacketVector, parameters: Sequence[ActionParameter] = ()
    ) -> None:
        self.body = body
        self.program = program
        self.vector = vector
        self.parameters = parameters

    # --- types of expressions ---

    def is_boolean(self, expression: p4.Expression) -> bool:
        match expression:
            case p4.Boolean():
                return True
            case p4.Operation("?", (_, then, _)):
                return self.is_boolean(then)
            case p4.Operation(op):
                return op in BOOLEAN_OPERATIONS
        return False

    def is_header(self, expression: p4.Expression) -> bool:
        match expression:
            case p4.HeaderRef() | p4.LastHeader() | p4.Operation("dereference_header_stack" | "access_union_header"):
                return True
            case p4.Operation("?", (_, then, _)):
                return self.is_header(then)
        return False

    @staticmethod
    def is_union(expression: p4.Expression) -> bool:
        match expression:
            case p4.UnionRef() | p4.Operation("dereference_union_stack"):
                return True
        return False

    def header_type(self, expression: p4.Expression) -> p4.HeaderType:
        """The type of a header expression."""
        match expression:
            case p4.HeaderRef(name):
                return self.program.headers[name].type
            case p4.LastHeader(name) | p4.Operation("dereference_header_stack", (p4.StackRef(name), _)):
                return self.program.stacks[name].type
            case p4.Operation("access_union_header", (union, p4.Constant(member))):
                return self.program.headers[self._union(union).headers[member]].type
            case p4.Operation("?", (_, then, _)):
                return self.header_type(then)
        raise self._misplaced(expression, "a header")

    def interval(self, expression: p4.Expression) -> Interval:
        """The interval of the values of an expression that is a number."""
        match expression:
            case p4.Constant(value):
                return Interval(value, value)
            case p4.ParameterRef(index):
                return self.parameters[index].interval
            case p4.Lookahead(_, width):
                return Interval.of_width(width)
            case p4.Operation("?", (_, then, otherwise)):
                return self.interval(then) | self.interval(otherwise)
            case p4.Operation("b2d"):
                return Interval(0, 1)
            case p4.RegisterCell(name, _):
                return Interval.of_width(self._register(name).width)
            case p4.Operation("last_stack_index" | "size_stack", (p4.StackRef(name),)):
                return Interval(-1, len(self.program.stacks[name].headers))
            case p4.Operation("last_stack_index" | "size_stack", (p4.UnionStackRef(name),)):
                return Interval(-1, len(self.program.union_stacks[name].unions))
            case p4.Operation("~", (operand,)):
                return ~self.interval(operand)
            case p4.Operation("two_comp_mod" | "sat_cast", (_, width)):
                return Interval.of_width(self._constant(width), signed=True)
            case p4.Operation("usat_cast", (_, width)):
                return Interval.of_width(self._constant(width))
            case p4.FieldRef() | p4.LastField() | p4.LastUnionField() | p4.Operation("access_field"):
                field = self._field_type(expression)
                return Interval.of_width(field.width, signed=field.signed)
            case p4.Operation(op, (left, right)) if op in _INTERVALS:
                return _INTERVALS[op](self.interval(left), self.interval(right))
        raise self._misplaced(expression, "a number")

    # --- data ---

    def exact(self, expression: p4.Expression, width: int = 1) -> ir.Value:
        """The exact value, in an integer of at least `width` bits; signed if its interval is."""
        wide = max(self.interval(expression).width, width)
        if wide > WIDEST:
            raise self._unsupported(expression, f"a value of {wide} bits or more")
        return self.bits(expression, wide)

    def bits(self, expression: p4.Expression, width: int) -> ir.Value:
        """The value modulo 2**width."""
        match expression:
            case p4.Constant(value):
                return integer(width, value)
            case p4.ParameterRef(index):
                return self.body.resized(self.parameters[index].load(self.body), width)
            case p4.FieldRef() | p4.LastField() | p4.LastUnionField() | p4.Operation("access_field"):
                return self.read(self.field(expression), width)
            case p4.RegisterCell(name, index):
                return self._cell(name, index, width)
            case p4.Operation("?", (condition, then, otherwise)):
                return wide.select(
                    self.body.builder, self.boolean(condition), self.bits(then, width), self.bits(otherwise, width)
                )
            case p4.Operation("b2d", (operand,)):
                return self.body.resized(self.boolean(operand), width)
            case p4.Operation("last_stack_index" | "size_stack" as op, (p4.StackRef(name) | p4.UnionStackRef(name),)):
                following = self.body.resized(self.body.load_place(self.vector.next[name]), width)
                return self.body.builder.sub(following, integer(width, 1)) if op == "last_stack_index" else following
            case p4.Operation("~", (operand,)):
                return wide.not_(self.body.builder, self.bits(operand, width))
            case p4.Operation("+", (left, right)):
                return wide.add(self.body.builder, self.bits(left, width), self.bits(right, width))
            case p4.Operation("-", (left, right)):
                return wide.sub(self.body.builder, self.bits(left, width), self.bits(right, width))
            case p4.Operation("*", (left, right)):
                return self.body.builder.mul(self.bits(left, width), self.bits(right, width))
            case p4.Operation("|", (left, right)):
                return wide.or_(self.body.builder, self.bits(left, width), self.bits(right, width))
            case p4.Operation("^", (left, right)):
                return wide.xor(self.body.builder, self.bits(left, width), self.bits(right, width))
            case p4.Operation("&", (left, right)):
                return self._and(left, right, width)
            case p4.Operation("<<", (left, right)):
                return self._shift_left(left, right, width)
            case p4.Operation(">>", (left, right)):
                return self._shift_right(left, right, width)
            case p4.Operation("/" | "%" as op, (left, right)):
                return self._divide(op, left, right, width)
            case p4.Operation("two_comp_mod", (operand, bound)):
                return self.body.resized(self.bits(operand, self._constant(bound)), width, signed=True)
            case p4.Operation("usat_cast" | "sat_cast", (operand, _)):
                return self._saturate(operand, self.interval(expression), width)
        raise self._misplaced(expression, "a number")

    def _cell(self, name: str, index: p4.Expression, width: int) -> ir.Value:
        """A cell of a register array; 0 beyond its end."""
        register = self._register(name)
        builder = self.body.builder
        at = self.exact(index, 65)
        inside = builder.icmp_unsigned("<", at, integer(at.type.width, register.size))
        at = builder.select(inside, self.body.resized(at, 64), word(0))
        size = storage_bytes(register.width)
        cells = self.body.load_address(Context(self.program).registers[name])
        value = self.body.load(self.body.at(cells, builder.mul(at, word(size))), size)
        return self.body.resized(wide.select(builder, inside, value, integer(8 * size, 0)), width)

    def _register(self, name: str) -> p4.RegisterDeclaration:
        return next(register for register in self.program.registers if register.name == name)

    def _and(self, left: p4.Expression, right: p4.Expression, width: int) -> ir.Value:
        interval = self.interval(left) & self.interval(right)
        needed = width if interval.signed else min(width, interval.width)
        both = wide.and_(self.body.builder, self.bits(left, needed), self.bits(right, needed))
        return self.body.resized(both, width)

    def _shift_left(self, left: p4.Expression, right: p4.Expression, width: int) -> ir.Value:
        if isinstance(right, p4.Constant):
            if right.value >= width:
                return integer(width, 0)
            return self.body.builder.shl(self.bits(left, width), integer(width, max(0, right.value)))
        amount, inside = self._amount(right, width)
        shifted = self.body.builder.shl(self.bits(left, width), amount)
        return self.body.builder.select(inside, shifted, integer(width, 0))

    def _shift_right(self, left: p4.Expression, right: p4.Expression, width: int) -> ir.Value:
        interval = self.interval(left)
        wide = max(interval.width, 1)
        builder = self.body.builder
        if isinstance(right, p4.Constant):
            amount = min(max(0, right.value), wide - 1 if interval.signed else wide)
            if amount >= wide:
                return integer(width, 0)
            # Only so many bits of the left operand affect the result.
            wide = min(wide, amount + width)
            if wide > WIDEST:
                raise self._unsupported(left, f"a value of {wide} bits or more")
            shift = builder.ashr if interval.signed else builder.lshr
            return self.body.resized(shift(self.bits(left, wide), integer(wide, amount)), width, signed=interval.signed)
        value = self.exact(left)
        amount, inside = self._amount(right, wide)
        if interval.signed:
            shifted = builder.ashr(value, builder.select(inside, amount, integer(wide, wide - 1)))
        else:
            shifted = builder.select(inside, builder.lshr(value, amount), integer(wide, 0))
        return self.body.resized(shifted, width, signed=interval.signed)

    def _amount(self, expression: p4.Expression, width: int) -> tuple[ir.Value, ir.Value]:
        """The shift amount, `width` bits wide, and whether it is below `width`. Negative amounts become 0."""
        interval = self.interval(expression)
        builder = self.body.builder
        amount = self.exact(expression, width.bit_length() + 1)
        wide = amount.type.width
        if interval.signed:
            amount = builder.select(builder.icmp_signed("<", amount, integer(wide, 0)), integer(wide, 0), amount)
        return self.body.resized(amount, width), builder.icmp_unsigned("<", amount, integer(wide, width))

    def _divide(self, op: str, left: p4.Expression, right: p4.Expression, width: int) -> ir.Value:
        """Divides. The result is 0 where BMv2 leaves it undefined: a divisor <= 0, or a negative dividend."""
        intervals = self.interval(left), self.interval(right)
        if self.program.strict and (intervals[0].signed or intervals[1].signed or intervals[1].high == 0):
            raise self._unsupported(
                p4.Operation(op, (left, right)), "strictly, to divide negative numbers, or by zero,"
            )
        both = intervals[0] | intervals[1]
        # One more bit, so that both operands can be signed.
        wide = both.width + 1
        builder = self.body.builder
        dividend, divisor = (
            self.body.resized(self.exact(each), wide, signed=interval.signed)
            for each, interval in zip((left, right), intervals, strict=True)
        )
        defined = builder.icmp_signed(">", divisor, integer(wide, 0))
        if intervals[0].signed:
            defined = builder.and_(defined, builder.icmp_signed(">=", dividend, integer(wide, 0)))
        divisor = builder.select(defined, divisor, integer(wide, 1))
        result = builder.call(division(self.body.module, op, wide), [dividend, divisor])
        return self.body.resized(builder.select(defined, result, integer(wide, 0)), width)

    def _saturate(self, operand: p4.Expression, bounds: Interval, width: int) -> ir.Value:
        """The value, limited to `bounds`, as `width` bits."""
        own = self.interval(operand)
        both = own | bounds
        signed = both.signed
        wide = both.width
        value = self.body.resized(self.exact(operand), wide, signed=own.signed)
        builder = self.body.builder
        compare = builder.icmp_signed if signed else builder.icmp_unsigned
        if own.high > bounds.high:
            high = integer(wide, bounds.high)
            value = builder.select(compare(">", value, high), high, value)
        if own.low < bounds.low:
            low = integer(wide, bounds.low)
            value = builder.select(compare("<", value, low), low, value)
        return self.body.resized(value, width, signed=bounds.signed)

    # --- booleans ---

    def boolean(self, expression: p4.Expression) -> ir.Value:
        """The truth of an expression, as one bit. "and" and "or" compute both sides, which has no side effects."""
        builder = self.body.builder
        match expression:
            case p4.Boolean(value):
                return integer(1, int(value))
            case p4.Operation("and", (left, right)):
                return builder.and_(self.boolean(left), self.boolean(right))
            case p4.Operation("or", (left, right)):
                return builder.or_(self.boolean(left), self.boolean(right))
            case p4.Operation("not", (operand,)):
                return builder.not_(self.boolean(operand))
            case p4.Operation("d2b", (operand,)):
                value = self.exact(operand)
                return builder.icmp_unsigned("!=", value, integer(value.type.width, 0))
            case p4.Operation("valid", (header,)):
                return self.valid(self.header(header))
            case p4.Operation("valid_union", (union,)):
                valid: ir.Value = integer(1, 0)
                for member in range(len(self._union(union).headers)):
                    valid = builder.or_(valid, self.valid(self.union_header(union, member)))
                return valid
            case p4.Operation("?", (condition, then, otherwise)):
                return builder.select(self.boolean(condition), self.boolean(then), self.boolean(otherwise))
            case p4.Operation(op, (left, right)) if op in COMPARISONS:
                return self._compare(op, left, right)
        raise self._misplaced(expression, "true or false")

    def _compare(self, op: str, left: p4.Expression, right: p4.Expression) -> ir.Value:
        builder = self.body.builder
        if self.is_boolean(left):
            return builder.icmp_unsigned(op, self.boolean(left), self.boolean(right))
        if self.is_union(left):
            strict = self.program.strict
            equal: ir.Value = integer(1, int(strict))
            for member in range(self.members(left)):
                pair = (self.union_header(union, member) for union in (left, right))
                equal = (builder.and_ if strict else builder.or_)(equal, self._same_header(*pair))
            return equal if op == "==" else builder.not_(equal)
        if self.is_header(left):
            same = self._same_header(self.header(left), self.header(right))
            return same if op == "==" else builder.not_(same)
        intervals = self.interval(left), self.interval(right)
        both = intervals[0] | intervals[1]
        values = (
            self.body.resized(self.exact(each), both.width, signed=interval.signed)
            for each, interval in zip((left, right), intervals, strict=True)
        )
        return (builder.icmp_signed if both.signed else builder.icmp_unsigned)(op, *values)

    def _same_header(self, left: HeaderHandle, right: HeaderHandle) -> ir.Value:
        """Whether two headers are equal. As in BMv2, two invalid headers differ; in strict mode they are equal."""
        builder = self.body.builder
        if left.kind.name != right.kind.name:
            return integer(1, 0)
        valid = self.valid(left), self.valid(right)
        same = builder.and_(*valid)
        hidden = [] if left.kind.variable is None else [BITS]
        for name in (*left.kind.by_name, *hidden):
            values = (self.body.load(each.pointer, each.size) for each in self._fields(name, left, right))
            same = builder.and_(same, builder.icmp_unsigned("==", *values))
        return builder.or_(same, builder.not_(builder.or_(*valid))) if self.program.strict else same

    def _fields(self, name: str, *headers: HeaderHandle) -> list[FieldHandle]:
        return [self.field_of(header, name) for header in headers]

    # --- headers and fields ---

    def header(self, expression: p4.Expression) -> HeaderHandle:
        """A header by name, or an element of a stack by index."""
        match expression:
            case p4.HeaderRef(name):
                kind = self.program.headers[name].type
                place = Place(self.vector.headers[name], self.vector.layout(kind).size)
                pointer = self.body.at(self.body.vector, place.offset)
                metadata = self.program.headers[name].metadata
                return HeaderHandle(kind, pointer, place, self._siblings(name), metadata)
            case p4.Operation("dereference_header_stack", (p4.StackRef(name), p4.Constant(index))) if (
                0 <= index < len(self.program.stacks[name].headers)
            ):
                return self.header(p4.HeaderRef(self.program.stacks[name].headers[index]))
            case p4.Operation("dereference_header_stack", (p4.StackRef(name), index_expression)):
                return self.header_at(name, self.exact(index_expression, 32))
            case p4.LastHeader(name):
                return self.header_at(name, self._last(name))
            case p4.Operation("access_union_header", (union, p4.Constant(member))):
                return self.union_header(union, member)
            case p4.Operation("?", (condition, then, otherwise)):
                one, other = self.header(then), self.header(otherwise)
                if one.siblings != other.siblings:
                    raise self._unsupported(expression, "a choice between headers of different unions")
                if self.vector.layout(one.kind).size != self.vector.layout(other.kind).size:
                    raise self._unsupported(expression, "a choice between headers of different sizes")
                pointer = self.body.builder.select(self.boolean(condition), one.pointer, other.pointer)
                return HeaderHandle(one.kind, pointer, one.region.joined(other.region), one.siblings, one.metadata)
        raise self._misplaced(expression, "a header")

    def header_at(self, stack: str, index: ir.Value) -> HeaderHandle:
        """The element of a header stack; for an index out of range, a spare header that is never sent."""
        declared = self.program.stacks[stack]
        size = self.vector.layout(declared.type).size
        first = self.vector.headers[declared.headers[0]]
        region = Place(first, size * (len(declared.headers) + 1))
        return HeaderHandle(declared.type, self._element(first, size, len(declared.headers), index), region)

    def union_header_at(self, stack: str, index: ir.Value, member: int) -> HeaderHandle:
        """A header of an element of a union stack; for an index out of range, of a spare union that is never sent."""
        declared = self.program.union_stacks[stack]
        names = [self.program.unions[union].headers for union in declared.unions]
        kind = self.program.headers[names[0][member]].type
        size = sum(self.vector.layout(self.program.headers[name].type).size for name in names[0])
        first = self.vector.headers[names[0][0]]
        within = self.vector.headers[names[0][member]]
        region = Place(first, size * (len(names) + 1))
        pointer = self._element(within, size, len(names), index)
        return HeaderHandle(kind, pointer, region, self._siblings(names[0][member]))

    def _element(self, first: int, size: int, count: int, index: ir.Value) -> ir.Value:
        """A pointer into an element of a stack. first: where the first one is. count: of the elements, which the spare
        one follows."""
        builder = self.body.builder
        spare = integer(index.type.width, count)
        index = builder.select(builder.icmp_unsigned("<", index, spare), index, spare)
        offset = builder.mul(self.body.resized(index, 64), word(size))
        return self.body.at(self.body.vector, builder.add(offset, word(first)))

    def members(self, union: p4.Expression) -> int:
        """The number of headers in a union."""
        return len(self._union(union).headers)

    def _union(self, expression: p4.Expression) -> p4.Union:
        """A union; for an element of a stack, the first element, which has the same type."""
        match expression:
            case p4.UnionRef(name):
                return self.program.unions[name]
            case p4.Operation("dereference_union_stack", (p4.UnionStackRef(name), _)):
                return self.program.unions[self.program.union_stacks[name].unions[0]]
        raise self._misplaced(expression, "a header union")

    def union_header(self, union: p4.Expression, member: int) -> HeaderHandle:
        """A header of a union, by its position."""
        match union:
            case p4.Operation("dereference_union_stack", (p4.UnionStackRef(name), index)):
                return self.union_header_at(name, self.exact(index, 32), member)
        return self.header(p4.HeaderRef(self._union(union).headers[member]))

    def _siblings(self, name: str) -> tuple[int, ...]:
        own = self.vector.headers[name]
        return tuple(self.vector.headers[sibling] - own for sibling in self.vector.siblings.get(name, ()))

    def valid(self, header: HeaderHandle) -> ir.Value:
        """Whether the header is valid; metadata always is."""
        return self.body.builder.trunc(self.body.load(header.pointer, 1), ir.IntType(1))

    def set_valid(self, header: HeaderHandle, valid: bool) -> None:
        """Sets a header's validity. Validating one header of a union invalidates the others."""
        self.write(self.field_of(header, p4.VALID), integer(1, int(valid)))
        for offset in header.siblings if valid else ():
            dynamic = header.region.size != self.vector.layout(header.kind).size
            self.body.written.add(header.region if dynamic else Place(header.region.offset + offset, 1))
            self.body.store(integer(8, 0), self.body.at(header.pointer, offset), 1)

    def bytes_of(self, header: HeaderHandle) -> ir.Value:
        """The size of a header on the wire, in bytes, i32."""
        variable = header.kind.variable
        if variable is None:
            return integer(32, header.kind.bits // 8)
        fixed = integer(32, (header.kind.bits - variable.width) // 8)
        bits = self.read(self.field_of(header, BITS), 32)
        return self.body.builder.add(fixed, self.body.builder.lshr(bits, integer(32, 3)))

    def field_of(self, header: HeaderHandle, name: str) -> FieldHandle:
        """A field of a header, by name; may be hidden."""
        layout = self.vector.layout(header.kind)
        place = layout.fields[name]
        pointer = self.body.at(header.pointer, place.offset)
        if header.region.size == layout.size:
            region = Place(header.region.offset + place.offset, place.size)
        else:
            region = header.region
        if name == p4.VALID:
            return FieldHandle(pointer, 1, 1, False, region)
        if name == BITS:
            return FieldHandle(pointer, 4, 32, False, region)
        field = header.kind.by_name[name]
        owner = None if header.metadata else header
        return FieldHandle(pointer, place.size, field.width, field.signed, region, field.saturating, owner)

    def field(self, expression: p4.Expression) -> FieldHandle:
        """The field that an expression names."""
        match expression:
            case p4.FieldRef() as ref if ref in self.body.locals:
                kind = self.program.field_type(ref)
                size = storage_bytes(kind.width)
                return FieldHandle(self.body.locals[ref], size, kind.width, kind.signed, None, kind.saturating)
            case p4.FieldRef(header, name):
                return self.field_of(self.header(p4.HeaderRef(header)), name)
            case p4.LastField(stack, name):
                return self.field_of(self.header_at(stack, self._last(stack)), name)
            case p4.LastUnionField(stack, member, name):
                return self.field_of(self.union_header_at(stack, self._last(stack), member), name)
            case p4.Operation("access_field", (header_expression, p4.Constant(position))):
                handle = self.header(header_expression)
                return self.field_of(handle, self._name_at(handle.kind, position))
        raise self._misplaced(expression, "a field")

    def _last(self, stack: str) -> ir.Value:
        """The index of the stack element extracted last."""
        return self.body.builder.sub(self.body.load_place(self.vector.next[stack]), integer(32, 1))

    def read(self, field: FieldHandle, width: int) -> ir.Value:
        """A field's value modulo 2**width. In strict mode, a field of an invalid header reads as 0."""
        value = self.body.load(field.pointer, field.size)
        if self.program.strict and field.owner is not None:
            value = wide.select(self.body.builder, self.valid(field.owner), value, integer(value.type.width, 0))
        if field.signed and width > field.width:
            return self.body.resized(self.body.resized(value, field.width), width, signed=True)
        return self.body.resized(value, width)

    def key_part(self, ref: p4.FieldRef, width: int) -> ir.Value:
        """A field as a part of a table's key, in which fields of invalid headers are 0."""
        value = self.bits(ref, width)
        if ref.field == p4.VALID or ref.header not in self.program.invalidated:
            return value
        return wide.select(
            self.body.builder, self.valid(self.header(p4.HeaderRef(ref.header))), value, integer(width, 0)
        )

    def write(self, field: FieldHandle, value: ir.Value) -> None:
        """Stores a value of the field's width."""
        if field.region is not None:
            self.body.written.add(field.region)
        self.body.store(value, field.pointer, field.size)

    def assign(self, target: p4.Expression, value: p4.Expression) -> None:
        """Assigns a number to a field of fixed width."""
        field = self.field(target)
        if field.saturating:
            self.write(field, self._saturate(value, Interval.of_width(field.width, signed=field.signed), field.width))
        else:
            self.write(field, self.bits(value, field.width))

    def assign_variable(self, target: p4.Expression, value: p4.Expression) -> None:
        """Assigns one varbit to another."""
        self.assign(target, value)
        to, origin = (self.field(self._bits_beside(each)) for each in (target, value))
        self.write(to, self.read(origin, 32))

    def is_variable(self, expression: p4.Expression) -> bool:
        """Whether the expression is a varbit."""
        match expression:
            case p4.FieldRef() | p4.LastField() | p4.LastUnionField() | p4.Operation("access_field"):
                return self._field_type(expression).variable
        return False

    def _bits_beside(self, expression: p4.Expression) -> p4.Expression:
        """The hidden field with a varbit's current width."""
        match expression:
            case p4.FieldRef(header, _):
                return p4.FieldRef(header, BITS)
            case p4.LastField(stack, _):
                return p4.LastField(stack, BITS)
            case p4.LastUnionField(stack, member, _):
                return p4.LastUnionField(stack, member, BITS)
            case p4.Operation("access_field", (header_expression, _)):
                return p4.Operation("access_field", (header_expression, p4.Constant(-1)))
        raise self._misplaced(expression, "a varbit")

    def _field_type(self, expression: p4.Expression) -> p4.FieldType:
        match expression:
            case p4.FieldRef(_, "$valid$"):
                return p4.FieldType(p4.VALID, 1)
            case p4.FieldRef(header, name):
                kind = self.program.headers[header].type
            case p4.LastField(stack, name):
                kind = self.program.stacks[stack].type
            case p4.LastUnionField(stack, member, name):
                union = self.program.union_stacks[stack].unions[0]
                kind = self.program.headers[self.program.unions[union].headers[member]].type
            case p4.Operation("access_field", (header_expression, p4.Constant(position))):
                kind = self.header_type(header_expression)
                name = self._name_at(kind, position)
            case _:
                raise self._misplaced(expression, "a field")
        if name == p4.VALID:
            return p4.FieldType(p4.VALID, 1)
        return kind.by_name[name]

    @staticmethod
    def _name_at(kind: p4.HeaderType, position: int) -> str:
        """The name of a field by its position. The position after the last field is the hidden validity, and -1 is the
        hidden width of a varbit."""
        if position < 0:
            return BITS
        return kind.fields[position].name if position < len(kind.fields) else p4.VALID

    # --- refusals ---

    def _constant(self, expression: p4.Expression) -> int:
        if not isinstance(expression, p4.Constant) or expression.value < 1:
            raise self._misplaced(expression, "a constant width")
        return expression.value

    def _misplaced(self, expression: p4.Expression, wanted: str) -> p4.UnsupportedProgram:
        found = f"the operation {expression.op}" if isinstance(expression, p4.Operation) else str(expression)
        return self._unsupported(expression, f"{found} in the place of {wanted}")

    @staticmethod
    def _unsupported(expression: p4.Expression, what: str) -> p4.UnsupportedProgram:
        source = expression.source if isinstance(expression, p4.Operation) else None
        return p4.UnsupportedProgram(f"{source}: {what} is not supported" if source else f"{what} is not supported")


_INTERVALS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": Interval.__add__,
    "-": Interval.__sub__,
    "*": Interval.__mul__,
    "&": Interval.__and__,
    "|": Interval.bitwise,
    "^": Interval.bitwise,
    "<<": Interval.__lshift__,
    ">>": Interval.__rshift__,
    "/": lambda left, right: Interval(0, max(0, left.high)),
    "%": lambda left, right: Interval(0, max(0, min(left.high, right.high - 1))),
}
