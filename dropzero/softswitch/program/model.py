"""A program as typed data, in the terms of p4c's BMv2 backend."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from dropzero.softswitch.program.architecture import V1MODEL, Architecture


class UnsupportedProgram(ValueError):
    """The program is malformed, or uses an unsupported feature. The message names the feature and its place."""


@dataclass(frozen=True)
class Source:
    """A place in the P4 sources, and the first words there."""

    file: str
    line: int
    fragment: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


# --- headers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FieldType:
    """A field of a header type.

    saturating: an assigned value out of range becomes the nearest one in range
    variable:   a varbit of at most `width` bits
    """

    name: str
    width: int
    signed: bool = False
    saturating: bool = False
    variable: bool = False


@dataclass(frozen=True)
class HeaderType:
    name: str
    fields: tuple[FieldType, ...]

    @cached_property
    def bits(self) -> int:
        """The width of the header; with a varbit, the maximum."""
        return sum(field.width for field in self.fields)

    @cached_property
    def variable(self) -> FieldType | None:
        """The header's varbit, if it has one."""
        return next((field for field in self.fields if field.variable), None)

    @cached_property
    def by_name(self) -> dict[str, FieldType]:
        return {field.name: field for field in self.fields}


@dataclass(frozen=True)
class Header:
    """An instance of a header type. Metadata is always valid and never sent."""

    name: str
    type: HeaderType
    metadata: bool = False


@dataclass(frozen=True)
class Stack:
    name: str
    type: HeaderType
    headers: tuple[str, ...]


@dataclass(frozen=True)
class Union:
    """A header union: at most one of its headers is valid."""

    name: str
    type: str
    headers: tuple[str, ...]


@dataclass(frozen=True)
class UnionStack:
    """A stack of unions, all of the same type. members: the names of the headers within a union."""

    name: str
    members: tuple[str, ...]
    unions: tuple[str, ...]


# --- expressions --------------------------------------------------------------------------------------------------

VALID = "$valid$"
"""The hidden field of every header: 1 while it is valid."""


@dataclass(frozen=True)
class FieldRef:
    header: str
    field: str

    def __str__(self) -> str:
        return f"{self.header}.{self.field}"


@dataclass(frozen=True)
class Constant:
    value: int


@dataclass(frozen=True)
class Boolean:
    value: bool


@dataclass(frozen=True)
class ParameterRef:
    """A parameter of the action that the expression is in."""

    index: int


@dataclass(frozen=True)
class HeaderRef:
    name: str


@dataclass(frozen=True)
class StackRef:
    name: str


@dataclass(frozen=True)
class UnionRef:
    name: str


@dataclass(frozen=True)
class UnionStackRef:
    name: str


@dataclass(frozen=True)
class LastUnionField:
    """A field in the union of a stack that was extracted last. member: the header's position in the union."""

    stack: str
    member: int
    field: str


@dataclass(frozen=True)
class RegisterCell:
    """A cell of a register array."""

    register: str
    index: Expression


@dataclass(frozen=True)
class Text:
    value: str


@dataclass(frozen=True)
class Values:
    """A list of arguments in place of one argument."""

    values: tuple[Expression, ...]


@dataclass(frozen=True)
class LastHeader:
    """The header of a stack that was extracted last."""

    stack: str


@dataclass(frozen=True)
class LastField:
    """A field of the header of a stack that was extracted last."""

    stack: str
    field: str


@dataclass(frozen=True)
class Lookahead:
    """`width` bits of the packet, `offset` bits after the parser's position."""

    offset: int
    width: int


@dataclass(frozen=True)
class Named:
    """The name of an object as an argument of a primitive. kind: "register_array", "counter_array", ..."""

    kind: str
    name: str


@dataclass(frozen=True)
class Operation:
    """An operation on operands. "?" has (condition, then, else); "access_field" has (header, Constant(position))."""

    op: str
    operands: tuple[Expression, ...]
    source: Source | None = field(default=None, compare=False)


Expression = (
    FieldRef
    | Constant
    | Boolean
    | ParameterRef
    | HeaderRef
    | StackRef
    | UnionRef
    | UnionStackRef
    | LastField
    | LastHeader
    | LastUnionField
    | Lookahead
    | RegisterCell
    | Text
    | Values
    | Named
    | Operation
)


