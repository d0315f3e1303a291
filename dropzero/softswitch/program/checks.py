"""Refuses programs that lack a property that p4c guarantees and native code relies on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator

from dropzero.softswitch.program import model as p4

NUMBER_BITS = 16
"""The maximum width of port and group numbers. Ports have 9 bits in v1model, but programs for switches with more ports
(--drop-port) bring their own v1model.p4."""

MOST_BITS = 1 << 16
"""The maximum width of a field, which is one integer in native code."""
MOST_BYTES = 1 << 16
"""The maximum size of a header. No packet is longer."""
MOST_CELLS = 1 << 31
"""The maximum size of a table or an array."""


def check(program: p4.Program) -> None:
    """Checks a program. Raises UnsupportedProgram."""
    _check_widths(program)
    _check_sizes(program)
    _check_names(program)
    _check_elements(program)
    _check_references(program)
    for parser in program.parsers:
        _check_parser(parser)
    for control in (program.ingress, program.egress):
        _check_ends(control)


def _check_widths(program: p4.Program) -> None:
    for kind in {header.type.name: header.type for header in program.headers.values()}.values():
        for field in kind.fields:
            if not 0 < field.width <= (8 * MOST_BYTES if field.variable else MOST_BITS):
                raise p4.UnsupportedProgram(f"{kind.name}.{field.name} of {field.width} bits is not supported")
        if kind.bits > 8 * MOST_BYTES:
            raise p4.UnsupportedProgram(f"{kind.name} of {kind.bits} bits is longer than any packet")
    for name in program.architecture.fields:
        if program.known(name) is None:
            raise p4.UnsupportedProgram(f"there is no field {name}, which {program.architecture.name} needs")
    for name in program.architecture.numbers:
        field_ref = program.known(name)
        width = 0 if field_ref is None else program.field_type(field_ref).width
        if width > NUMBER_BITS:
            raise p4.UnsupportedProgram(
                f"{field_ref} has {width} bits, more than the {NUMBER_BITS} of the switch's numbers"
            )
    cells = [(each.name, each.width) for each in program.registers]
    cells += [(each.name, each.width) for each in program.value_sets]
    parameters = [
        (f"{action.name}.{each.name}", each.width) for action in program.actions for each in action.parameters
    ]
    for named, width in (*cells, *parameters):
        if not 0 < width <= MOST_BITS:
            raise p4.UnsupportedProgram(f"{named} of {width} bits is not supported")


def _check_sizes(program: p4.Program) -> None:
    kinds = program.registers, program.counters, program.meters, program.profiles, program.value_sets, program.tables
    for name, size in [(each.name, each.size) for kind in kinds for each in kind]:
        if not 0 <= size <= MOST_CELLS:
            raise p4.UnsupportedProgram(f"{name} with room for {size} is not supported")


def _check_references(program: p4.Program) -> None:
    """Checks that what tables, actions, parser states and expressions refer to is declared, except headers, which have
    been checked where they were read."""
    declared = {
        "register_array": {each.name for each in program.registers},
        "counter_array": {each.name for each in program.counters},
        "meter_array": {each.name for each in program.meters if each.table is None},
        "calculation": set(program.calculations),
    }
    direct = {each.name for each in program.meters if each.table is not None}
    profiles = {each.name for each in program.profiles}

    def require(kind: str, name: object, names: Container[object]) -> None:
        if name not in names:
            raise p4.UnsupportedProgram(f"there is no {kind.replace('_', ' ')} {name}")

    def expression(root: p4.Expression, parameters: int) -> None:
        match root:
            case p4.Operation(_, operands) | p4.Values(operands):
                for operand in operands:
                    expression(operand, parameters)
            case p4.RegisterCell(register, index):
                require("register_array", register, declared["register_array"])
                expression(index, parameters)
            case p4.Named(kind, name):
                require(kind, name, declared[kind])
            case p4.ParameterRef(number):
                require("parameter", number, range(parameters))

    for action in program.actions:
        for primitive in action.primitives:
            for argument in primitive.arguments:
                expression(argument, len(action.parameters))
    for root, parameters in _expressions(program):
        expression(root, parameters)
    for table in program.tables:
        named = {action.name: action for action in table.actions}
        calls = [entry.call.action for entry in table.entries or ()]
        calls += [] if table.default is None else [table.default.action]
        for called in calls:
            require(f"action of {table.name} called", called, named)
        if table.direct_meter is not None:
            require("direct meter", table.direct_meter, direct)
        if table.profile is not None:
            require("action profile", table.profile, profiles)
    for parser in program.parsers:
        require("parser state", parser.start, parser.states)
    states = [state for parser in program.parsers for state in parser.states.values()]
    for transition in (each for state in states for each in state.transitions):
        if transition.value_set is not None:
            require("value set", transition.value_set, {each.name for each in program.value_sets})


def _expressions(program: p4.Program) -> Iterator[tuple[p4.Expression, int]]:
    """Yields the expressions outside of actions, each with the number of parameters that it may name: in the width of a
    varbit, these are the header's fields."""
    for state in (state for parser in program.parsers for state in parser.states.values()):
        for operation in state.operations:
            match operation:
                case p4.Extract(header, bits) if bits is not None:
                    yield bits, len(program.headers[header].type.fields)
                case p4.ExtractNext(stack, bits) if bits is not None:
                    yield bits, len(program.stacks[stack].type.fields)
                case p4.ExtractNextUnion(stack, member, bits) if bits is not None:
                    union = program.unions[program.union_stacks[stack].unions[0]]
                    yield bits, len(program.headers[union.headers[member]].type.fields)
                case p4.Set(_, value) | p4.Advance(value):
                    yield value, 0
                case p4.Verify(condition, error):
                    yield from ((condition, 0), (error, 0))
                case p4.Primitive(_, arguments):
                    yield from ((argument, 0) for argument in arguments)
    for control in (program.ingress, program.egress):
        yield from ((each.condition, 0) for each in control.conditionals.values())
    yield from ((each.condition, 0) for each in program.checksums if each.condition is not None)
    for primitive in (each for deparser in program.deparsers for each in deparser.primitives):
        yield from ((argument, 0) for argument in primitive.arguments)
    yield from ((element, 0) for digest in program.digests.values() for element in digest.elements)


