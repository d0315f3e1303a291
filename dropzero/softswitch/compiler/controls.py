"""Compiles a control: one block for each table, condition and direct call, which branches to the next."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.actions import ActionCode, ConstantParameter, RowParameter, Surroundings
from dropzero.softswitch.compiler.calculations import CalculationCode
from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.lookups import Lookup
from dropzero.softswitch.native.emission import BIT, POINTER, WORD, Body, word
from dropzero.softswitch.program.model import Action, Conditional, Control, TableDeclaration, UnsupportedProgram
from dropzero.softswitch.state.tables.rows import (
    ACTION,
    BYTES,
    INDIRECT,
    PACKETS,
    PARAMETERS,
    RowLayout,
    parameter_words,
)


class ControlCode:
    """Writes a whole control into a body, which continues at its end."""

    def __init__(self, body: Body, surroundings: Surroundings, control: Control) -> None:
        self.body = body
        self.surroundings = surroundings
        self.control = control
        self.actions = ActionCode(body, surroundings)
        self.expressions = Expressions(body, surroundings.program, surroundings.vector)
        self.end = body.block("end")
        names = (*control.tables, *control.conditionals, *control.calls)
        self.nodes = {name: body.block(name) for name in names}
        self.meters = {meter.name: meter for meter in surroundings.program.meters}
        self.profiles = {profile.name: profile for profile in surroundings.program.profiles}

    def write(self) -> None:
        builder = self.body.builder
        builder.branch(self._node(self.control.start))
        for conditional in self.control.conditionals.values():
            builder.position_at_end(self.nodes[conditional.name])
            self._conditional(conditional)
        for table in self.control.tables.values():
            builder.position_at_end(self.nodes[table.name])
            self._table(table)
        for call in self.control.calls.values():
            builder.position_at_end(self.nodes[call.name])
            self.actions.action(call.action, [])
            self._end_if_exiting(call.action)
            builder.branch(self._node(call.next))
        builder.position_at_end(self.end)

    def _node(self, name: str | None) -> ir.Block:
        if name is None:
            return self.end
        if name not in self.nodes:
            raise UnsupportedProgram(f"there is no node {name} in {self.control.name}")
        return self.nodes[name]

    def _conditional(self, conditional: Conditional) -> None:
        condition = self.expressions.boolean(conditional.condition)
        self.body.builder.cbranch(condition, self._node(conditional.then), self._node(conditional.otherwise))

    def _table(self, table: TableDeclaration) -> None:
        call = table.constant_call
        if call is not None:
            self._looked_up(table, None, ir.Constant(BIT, 0))
            action = next(action for action in table.actions if action.name == call.action)
            self.actions.action(action, [ConstantParameter(value) for value in call.parameters])
            self._branch_onward(table, action, ir.Constant(BIT, 0))
            return
        lookup = Lookup(self.expressions, table, self.surroundings.context.tables[table.name])
        row, hit = lookup.row()
        self._looked_up(table, lookup.number(row), hit)
        if table.direct_counter or table.direct_meter or table.idle_timeout:
            with self.body.when(hit):
                self._note_hit(table, lookup.layout, row)
        if table.profile is not None:
            row = self._member(table, table.profile, row, hit)
        self._dispatch(table, row, hit)

    def _looked_up(self, table: TableDeclaration, row: ir.Value | None, hit: ir.Value) -> None:
        """Hook for traced programs. row: the number of the row; None if the table has no entries."""

    def _note_hit(self, table: TableDeclaration, layout: RowLayout, row: ir.Value) -> None:
        if table.direct_counter:
            self.actions.add(self.body.at(row, 8 * PACKETS), word(1))
            self.actions.add(self.body.at(row, 8 * BYTES), self.body.resized(self.surroundings.length, 64))
        if table.direct_meter is not None:
            meter = self.meters[table.direct_meter]
            assert meter.target is not None
            cell = self.body.at(row, 8 * layout.meter)
            self.actions.meter(self.expressions, cell, meter, self.expressions.field(meter.target))
        if table.idle_timeout:
            now = self.body.load_word(self.surroundings.context.now)
            # 0 means never.
            never = self.body.builder.icmp_unsigned("==", now, word(0))
            self.body.store(self.body.builder.select(never, word(1), now), self.body.at(row, 8 * layout.last_hit), 8)

    def _member(self, table: TableDeclaration, profile: str, row: ir.Value, hit: ir.Value) -> ir.Value:
        """The row of the member that an entry's row or the default row names, or that the selector chooses from the
        group that it names. If the default row names an action, that row."""
        body, builder = self.body, self.body.builder
        declared = self.profiles[profile]
        rows = self.surroundings.context.profiles[profile]
        indirect, chosen, done = (body.block(f"{table.name}.{name}") for name in ("indirect", "chosen", "member"))
        direct = builder.block
        named = builder.icmp_unsigned("!=", body.load(body.at(row, 8 * INDIRECT), 8), word(0))
        builder.cbranch(builder.or_(hit, named), indirect, done)
        builder.position_at_end(indirect)
        reference = body.load(body.at(row, 8 * ACTION), 8)
        sources: list[tuple[ir.Value, ir.Block]] = []
        if declared.selector is None:
            sources.append((reference, builder.block))
            builder.branch(chosen)
        else:
            group, empty = body.block(f"{table.name}.group"), body.block(f"{table.name}.empty")
            sources.append((reference, builder.block))
            builder.cbranch(builder.icmp_signed("<", reference, word(0)), group, chosen)
            builder.position_at_end(group)
            entry = body.at(body.load_address(rows + 1), builder.mul(builder.not_(reference), word(8)))
            first = body.resized(body.load(entry, 4), 64)
            count = body.resized(body.load(body.at(entry, 4), 4), 64)
            choose = body.block(f"{table.name}.choose")
            builder.cbranch(builder.icmp_unsigned("==", count, word(0)), empty, choose)
            builder.position_at_end(empty)
            # No action runs for an empty group.
            found, missed = (table.next.get(name, table.base_next) for name in ("__HIT__", "__MISS__"))
            builder.cbranch(hit, self._node(found), self._node(missed))
            builder.position_at_end(choose)
            # BMv2 takes the lower half of a longer hash.
            hashed = builder.and_(CalculationCode(self.expressions).value(declared.selector), word(0xFFFFFFFF))
            slot = builder.not_(reference)
            at = builder.add(first, self.actions.chosen(profile, builder.urem(hashed, count), count, slot))
            choice = body.load(body.at(body.load_address(rows + 2), builder.mul(at, word(4))), 4)
            sources.append((body.resized(choice, 64), builder.block))
            builder.branch(chosen)
        builder.position_at_end(chosen)
        member = builder.phi(WORD)
        for value, block in sources:
            member.add_incoming(value, block)
        size = PARAMETERS + parameter_words(self.surroundings.program.profile_actions(profile).values())
        pointer = body.at(body.load_address(rows), builder.mul(member, word(8 * size)))
        builder.branch(done)
        builder.position_at_end(done)
        result = builder.phi(POINTER)
        result.add_incoming(row, direct)
        result.add_incoming(pointer, chosen)
        return result

    def _dispatch(self, table: TableDeclaration, row: ir.Value, hit: ir.Value) -> None:
        """Runs the row's action with the row's parameters."""
        builder = self.body.builder
        none = self.body.block(f"{table.name}.none")
        chosen = builder.switch(self.body.load(self.body.at(row, 8 * ACTION), 8), none)
        names = [action.name for action in table.actions]
        if table.profile is not None:
            names = list(self.surroundings.program.profile_actions(table.profile))
        for action in table.actions:
            block = self.body.block(f"{table.name}.{action.name}")
            chosen.add_case(word(names.index(action.name)), block)
            builder.position_at_end(block)
            parameters = [
                RowParameter(row, RowLayout.parameter_offset(action, number), parameter.width)
                for number, parameter in enumerate(action.parameters)
            ]
            self.actions.action(action, parameters)
            self._branch_onward(table, action, hit)
        builder.position_at_end(none)
        if table.default is None or table.profile is not None:
            builder.branch(self._node(table.next.get("__MISS__", table.base_next)))
        else:
            builder.unreachable()

    def _branch_onward(self, table: TableDeclaration, action: Action, hit: ir.Value) -> None:
        """Branches to the node after the table, or to the end if the action has executed `exit`."""
        builder = self.body.builder
        self._end_if_exiting(action)
        found, missed = (table.next.get(name, table.next[action.name]) for name in ("__HIT__", "__MISS__"))
        builder.cbranch(hit, self._node(found), self._node(missed))

    def _end_if_exiting(self, action: Action) -> None:
        """Branches to the end if the action has executed `exit`."""
        builder = self.body.builder
        exiting = self.surroundings.exiting
        if exiting is not None and any(primitive.op == "exit" for primitive in action.primitives):
            onward = self.body.block("onward")
            builder.cbranch(builder.load(exiting, typ=BIT), self.end, onward)
            builder.position_at_end(onward)