# --- actions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Primitive:
    op: str
    arguments: tuple[Expression, ...]
    source: Source | None = None


@dataclass(frozen=True)
class Parameter:
    name: str
    width: int


@dataclass(frozen=True)
class Action:
    """An action. Ids are unique; names are not (each table has its own NoAction, for example)."""

    id: int
    name: str
    parameters: tuple[Parameter, ...]
    primitives: tuple[Primitive, ...]


@dataclass(frozen=True)
class ActionCall:
    """An action of a table, by name, with the values of its parameters."""

    action: str
    parameters: tuple[int, ...] = ()


# --- parser -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Extract:
    """Extracts a header. bits: the width of its varbit."""

    header: str
    bits: Expression | None = None


@dataclass(frozen=True)
class ExtractNext:
    stack: str
    bits: Expression | None = None


@dataclass(frozen=True)
class ExtractNextUnion:
    """Extracts a header of the next union of a stack. member: the header's position in the union."""

    stack: str
    member: int
    bits: Expression | None = None


@dataclass(frozen=True)
class Set:
    target: FieldRef
    value: Expression


@dataclass(frozen=True)
class Verify:
    condition: Expression
    error: Expression


@dataclass(frozen=True)
class Advance:
    bits: Expression


ParserOperation = Extract | ExtractNext | ExtractNextUnion | Set | Verify | Advance | Primitive


@dataclass(frozen=True)
class Transition:
    """A case of a parser state's select.

    value, mask: the case is taken if key & mask == value & mask; value None: always; mask None: all bits
    next:        the next state; None: accept
    value_set:   compare with the values of this set instead; value is then 0
    """

    value: int | None
    mask: int | None
    next: str | None
    value_set: str | None = None


@dataclass(frozen=True)
class ParseState:
    """A parser state. The key that its transitions compare is the concatenation of `key`, the first expression highest,
    each padded to whole bytes."""

    name: str
    operations: tuple[ParserOperation, ...]
    key: tuple[FieldRef | LastField | LastUnionField | Lookahead, ...]
    transitions: tuple[Transition, ...]


@dataclass(frozen=True)
class Parser:
    name: str
    start: str
    states: dict[str, ParseState]


@dataclass(frozen=True)
class Deparser:
    """order: the headers, in the order in which they are written. primitives: run before."""

    name: str
    order: tuple[str, ...]
    primitives: tuple[Primitive, ...] = ()


# --- tables and control -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exact:
    value: int


@dataclass(frozen=True, slots=True)
class Lpm:
    value: int
    prefix_length: int


@dataclass(frozen=True, slots=True)
class Ternary:
    value: int
    mask: int


@dataclass(frozen=True, slots=True)
class Range:
    low: int
    high: int


Match = Exact | Lpm | Ternary | Range


@dataclass(frozen=True)
class Key:
    """One key field of a table. kind: "exact", "lpm", "ternary" (also P4's optional), "range", or (P4_14's) "valid",
    which is an exact match of the validity of a header."""

    name: str
    kind: str
    target: FieldRef
    width: int
    mask: int | None = None


HIGHEST_PRIORITY = (1 << 31) - 1
"""The highest priority of an entry: P4Runtime's priorities are positive 32-bit integers."""


@dataclass(frozen=True)
class ConstantEntry:
    """An entry that the program fixes. priority: the higher wins, as in P4Runtime."""

    match: tuple[Match, ...]
    call: ActionCall
    priority: int


