"""A control's tables and conditions as native code: one block for each, which branches to the next."""

from __future__ import annotations

from llvmlite import ir

from softswitch.actions import ActionCode, ConstantParameter, RowParameter, Surroundings
from softswitch.emission import BIT, Body, word
from softswitch.expressions import Expressions
from softswitch.lookups import Lookup
from softswitch.program import Action, Pipeline, TableDeclaration, UnsupportedProgram
from softswitch.tables import ACTION, BYTES, PACKETS, RowLayout


class ControlCode:
    """Writes a whole control, from its first node to `end`, where `body` goes on."""

    def __init__(self, body: Body, surroundings: Surroundings, pipeline: Pipeline) -> None:
        self.body = body
        self.surroundings = surroundings
        self.pipeline = pipeline
        self.actions = ActionCode(body, surroundings)
        self.expressions = Expressions(body, surroundings.program, surroundings.vector)
        self.end = body.block("end")
        self.nodes = {name: body.block(name) for name in (*pipeline.tables, *pipeline.conditionals)}

    def write(self) -> None:
        builder = self.body.builder
        builder.branch(self._node(self.pipeline.start))
        for conditional in self.pipeline.conditionals.values():
            builder.position_at_end(self.nodes[conditional.name])
            condition = self.expressions.boolean(conditional.condition)
            builder.cbranch(condition, self._node(conditional.then), self._node(conditional.otherwise))
        for table in self.pipeline.tables.values():
            builder.position_at_end(self.nodes[table.name])
            self._table(table)
        builder.position_at_end(self.end)

    def _node(self, name: str | None) -> ir.Block:
        if name is None:
            return self.end
        if name not in self.nodes:
            raise UnsupportedProgram(f"there is no node {name} in {self.pipeline.name}")
        return self.nodes[name]

    def _table(self, table: TableDeclaration) -> None:
        if not table.keys and table.default_const and table.default is not None:
            action = next(action for action in table.actions if action.name == table.default.action)
            self.actions.action(action, [ConstantParameter(value) for value in table.default.parameters])
            self._go_on(table, action, ir.Constant(BIT, 0))
            return
        lookup = Lookup(self.expressions, table, self.surroundings.context.tables[table.name])
        row, hit = lookup.row()
        if table.direct_counter:
            with self.body.when(hit):
                self.actions.add(self.body.at(row, 8 * PACKETS), word(1))
                self.actions.add(self.body.at(row, 8 * BYTES), self.body.resized(self.surroundings.length, 64))
        self._dispatch(table, row, hit)

    def _dispatch(self, table: TableDeclaration, row: ir.Value, hit: ir.Value) -> None:
        """Runs the action that the row says, with the row's parameters."""
        builder = self.body.builder
        none = self.body.block(f"{table.name}.none")
        chosen = builder.switch(self.body.load(self.body.at(row, 8 * ACTION), 8), none)
        for position, action in enumerate(table.actions):
            block = self.body.block(f"{table.name}.{action.name}")
            chosen.add_case(word(position), block)
            builder.position_at_end(block)
            parameters = [
                RowParameter(row, RowLayout.parameter_offset(action, number), parameter.width)
                for number, parameter in enumerate(action.parameters)
            ]
            self.actions.action(action, parameters)
            self._go_on(table, action, hit)
        builder.position_at_end(none)
        if table.default is None:
            builder.branch(self._node(table.next.get("__MISS__", table.base_next)))
        else:
            builder.unreachable()

    def _go_on(self, table: TableDeclaration, action: Action, hit: ir.Value) -> None:
        """To the node that follows the table, unless the packet has been told to exit."""
        builder = self.body.builder
        exiting = self.surroundings.exiting
        if exiting is not None and any(primitive.op == "exit" for primitive in action.primitives):
            onward = self.body.block("onward")
            builder.cbranch(builder.load(exiting, typ=BIT), self.end, onward)
            builder.position_at_end(onward)
        if "__HIT__" in table.next or "__MISS__" in table.next:
            builder.cbranch(hit, self._node(table.next.get("__HIT__")), self._node(table.next.get("__MISS__")))
        else:
            builder.branch(self._node(table.next.get(action.name, table.base_next)))
