"""The steps that a packet can take in a program, with the texts of BMv2's log. A traced program reports their
numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from dropzero.softswitch.program import model as p4

Key = tuple[Hashable, ...]
Text = Callable[[tuple[int, ...]], str]

ARRIVED, COPIED, CLONED = "arrived", "copied", "cloned"
EVENTS = {
    ARRIVED: "Processing packet received on port {}",
    "continued": "Processing packet out of the queue of port {}",
    CLONED: "Cloning packet to session {}",
    "resubmitted": "Resubmitting packet",
    "multicast": "Multicast requested for packet",
    COPIED: "Replicating packet on port {}",
    "unicast": "Egress port is {}",
    "dropped in ingress": "Dropping packet at the end of ingress",
    "dropped in egress": "Dropping packet at the end of egress",
    "recirculated": "Recirculating packet",
    "queued": "Queueing packet for port {}",
    "transmitted": "Transmitting packet of size {} out of port {}",
}
"""Events outside parser and controls. The braces stand for the reported values."""

AGAIN, CLONING, DEPARSING, DEPARSED = "again", "cloning", "deparsing", "deparsed"
DETAILS = (AGAIN, CLONING, DEPARSING, DEPARSED)
"""Events that only the tree shows: a packet begins another pass (its kind: recirculation.py); a clone is made; one of
several deparsers begins (its number); that of ingress ends."""


CHOOSING = ("modify_field_rng_uniform", "modify_field_with_hash_based_offset")
"""The primitives that choose one of several values."""


class Steps:
    """All steps of a program, with the number, the reported values and the log text of each."""

    def __init__(self, program: p4.Program, *, detailed: bool = False) -> None:
        """detailed: include the values that steps read and write, and steps that BMv2 does not log."""
        self.program = program
        self.detailed = detailed
        self._numbers: dict[Key, int] = {}
        self._texts: list[Text] = []
        self._values: list[tuple[p4.Expression, ...]] = []
        for event, template in EVENTS.items():
            self._add((event,), _filled(template))
        for parser in program.parsers:
            self._parser(program, parser)
        for control in (program.ingress, program.egress):
            self._control(program, control)
        for action in program.actions:
            self._action(action)
        for primitive in (each for deparser in program.deparsers for each in deparser.primitives):
            self._primitive(primitive)
        if detailed:
            self._details(program)
        self._keys = list(self._numbers)

    def number(self, *key: Hashable) -> int | None:
        """The number of the step with a key; None: the step is not reported."""
        return self._numbers.get(key)

    def key(self, number: int) -> Key:
        return self._keys[number]

    @staticmethod
    def number_of_event(event: str) -> int:
        """The number of an event, which is the same in all programs."""
        return list(EVENTS).index(event)

    def values(self, number: int) -> tuple[p4.Expression, ...]:
        """The values that are reported with a step."""
        return self._values[number]

    def text(self, number: int, values: tuple[int, ...]) -> str:
        """The log text of a step with these values."""
        return self._texts[number](values)

    def _add(self, key: Key, text: str | Text, *values: p4.Expression) -> None:
        if key not in self._numbers:
            self._numbers[key] = len(self._texts)
            self._texts.append(text if callable(text) else lambda _: text)
            self._values.append(values)

    def _parser(self, program: p4.Program, parser: p4.Parser) -> None:
        name = parser.name
        self._add((name, "start"), f"Parser '{name}': start")
        errors = {code: f", error {name}" for name, code in program.errors.items() if code}
        error = program.parser_error(parser)
        self._add(
            (name, "end"),
            lambda values: f"Parser '{name}': end" + "".join(errors.get(code, "") for code in values),
            *(() if error is None else (error,)),
        )
        for state in parser.states.values():
            self._add((name, "state", state.name), f"Parser '{name}' entering state '{state.name}'")
            for operation in state.operations:
                match operation:
                    case p4.Extract(header, _) | p4.ExtractNext(header, _):
                        self._add((name, "extract", header), f"Extracting header '{header}'")
                    case p4.Primitive():
                        self._primitive(operation)

    def _control(self, program: p4.Program, control: p4.Control) -> None:
        name = control.name
        self._add((name, "start"), f"Pipeline '{name}': start")
        self._add((name, "end"), f"Pipeline '{name}': end")
        for conditional in control.conditionals.values():
            for result in (True, False):
                self._add((name, conditional.name, result), _condition(conditional, result))
        for table in control.tables.values():
            keys = tuple(key.target for key in table.keys)
            self._add((name, table.name), f"Applying table '{table.name}'")
            self._add((name, table.name, "key"), _looking_up(table), *keys)
            self._add((name, table.name, True), _filled(f"Table '{table.name}': hit with handle {{}}"))
            self._add((name, table.name, False), f"Table '{table.name}': miss")

    def _action(self, action: p4.Action) -> None:
        given = tuple(p4.ParameterRef(index) for index in range(len(action.parameters)))

        def text(values: tuple[int, ...]) -> str:
            given = "".join(f"{value:x}," for value in values)
            return f"Action entry is {action.name} - {given}"

        self._add(("entry", action.id), text, *given)
        self._add(("action", action.id), f"Action {action.name}")
        for primitive in action.primitives:
            self._primitive(primitive)

    def _primitive(self, primitive: p4.Primitive) -> None:
        fragment = primitive.source.fragment if primitive.source else ""
        text = f"{_place(primitive.source)}Primitive {fragment or primitive.op}"
        self._add(("primitive", primitive), text, *(inputs(primitive) if self.detailed else ()))
        if self.detailed and (target := written(self.program, primitive)) is not None:
            self._add(("written", primitive), "", target)
        if self.detailed and primitive.op in CHOOSING:
            self._add(("choice", primitive), "")

    def _details(self, program: p4.Program) -> None:
        for event in DETAILS:
            self._add((event,), "")
        for profile in program.profiles:
            if profile.selector is not None:
                self._add(("choice", profile.name), "")
        for parser in program.parsers:
            self._parser_details(program, parser)
        for checksum in program.checksums:
            self._add(("verified", checksum), "")
            self._add(("updated", checksum), "", checksum.target)
        for deparser in program.deparsers:
            for name in deparser.order:
                fields = [p4.FieldRef(name, field.name) for field in header_fields(program, name)]
                self._add((deparser.name, "emitted", name), "", *fields)

    def _parser_details(self, program: p4.Program, parser: p4.Parser) -> None:
        for state in parser.states.values():
            if state.key and not any(isinstance(part, p4.Lookahead) for part in state.key):
                self._add((parser.name, "select", state.name), "", *state.key)
            for operation in state.operations:
                match operation:
                    case p4.Extract() | p4.ExtractNext() | p4.ExtractNextUnion():
                        self._add((parser.name, "extracted", operation), "", *extracted(program, operation))
                    case p4.Set(target) if not program.field_type(target).variable:
                        self._add((parser.name, "set", operation), "", target)


def inputs(primitive: p4.Primitive) -> tuple[p4.Expression, ...]:
    """The arguments of a primitive whose values a detailed step reports: indices, and values that it writes to
    state."""
    match primitive.op, primitive.arguments:
        case "register_read", (_, _, index):
            return (index,)
        case "register_write", (_, index, value):
            return index, value
        case ("count", (_, index)) | ("execute_meter", (_, index, _)):
            return (index,)
        case "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress" | "truncate", (number, *_):
            return (number,)
    return ()


def written(program: p4.Program, primitive: p4.Primitive) -> p4.Expression | None:
    """The field of fixed width that a primitive writes, or None."""
    match primitive.op, primitive.arguments:
        case "execute_meter", (*_, target):
            pass
        case (
            "assign" | "register_read" | "modify_field_rng_uniform" | "modify_field_with_hash_based_offset",
            (target, *_),
        ):
            pass
        case _:
            return None
    if isinstance(target, p4.FieldRef) and program.field_type(target).variable:
        return None
    return target if isinstance(target, p4.FieldRef | p4.LastField | p4.LastUnionField | p4.Operation) else None


def header_fields(program: p4.Program, header: str) -> tuple[p4.FieldType, ...]:
    """A header's fields of fixed width, which are those that can be reported."""
    return tuple(field for field in program.headers[header].type.fields if not field.variable)