@dataclass(frozen=True)
class TableDeclaration:
    """A table.

    kind:      the most general kind of its keys: "exact", "lpm", "ternary" or "range"
    next:      the next node by action name, and by "__HIT__" and "__MISS__", which come first if there are any; None:
               the end of the control
    base_next: the next node if no action runs
    default:   the default action
    const_default: the only action that the control plane may make the default; None: any
    default_const: the control plane may not change the default action
    entries:   the constant entries; None: the control plane fills the table
    profile:   the action profile whose members and groups the entries name
    """

    name: str
    kind: str
    keys: tuple[Key, ...]
    actions: tuple[Action, ...]
    size: int
    next: dict[str, str | None]
    base_next: str | None
    default: ActionCall | None
    const_default: str | None
    default_const: bool
    entries: tuple[ConstantEntry, ...] | None
    direct_counter: bool
    idle_timeout: bool
    source: Source | None
    direct_meter: str | None = None
    profile: str | None = None

    @property
    def constant_call(self) -> ActionCall | None:
        """The only call that it can make, if there are no keys and the default is constant. p4c makes such a table for
        every call of an action; the compiled program makes the call directly."""
        return self.default if self.default_const and not self.keys else None

    @property
    def prioritized(self) -> bool:
        """Whether its entries have priorities."""
        return self.kind in ("ternary", "range")


@dataclass(frozen=True)
class Conditional:
    name: str
    condition: Expression
    then: str | None
    otherwise: str | None
    source: Source | None = None


@dataclass(frozen=True)
class DirectCall:
    """A node that calls an action without parameters."""

    name: str
    action: Action
    next: str | None


@dataclass(frozen=True)
class Control:
    name: str
    start: str | None
    tables: dict[str, TableDeclaration]
    conditionals: dict[str, Conditional]
    calls: dict[str, DirectCall] = field(default_factory=dict)


@dataclass(frozen=True)
class ConstantBits:
    """A constant among the inputs of a checksum."""

    value: int
    width: int


@dataclass(frozen=True)
class Payload:
    """The bytes that the parser did not extract, among the inputs of a checksum."""


@dataclass(frozen=True)
class Calculation:
    """A hash over `inputs`.

    algorithm:     BMv2's name: "crc16", "csum16", ...
    aligned_right: as PSA's hashes: the inputs end with the last byte, and include fields of invalid headers. Otherwise
        they begin with the first byte, and leave these out
    """

    algorithm: str
    inputs: tuple[FieldRef | ConstantBits | Payload, ...]
    name: str = ""
    aligned_right: bool = False


@dataclass(frozen=True)
class Checksum:
    """A calculation with its result in `target`. condition: None for always."""

    target: FieldRef
    calculation: Calculation
    condition: Expression | None
    verify: bool
    update: bool


@dataclass(frozen=True)
class MeterDeclaration:
    """A meter array, or the direct meter of a table.

    unit:   "packets" or "bytes"
    table:  a direct meter's table
    target: the field in which a direct meter stores the colour
    colours: the numbers of green, yellow and red
    """

    name: str
    unit: str
    size: int
    table: str | None = None
    target: FieldRef | None = None
    colours: tuple[int, int, int] = (0, 1, 2)


@dataclass(frozen=True)
class ProfileDeclaration:
    """An action profile. selector: the hash that selects a member of a group; None: no groups."""

    name: str
    size: int
    selector: Calculation | None


@dataclass(frozen=True)
class ValueSetDeclaration:
    name: str
    width: int
    size: int


@dataclass(frozen=True)
class DigestDeclaration:
    """The elements of a digest."""

    name: str
    elements: tuple[Expression, ...]


@dataclass(frozen=True)
class RegisterDeclaration:
    name: str
    width: int
    size: int


@dataclass(frozen=True)
class CounterDeclaration:
    """A counter array, or the direct counter of a table. table: a direct counter's."""

    name: str
    size: int
    table: str | None = None


