"""Compiles a traced program: the ordinary code, plus a report of each step of a packet."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from dropzero.softswitch.compiler.actions import ActionCode, Surroundings
from dropzero.softswitch.compiler.controls import ControlCode
from dropzero.softswitch.compiler.expressions import ActionParameter, Expressions
from dropzero.softswitch.compiler.forwarding import ForwardingCode
from dropzero.softswitch.compiler.parsing import ParserCode
from dropzero.softswitch.native.emission import Body, integer, word
from dropzero.softswitch.program.model import (
    Action,
    Conditional,
    Control,
    Extract,
    ExtractNext,
    ParserOperation,
    ParseState,
    Primitive,
    TableDeclaration,
)
from dropzero.softswitch.program.steps import PARSER, Steps
from dropzero.softswitch.state.reports import STEP


class TracedActions(ActionCode):
    def __init__(self, body: Body, surroundings: Surroundings) -> None:
        super().__init__(body, surroundings)
        self.steps = Steps(surroundings.program)

    def tell(self, expressions: Expressions, *key: str | int | bool | Primitive) -> None:
        number = self.steps.number(*key)
        self.report(expressions, STEP, number, self.steps.values(number))

    def action(self, action: Action, parameters: Sequence[ActionParameter]) -> None:
        expressions = Expressions(self.body, self.program, self.surroundings.vector, parameters)
        self.tell(expressions, "entry", action.id)
        self.tell(expressions, "action", action.id)
        super().action(action, parameters)

    def primitive(self, primitive: Primitive, expressions: Expressions) -> None:
        self.tell(expressions, "primitive", primitive)
        super().primitive(primitive, expressions)


class TracedParser(ParserCode):
    def __init__(self, body: Body, surroundings: Surroundings, packet: ir.Value, length: ir.Value) -> None:
        super().__init__(body, surroundings, packet, length)
        self.traced = self.actions = TracedActions(body, surroundings)

    def write(self) -> ir.Value:
        self.traced.tell(self.expressions, PARSER, "start")
        taken = super().write()
        self.traced.tell(self.expressions, PARSER, "end")
        return taken

    def _state(self, state: ParseState) -> None:
        self.traced.tell(self.expressions, PARSER, "state", state.name)
        super()._state(state)

    def _operation(self, operation: ParserOperation) -> None:
        match operation:
            case Extract(name, _) | ExtractNext(name, _):
                self.traced.tell(self.expressions, PARSER, "extract", name)
        super()._operation(operation)


class TracedControl(ControlCode):
    def __init__(self, body: Body, surroundings: Surroundings, control: Control) -> None:
        super().__init__(body, surroundings, control)
        self.traced = self.actions = TracedActions(body, surroundings)

    def write(self) -> None:
        self._tell("start")
        super().write()
        self._tell("end")

    def _conditional(self, conditional: Conditional) -> None:
        condition = self.expressions.boolean(conditional.condition)
        with self.body.builder.if_else(condition) as (then, otherwise):
            with then:
                self._tell(conditional.name, True)
            with otherwise:
                self._tell(conditional.name, False)
        super()._conditional(conditional)

    def _table(self, table: TableDeclaration) -> None:
        self._tell(table.name)
        self._tell(table.name, "key")
        super()._table(table)

    def _looked_up(self, table: TableDeclaration, row: ir.Value | None, hit: ir.Value) -> None:
        with self.body.builder.if_else(hit) as (then, otherwise):
            with then:
                if row is not None:
                    number = self.traced.steps.number(self.control.name, table.name, True)
                    self.traced.leave(STEP, number, [word(1), word(1), row])
            with otherwise:
                self._tell(table.name, False)

    def _tell(self, *key: str | bool) -> None:
        self.traced.tell(self.expressions, self.control.name, *key)


class TracedForwarding(ForwardingCode):
    parser_code = TracedParser
    control_code = TracedControl

    def note(self, body: Body, event: str, *values: ir.Value) -> None:
        surroundings = Surroundings(self.program, self.vector, self.context, self.drop_port, integer(32, 0), None)
        told = [part for value in values for part in (word(1), body.resized(value, 64))]
        number = Steps.number_of_event(event)
        ActionCode(body, surroundings).leave(STEP, number, [word(len(values)), *told])
