"""What the stages of a packet's path need: the module, the memory of packets, and code for each kind of stage."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.actions import ActionCode, Surroundings
from dropzero.softswitch.compiler.checksums import ChecksumCode
from dropzero.softswitch.compiler.controls import ControlCode
from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.forwarding.recirculation import RecirculationRing
from dropzero.softswitch.compiler.parsing import ParserCode
from dropzero.softswitch.native import wide
from dropzero.softswitch.native.emission import BIT, INT, POINTER, VOID, Body, integer
from dropzero.softswitch.program.model import Control, Deparser, FieldRef, HeaderRef, Program
from dropzero.softswitch.state.arrays import storage_bytes
from dropzero.softswitch.state.layout import Context, PacketVector, Place


class Stages:
    """Writes stages as functions of the module, and code that prepares a packet vector.

    The first arguments of each function are the context, the packet vector, and the packet's bytes on arrival.
    """

    parser_code = ParserCode
    control_code = ControlCode

    def __init__(self, program: Program, drop_port: int) -> None:
        self.program = program
        self.drop_port = drop_port
        self.vector = PacketVector(program)
        self.context = Context(program)
        self.module = ir.Module("softswitch")
        self.ring = RecirculationRing(self.module, self.vector)

    # --- hooks for traced programs ---

    def surroundings(self, body: Body, length: ir.Value, exiting: ir.Value | None) -> Surroundings:
        return Surroundings(self.program, self.vector, self.context, self.drop_port, length, exiting)

    def actions(self, body: Body) -> ActionCode:
        """For primitives outside of controls, which do not depend on the packet's length."""
        return ActionCode(body, self.surroundings(body, integer(32, 0), None))

    def checksums(self, expressions: Expressions, payload: tuple[ir.Value, ir.Value]) -> ChecksumCode:
        return ChecksumCode(expressions, payload)

    def note(self, body: Body, event: str, *values: ir.Value) -> None:
        """Called for each event. event: one of EVENTS or DETAILS. values: the event's."""

    def emit(self, expressions: Expressions, deparser: Deparser) -> None:
        """Called before a deparser writes its headers."""

    # --- functions ---

    def stage(self, name: str, result: ir.Type, *more: ir.Type) -> Body:
        function = ir.Function(self.module, ir.FunctionType(result, [POINTER, POINTER, INT, *more]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        function.attributes.add("nounwind")
        for argument in function.args:
            if argument.type == POINTER:
                argument.add_attribute("noalias")
        return Body(function, *function.args[:2])

    def control(self, control: Control) -> tuple[ir.Function, set[Place]]:
        """The control's function, and the places that it may write."""
        body = self.stage(control.name, VOID)
        for ref, owner in self.vector.locals.items():
            if owner == control.name:
                size = storage_bytes(self.program.field_type(ref).width)
                body.locals[ref] = body.variable(wide.type_of(8 * size))
                body.store(integer(8 * size, 0), body.locals[ref], size)
        exiting = body.variable(BIT, integer(1, 0))
        self.control_code(body, self.surroundings(body, body.function.args[2], exiting), control).write()
        body.builder.ret_void()
        return body.function, body.written

    # --- the packet vector ---

    def clear_vector(self, body: Body) -> None:
        """Clears the body's vector: no header is valid, and all fields are 0."""
        body.clear(body.vector, self.vector.size)
        self._validate_metadata(body)

    def clear_metadata(self, body: Body) -> None:
        for header in self.program.headers.values():
            if header.metadata:
                place = Place(self.vector.headers[header.name], self.vector.layout(header.type).size)
                body.clear(body.at(body.vector, place.offset), place.size)
        self._validate_metadata(body)

    def _validate_metadata(self, body: Body) -> None:
        expressions = Expressions(body, self.program, self.vector)
        for header in self.program.headers.values():
            if header.metadata:
                expressions.set_valid(expressions.header(HeaderRef(header.name)), True)


def set_field(expressions: Expressions, target: FieldRef | None, value: ir.Value) -> None:
    """Sets a field of the architecture's metadata, if the program has it."""
    if target is not None:
        field = expressions.field(target)
        expressions.write(field, expressions.body.resized(value, field.width))