@dataclass(frozen=True)
class Program:
    """A whole program.

    parsers, deparsers: in the order in which a packet passes them
    digest:     identifies the program in all that affects its behaviour
    digests, field_lists: by the numbers by which primitives name them
    operations: the names of all primitives in the program
    fields:     all fields that the program names
    text:       the JSON
    strict:     follow the language's specification where BMv2 deviates from it
    """

    headers: dict[str, Header]
    stacks: dict[str, Stack]
    errors: dict[str, int]
    aliases: dict[str, FieldRef]
    parsers: tuple[Parser, ...]
    ingress: Control
    egress: Control
    deparsers: tuple[Deparser, ...]
    checksums: tuple[Checksum, ...]
    registers: tuple[RegisterDeclaration, ...]
    counters: tuple[CounterDeclaration, ...]
    digest: str
    unions: dict[str, Union] = field(default_factory=dict)
    union_stacks: dict[str, UnionStack] = field(default_factory=dict)
    meters: tuple[MeterDeclaration, ...] = ()
    profiles: tuple[ProfileDeclaration, ...] = ()
    value_sets: tuple[ValueSetDeclaration, ...] = ()
    calculations: dict[str, Calculation] = field(default_factory=dict)
    digests: dict[int, DigestDeclaration] = field(default_factory=dict)
    field_lists: dict[int, tuple[FieldRef, ...]] = field(default_factory=dict)
    actions: tuple[Action, ...] = ()
    direct_counters: tuple[CounterDeclaration, ...] = ()
    operations: frozenset[str] = frozenset()
    fields: frozenset[FieldRef] = frozenset()
    text: str = field(default="", repr=False, compare=False)
    strict: bool = False
    architecture: Architecture = V1MODEL

    def strictly(self) -> Program:
        """A copy of the program with `strict` set."""
        return replace(self, strict=True, digest=f"{self.digest} strict")

    @cached_property
    def custom_crcs(self) -> dict[str, str]:
        """The calculations whose parameters the control plane may set, with their algorithms."""
        return {
            name: calculation.algorithm
            for name, calculation in self.calculations.items()
            if calculation.algorithm in ("crc16_custom", "crc32_custom")
        }

    @property
    def arrival(self) -> FieldRef | None:
        """The program's field for the packet's arrival time, or None."""
        return self.known(*self.architecture.arrival)

    @property
    def recirculates(self) -> bool:
        """Whether the program can make a packet pass more than once."""
        primitives = self.architecture.recirculating
        return primitives is None or not self.operations.isdisjoint(primitives)

    def parser_error(self, parser: Parser) -> FieldRef | None:
        """The program's field for the parser's error, or None."""
        return self.known(self.architecture.errors[self.parsers.index(parser)])

    @property
    def parser_primitives(self) -> tuple[Primitive, ...]:
        """The primitives in parser states."""
        states = [state for parser in self.parsers for state in parser.states.values()]
        return tuple(each for state in states for each in state.operations if isinstance(each, Primitive))

    @cached_property
    def invalidated(self) -> frozenset[str]:
        """The headers that may become invalid after they have been valid. Their fields keep their values."""
        if len(self.parsers) > 1:
            return frozenset(name for name, header in self.headers.items() if not header.metadata)
        holders: tuple[Stack | Union, ...] = (*self.stacks.values(), *self.unions.values())
        primitives = [primitive for action in self.actions for primitive in action.primitives]
        targets = [each.arguments[0] for each in primitives if each.op in ("remove_header", "assign_header")]
        targets += [each.arguments[0] for each in self.parser_primitives if each.arguments]
        named = {target.name for target in targets if isinstance(target, HeaderRef)}
        return frozenset(named.union(*(holder.headers for holder in holders)))

    @property
    def emitted(self) -> tuple[str, ...]:
        """The headers of all deparsers."""
        return tuple(name for deparser in self.deparsers for name in deparser.order)

    @property
    def tables(self) -> tuple[TableDeclaration, ...]:
        return (*self.ingress.tables.values(), *self.egress.tables.values())

    def profile_actions(self, profile: str) -> dict[str, Action]:
        """The actions that members of an action profile may have, by name: those of all tables with this profile."""
        return {action.name: action for table in self.tables if table.profile == profile for action in table.actions}

    def field_type(self, ref: FieldRef) -> FieldType:
        """The type of a field, including hidden ones."""
        if ref.field == VALID:
            return FieldType(VALID, 1)
        return self.headers[ref.header].type.by_name[ref.field]

    def standard(self, name: str, alias: str | None = None) -> FieldRef | None:
        """The program's field for v1model's standard_metadata.`name`, or None."""
        return self.known(f"standard_metadata.{name}", *([] if alias is None else [alias]))

    def known(self, *names: str) -> FieldRef | None:
        """The program's field for the first of these full names that it has, or None."""
        for full in names:
            if full in self.aliases:
                return self.aliases[full]
        # Programs of P4_14 have headers of these names.
        for header, _, known in (full.partition(".") for full in names):
            if header in self.headers and known in self.headers[header].type.by_name:
                return FieldRef(header, known)
        return None