def _check_names(program: p4.Program) -> None:
    """Checks that no name is declared twice, because objects are known by name."""
    for what, names in (
        ("register", [each.name for each in program.registers]),
        ("counter", [each.name for each in program.counters]),
        ("meter", [each.name for each in program.meters]),
        ("action profile", [each.name for each in program.profiles]),
        ("value set", [each.name for each in program.value_sets]),
        ("table", [each.name for each in program.tables]),
    ):
        _check_once(f"two declarations of the {what}", names)
    for profile in program.profiles:
        known: dict[str, tuple[int, ...]] = {}
        for action in (each for table in program.tables if table.profile == profile.name for each in table.actions):
            widths = tuple(parameter.width for parameter in action.parameters)
            if known.setdefault(action.name, widths) != widths:
                raise p4.UnsupportedProgram(f"two actions {action.name} of {profile.name} have different parameters")


def _check_elements(program: p4.Program) -> None:
    """Checks that each element belongs to one stack or union only, and that the elements of a stack have the same type,
    because they are adjacent in memory."""
    for stack in program.stacks.values():
        if not stack.headers or any(program.headers[name].type != stack.type for name in stack.headers):
            raise p4.UnsupportedProgram(f"the stack {stack.name} is not of headers of the type {stack.type.name}")
    for union_stack in program.union_stacks.values():
        kinds = [[program.headers[name].type for name in program.unions[union].headers] for union in union_stack.unions]
        if not kinds or not kinds[0] or any(each != kinds[0] for each in kinds):
            raise p4.UnsupportedProgram(f"the stack {union_stack.name} is not of unions of one type")
    held = [stack.headers for stack in program.stacks.values()] + [union.headers for union in program.unions.values()]
    _check_once("two stacks or unions with", [name for names in held for name in names])
    _check_once("two stacks with", [name for holder in program.union_stacks.values() for name in holder.unions])
    for name in program.emitted:
        if name not in program.headers or program.headers[name].metadata:
            raise p4.UnsupportedProgram(f"there is no header {name} to deparse")


def _check_parser(parser: p4.Parser) -> None:
    for state in parser.states.values():
        values = [operation.value for operation in state.operations if isinstance(operation, p4.Set)]
        for value in (*state.key, *values):
            if isinstance(value, p4.Lookahead) and (value.offset < 0 or not 0 < value.width <= MOST_BITS):
                raise p4.UnsupportedProgram(
                    f"parser state {state.name} has a lookahead of {value.width} bits at offset {value.offset}"
                )


def _check_ends(control: p4.Control) -> None:
    """Checks that every path through a control ends: there is no cycle of nodes."""
    after: dict[str, list[str | None]] = {}
    for table in control.tables.values():
        after[table.name] = [*table.next.values(), table.base_next]
    for conditional in control.conditionals.values():
        after[conditional.name] = [conditional.then, conditional.otherwise]
    for call in control.calls.values():
        after[call.name] = [call.next]
    before = Counter(node for nodes in after.values() for node in set(nodes) if node is not None)
    ready = [node for node in after if not before[node]]
    for node in ready:
        for following in set(after[node]) - {None}:
            assert following is not None
            before[following] -= 1
            if not before[following] and following in after:
                ready.append(following)
    cyclic = sorted(set(after) - set(ready))
    if cyclic:
        raise p4.UnsupportedProgram(f"{control.name} does not end: {cyclic[0]} is in or after a cycle")


def _check_once(what: str, names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise p4.UnsupportedProgram(f"{what} {name} are not supported")
