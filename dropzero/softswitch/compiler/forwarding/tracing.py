"""Compiles a traced program: the usual code, and a report of each step of a packet."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from llvmlite import ir

from dropzero.softswitch.compiler.actions import ActionCode, Surroundings
from dropzero.softswitch.compiler.checksums import ChecksumCode
from dropzero.softswitch.compiler.controls import ControlCode
from dropzero.softswitch.compiler.expressions import ActionParameter, Expressions
from dropzero.softswitch.compiler.forwarding.forwarding import ForwardingCode
from dropzero.softswitch.compiler.parsing import ParserCode
from dropzero.softswitch.native.emission import Body, integer, word
from dropzero.softswitch.program import model as p4
from dropzero.softswitch.program.steps import Key, Steps
from dropzero.softswitch.state.layout import CHOICE_WORDS
from dropzero.softswitch.state.reports import STEP


class TracedActions(ActionCode):
    def __init__(self, body: Body, surroundings: Surroundings) -> None:
        super().__init__(body, surroundings)
        assert surroundings.steps is not None
        self.steps = surroundings.steps

    def report_step(self, expressions: Expressions, *key: Hashable) -> None:
        """Reports a step with the values of its expressions, if Steps has it."""
        number = self.steps.number(*key)
        if number is not None:
            self.report(expressions, STEP, number, self.steps.values(number))

    def report_step_words(self, key: Key, *values: ir.Value) -> None:
        """Reports a step with these values, of at most 64 bits each, if Steps has it."""
        number = self.steps.number(*key)
        if number is not None:
            content = [part for value in values for part in (word(1), self.body.resized(value, 64))]
            self.report_words(STEP, number, [word(len(values)), *content])

    def action(self, action: p4.Action, parameters: Sequence[ActionParameter]) -> None:
        expressions = Expressions(self.body, self.program, self.surroundings.vector, parameters)
        self.report_step(expressions, "entry", action.id)
        self.report_step(expressions, "action", action.id)
        super().action(action, parameters)

    def primitive(self, primitive: p4.Primitive, expressions: Expressions) -> None:
        self.report_step(expressions, "primitive", primitive)
        super().primitive(primitive, expressions)
        self.report_step(expressions, "written", primitive)

    def chosen(self, where: p4.Primitive | str, index: ir.Value, count: ir.Value, *more: ir.Value) -> ir.Value:
        key = "choice", where
        if self.steps.number(*key) is None:
            return index
        builder, choices = self.body.builder, self.body.load_address(self.surroundings.context.choices)
        number = self.body.load(choices, 8)
        self.body.store(builder.add(number, word(1)), choices, 8)
        given = builder.icmp_unsigned("<", number, self.body.load(self.body.at(choices, 8), 8))
        place = builder.select(given, builder.add(number, word(CHOICE_WORDS)), word(0))
        other = self.body.load(self.body.at(choices, builder.mul(place, word(8))), 8)
        index = builder.select(given, other, index)
        self.report_step_words(key, index, count, *more)
        return index


class TracedParser(ParserCode):
    def __init__(
        self, body: Body, surroundings: Surroundings, parser: p4.Parser, packet: ir.Value, length: ir.Value
    ) -> None:
        super().__init__(body, surroundings, parser, packet, length)
        self.traced = self.actions = TracedActions(body, surroundings)

    def write(self) -> ir.Value:
        self.traced.report_step(self.expressions, self.parser.name, "start")
        extracted = super().write()
        self.traced.report_step(self.expressions, self.parser.name, "end")
        return extracted

    def _state(self, state: p4.ParseState) -> None:
        self.traced.report_step(self.expressions, self.parser.name, "state", state.name)
        super()._state(state)

    def _operation(self, operation: p4.ParserOperation) -> None:
        match operation:
            case p4.Extract(name, _) | p4.ExtractNext(name, _):
                self.traced.report_step(self.expressions, self.parser.name, "extract", name)
        super()._operation(operation)
        match operation:
            case p4.Extract() | p4.ExtractNext() | p4.ExtractNextUnion():
                self.traced.report_step(self.expressions, self.parser.name, "extracted", operation)
            case p4.Set():
                self.traced.report_step(self.expressions, self.parser.name, "set", operation)

    def _transitions(self, state: p4.ParseState) -> None:
        self.traced.report_step(self.expressions, self.parser.name, "select", state.name)
        super()._transitions(state)


class TracedControl(ControlCode):
    def __init__(self, body: Body, surroundings: Surroundings, control: p4.Control) -> None:
        super().__init__(body, surroundings, control)
        self.traced = self.actions = TracedActions(body, surroundings)

    def write(self) -> None:
        self._report("start")
        super().write()
        self._report("end")

    def _conditional(self, conditional: p4.Conditional) -> None:
        condition = self.expressions.boolean(conditional.condition)
        with self.body.builder.if_else(condition) as (then, otherwise):
            with then:
                self._report(conditional.name, True)
            with otherwise:
                self._report(conditional.name, False)
        super()._conditional(conditional)

    def _table(self, table: p4.TableDeclaration) -> None:
        self._report(table.name)
        self._report(table.name, "key")
        super()._table(table)

    def _looked_up(self, table: p4.TableDeclaration, row: ir.Value | None, hit: ir.Value) -> None:
        with self.body.builder.if_else(hit) as (then, otherwise):
            with then:
                if row is not None:
                    self.traced.report_step_words((self.control.name, table.name, True), row)
            with otherwise:
                self._report(table.name, False)

    def _report(self, *key: str | bool) -> None:
        self.traced.report_step(self.expressions, self.control.name, *key)


class TracedChecksums(ChecksumCode):
    def __init__(self, expressions: Expressions, payload: tuple[ir.Value, ir.Value], traced: TracedActions) -> None:
        super().__init__(expressions, payload)
        self.traced = traced

    def verified(self, checksum: p4.Checksum, due: ir.Value, held: ir.Value, right: ir.Value) -> None:
        with self.body.when(due):
            self.traced.report_step_words(("verified", checksum), held, right)

    def updated(self, checksum: p4.Checksum) -> None:
        self.traced.report_step(self.expressions, "updated", checksum)


class TracedForwarding(ForwardingCode):
    parser_code = TracedParser
    control_code = TracedControl

    def __init__(self, program: p4.Program, drop_port: int, priority_queues: int, steps: Steps) -> None:
        self.steps = steps
        super().__init__(program, drop_port, priority_queues)

    def surroundings(self, body: Body, length: ir.Value, exiting: ir.Value | None) -> Surroundings:
        return replace(super().surroundings(body, length, exiting), steps=self.steps)

    def checksums(self, expressions: Expressions, payload: tuple[ir.Value, ir.Value]) -> ChecksumCode:
        return TracedChecksums(expressions, payload, self.actions(expressions.body))

    def note(self, body: Body, event: str, *values: ir.Value) -> None:
        self.actions(body).report_step_words((event,), *values)

    def emit(self, expressions: Expressions, deparser: p4.Deparser) -> None:
        traced = self.actions(expressions.body)
        for name in deparser.order if self.steps.detailed else ():
            with expressions.body.when(expressions.valid(expressions.header(p4.HeaderRef(name)))):
                traced.report_step(expressions, deparser.name, "emitted", name)

    def actions(self, body: Body) -> TracedActions:
        return TracedActions(body, self.surroundings(body, integer(32, 0), None))
