"""The steps of a packet through a program, with the texts of BMv2's log. A traced program reports them by number."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from dropzero.softswitch.program.model import (
    Action,
    Conditional,
    Control,
    Expression,
    Extract,
    ExtractNext,
    ParameterRef,
    Primitive,
    Program,
    Source,
    TableDeclaration,
)

Key = tuple[Hashable, ...]
Text = Callable[[tuple[int, ...]], str]

PARSER = "parser"
"""BMv2's name of the parser."""

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
"""What happens to packets outside of parser and controls. What is reported with it stands in the braces."""


class Steps:
    """All steps of a program: each one's number, reported values, and line in the log."""

    def __init__(self, program: Program) -> None:
        self._numbers: dict[Key, int] = {}
        self._texts: list[Text] = []
        self._values: list[tuple[Expression, ...]] = []
        for event, template in EVENTS.items():
            self._add((event,), _filled(template))
        self._parser(program)
        for control in (program.ingress, program.egress):
            self._control(program, control)
        for action in program.actions:
            self._action(action)

    def number(self, *key: Hashable) -> int:
        return self._numbers[key]

    @staticmethod
    def number_of_event(event: str) -> int:
        """In every program the same."""
        return list(EVENTS).index(event)

    def values(self, number: int) -> tuple[Expression, ...]:
        """The values to report with a step."""
        return self._values[number]

    def text(self, number: int, values: tuple[int, ...]) -> str:
        return self._texts[number](values)

    def _add(self, key: Key, text: str | Text, *values: Expression) -> None:
        if key not in self._numbers:
            self._numbers[key] = len(self._texts)
            self._texts.append(text if callable(text) else lambda _: text)
            self._values.append(values)

    def _parser(self, program: Program) -> None:
        self._add((PARSER, "start"), f"Parser '{PARSER}': start")
        errors = {code: f", error {name}" for name, code in program.errors.items() if code}
        error = program.standard("parser_error")
        self._add(
            (PARSER, "end"),
            lambda values: f"Parser '{PARSER}': end" + "".join(errors.get(code, "") for code in values),
            *(() if error is None else (error,)),
        )
        for state in program.parser.states.values():
            self._add((PARSER, "state", state.name), f"Parser '{PARSER}' entering state '{state.name}'")
            for operation in state.operations:
                match operation:
                    case Extract(name, _) | ExtractNext(name, _):
                        self._add((PARSER, "extract", name), f"Extracting header '{name}'")
                    case Primitive():
                        self._primitive(operation)

    def _control(self, program: Program, control: Control) -> None:
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

    def _action(self, action: Action) -> None:
        given = tuple(ParameterRef(index) for index in range(len(action.parameters)))

        def text(values: tuple[int, ...]) -> str:
            given = "".join(f"{value:x}," for value in values)
            return f"Action entry is {action.name} - {given}"

        self._add(("entry", action.id), text, *given)
        self._add(("action", action.id), f"Action {action.name}")
        for primitive in action.primitives:
            self._primitive(primitive)

    def _primitive(self, primitive: Primitive) -> None:
        self._add(("primitive", primitive), f"{_place(primitive.source)}Primitive {_fragment(primitive)}")


def _filled(template: str) -> Text:
    return lambda values: template.format(*values)


def _condition(conditional: Conditional, result: bool) -> str:
    fragment = conditional.source.fragment if conditional.source else ""
    written = f'"{fragment}" ' if fragment else ""
    return f"{_place(conditional.source)}Condition {written}({conditional.name}) is {'true' if result else 'false'}"


def _looking_up(table: TableDeclaration) -> Text:
    names = [key.name for key in table.keys]
    widths = [key.width for key in table.keys]
    longest = max([20, *map(len, names)])

    def text(values: tuple[int, ...]) -> str:
        named = zip(names, widths, values, strict=True)
        key = "".join(f"\n* {name:<{longest}}: {value:0{2 * ((width + 7) // 8)}x}" for name, width, value in named)
        return f"Looking up key:{key}\n"

    return text


def _fragment(primitive: Primitive) -> str:
    return (primitive.source.fragment if primitive.source else "") or primitive.op


def _place(source: Source | None) -> str:
    return f"{source.file}({source.line}) " if source else ""