def extracted_header(program: p4.Program, operation: p4.ParserOperation) -> str:
    """The name of a header of the type that the operation extracts."""
    match operation:
        case p4.Extract(name):
            return name
        case p4.ExtractNext(stack):
            return program.stacks[stack].headers[0]
        case p4.ExtractNextUnion(stack, member):
            return program.unions[program.union_stacks[stack].unions[0]].headers[member]
    raise AssertionError(operation)


def extracted(program: p4.Program, operation: p4.ParserOperation) -> tuple[p4.Expression, ...]:
    """The values to report after an extraction: the index in the stack, if there is one, and the header's fields."""
    names = [field.name for field in header_fields(program, extracted_header(program, operation))]
    match operation:
        case p4.ExtractNext(stack):
            index: p4.Expression = p4.Operation("last_stack_index", (p4.StackRef(stack),))
            return index, *(p4.LastField(stack, name) for name in names)
        case p4.ExtractNextUnion(stack, member):
            index = p4.Operation("last_stack_index", (p4.UnionStackRef(stack),))
            return index, *(p4.LastUnionField(stack, member, name) for name in names)
        case p4.Extract(header):
            return tuple(p4.FieldRef(header, name) for name in names)
    raise AssertionError(operation)


def _filled(template: str) -> Text:
    return lambda values: template.format(*values)


def _condition(conditional: p4.Conditional, result: bool) -> str:
    fragment = conditional.source.fragment if conditional.source else ""
    written = f'"{fragment}" ' if fragment else ""
    return f"{_place(conditional.source)}Condition {written}({conditional.name}) is {'true' if result else 'false'}"


def _looking_up(table: p4.TableDeclaration) -> Text:
    names = [key.name for key in table.keys]
    widths = [key.width for key in table.keys]
    longest = max([20, *map(len, names)])

    def text(values: tuple[int, ...]) -> str:
        named = zip(names, widths, values, strict=True)
        key = "".join(f"\n* {name:<{longest}}: {value:0{2 * ((width + 7) // 8)}x}" for name, width, value in named)
        return f"Looking up key:{key}\n"

    return text


def _place(source: p4.Source | None) -> str:
    return f"{source.file}({source.line}) " if source else ""
