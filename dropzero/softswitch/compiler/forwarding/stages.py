"""Compiles the stages of a packet's path, each to a native function: parser, ingress, egress, departure."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.actions import CLONE, Surroundings
from dropzero.softswitch.compiler.checksums import ChecksumCode
from dropzero.softswitch.compiler.controls import ControlCode
from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.forwarding.queued_packets import DROPPED
from dropzero.softswitch.compiler.forwarding.recirculation import EGRESS_CLONE, RECIRCULATED, RecirculationRing
from dropzero.softswitch.compiler.parsing import ParserCode
from dropzero.softswitch.compiler.serialization import write_packet
from dropzero.softswitch.native import wide
from dropzero.softswitch.native.emission import BIT, INT, POINTER, VOID, WORD, Body, integer, word
from dropzero.softswitch.program.model import Control, FieldRef, HeaderRef, Program
from dropzero.softswitch.state.layout import Context, PacketVector, Place
from dropzero.softswitch.state.registers import storage_bytes


class Stages:
    """Writes the functions of the stages into a module, and code that prepares a packet vector.

    The first arguments of each function are the context, the packet vector, and the packet's bytes on arrival.

    Attributes:
        parse: (..., packet) -> bytes extracted. Parses, and verifies the checksums
        ingress, egress: (...) -> nothing
        depart: (..., port, now, packet, bytes extracted, target) -> bytes written, or DROPPED or less (see WRITTEN in
            queued_packets.py). Egress, deparser, and all between them
        ingress_written: the places of the packet vector that ingress may write
        written: the places that `depart` may write
        before_egress: the places of metadata that may differ from 0 when egress begins
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
        self.parse = self._parser()
        self.ingress, self.ingress_written = self._control(program.ingress)
        listed = {self.vector.place(ref) for fields in program.field_lists.values() for ref in fields}
        self.before_egress = self.ingress_written | listed
        self.egress, self.written = self._control(program.egress)
        self.depart = self._departure()

    # --- hooks for traced programs ---

    def surroundings(self, body: Body, length: ir.Value, exiting: ir.Value | None) -> Surroundings:
        return Surroundings(self.program, self.vector, self.context, self.drop_port, length, exiting)

    def checksums(self, expressions: Expressions, payload: tuple[ir.Value, ir.Value]) -> ChecksumCode:
        return ChecksumCode(expressions, payload)

    def note(self, body: Body, event: str, *values: ir.Value) -> None:
        """Called for each event. event: one of EVENTS or DETAILS. values: the event's."""

    def emit(self, expressions: Expressions) -> None:
        """Called before the deparser."""

    # --- functions ---

    def _stage(self, name: str, result: ir.Type, *more: ir.Type) -> Body:
        function = ir.Function(self.module, ir.FunctionType(result, [POINTER, POINTER, INT, *more]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        function.attributes.add("nounwind")
        for argument in function.args:
            if argument.type == POINTER:
                argument.add_attribute("noalias")
        return Body(function, *function.args[:2])

    def _parser(self) -> ir.Function:
        body = self._stage("parse", WORD, POINTER)
        _, _, length, packet = body.function.args
        extracted = self.parser_code(body, self.surroundings(body, length, None), packet, length).write()
        expressions = Expressions(body, self.program, self.vector)
        payload = body.at(packet, extracted), body.builder.sub(body.resized(length, 64), extracted)
        wrong = self.checksums(expressions, payload).verify(self.program.checksums)
        set_field(expressions, self.program.standard("checksum_error"), wrong)
        body.builder.ret(extracted)
        return body.function

    def _control(self, control: Control) -> tuple[ir.Function, set[Place]]:
        """The control's function, and the places that it may write."""
        body = self._stage(control.name, VOID)
        for ref, owner in self.vector.locals.items():
            if owner == control.name:
                size = storage_bytes(self.program.field_type(ref).width)
                body.locals[ref] = body.variable(wide.type_of(8 * size))
                body.store(integer(8 * size, 0), body.locals[ref], size)
        exiting = body.variable(BIT, integer(1, 0))
        self.control_code(body, self.surroundings(body, body.function.args[2], exiting), control).write()
        body.builder.ret_void()
        return body.function, body.written

    def _departure(self) -> ir.Function:
        body = self._stage("depart", WORD, INT, WORD, POINTER, WORD, POINTER)
        context, vector, length, port, now, packet, extracted, target = body.function.args
        builder = body.builder
        expressions = Expressions(body, self.program, self.vector)
        self._set_departure_metadata(expressions, port, now)
        builder.call(self.egress, [context, vector, length])
        if "clone_egress_pkt_to_egress" in self.program.operations:
            self._clone(body, packet, length, extracted)
        self._drop_if_marked(expressions)
        payload_length = builder.sub(body.resized(length, 64), extracted)
        truncation = self.vector.requests.get("truncation")
        most = word(-1)
        if truncation is not None:
            requested = body.resized(body.load_place(truncation), 64)
            none = builder.icmp_unsigned("==", requested, word(0))
            most = builder.select(none, word(-1), builder.sub(requested, word(1)))
        summed = payload_length if truncation is None else least(body, payload_length, most)
        self.checksums(expressions, (body.at(packet, extracted), summed)).update(self.program.checksums)
        self.emit(expressions)
        written = write_packet(expressions, target, body.at(packet, extracted), payload_length)
        # Recirculated packets are not truncated.
        if "recirculate" in self.program.operations:
            self._recirculate_if_requested(body, target, written)
        if truncation is not None:
            written = least(body, written, most)
        builder.ret(written)
        self.written |= body.written
        return body.function

    def _set_departure_metadata(self, expressions: Expressions, port: ir.Value, now: ir.Value) -> None:
        """Sets the standard metadata that egress reads."""
        standard = self.program.standard
        set_field(expressions, standard("egress_port"), port)
        # A value that is neither a port nor the drop port.
        set_field(expressions, standard("egress_spec"), integer(32, self.drop_port + 1))
        set_field(expressions, standard("packet_length"), expressions.body.load_place(self.vector.length))
        set_field(expressions, standard("egress_global_timestamp", "intrinsic_metadata.egress_global_timestamp"), now)

    def _clone(self, body: Body, packet: ir.Value, length: ir.Value, extracted: ir.Value) -> None:
        """Adds a clone from egress to the ring, if egress has requested one."""
        session, fields = (self.vector.requests[name] for name in ("clone_session", "clone_list"))
        requested = body.load_place(session)
        with body.when(body.builder.icmp_unsigned("!=", requested, integer(32, 0))):
            listed = body.load_place(fields)
            number = body.builder.and_(requested, integer(32, CLONE - 1))
            self.ring.add(body, EGRESS_CLONE, packet, length, integer(32, 0), extracted, number, listed)

    def _drop_if_marked(self, expressions: Expressions) -> None:
        """Ends the departure if egress_spec is the drop port."""
        egress_spec = self.program.standard("egress_spec")
        if egress_spec is None:
            return
        body, field = expressions.body, expressions.field(egress_spec)
        dropped = body.builder.icmp_unsigned(
            "==", expressions.read(field, field.width), integer(field.width, self.drop_port)
        )
        with body.when(dropped):
            self.note(body, "dropped in egress")
            body.builder.ret(word(DROPPED))

    def _recirculate_if_requested(self, body: Body, target: ir.Value, written: ir.Value) -> None:
        """Ends the departure if egress has requested recirculation, and adds the packet written at `target` to the
        ring."""
        requested = body.load_place(self.vector.requests["recirculate"])
        with body.when(body.builder.icmp_unsigned("!=", requested, integer(32, 0))):
            size = body.resized(written, 32)
            self.note(body, "recirculated")
            self.ring.add(body, RECIRCULATED, target, size, integer(32, 0), word(0), integer(32, 0), requested)
            body.builder.ret(body.builder.sub(word(DROPPED - 1), written))

    # --- the packet vector ---

    def clear_vector(self, body: Body) -> None:
        """Clears the body's vector: no header is valid, and all fields are 0."""
        body.clear(body.vector, self.vector.size)
        self._validate_metadata(body)

    def reset_metadata(self, body: Body, source: ir.Value, fields: ir.Value, instance_type: ir.Value) -> None:
        """Resets metadata and requests, except the fields of a field list, which it copies from the vector `source`.

        fields: the number of the field list, i32.
        """
        for header in self.program.headers.values():
            if header.metadata:
                place = Place(self.vector.headers[header.name], self.vector.layout(header.type).size)
                body.clear(body.at(body.vector, place.offset), place.size)
        self._validate_metadata(body)
        for place in self.vector.requests.values():
            body.store(integer(32, 0), body.at(body.vector, place.offset), place.size)
        expressions = Expressions(body, self.program, self.vector)
        for number, listed in self.program.field_lists.items():
            if not listed:
                continue
            with body.when(body.builder.icmp_unsigned("==", fields, integer(32, number))):
                for ref in listed:
                    place = self.vector.place(ref)
                    target, origin = (body.at(vector, place.offset) for vector in (body.vector, source))
                    body.copy(target, origin, place.size)
        set_field(expressions, self.program.standard("instance_type"), instance_type)

    def _validate_metadata(self, body: Body) -> None:
        expressions = Expressions(body, self.program, self.vector)
        for header in self.program.headers.values():
            if header.metadata:
                expressions.set_valid(expressions.header(HeaderRef(header.name)), True)


def least(body: Body, one: ir.Value, other: ir.Value) -> ir.Value:
    """The smaller of two unsigned integers."""
    return body.builder.select(body.builder.icmp_unsigned("<", one, other), one, other)


def set_field(expressions: Expressions, target: FieldRef | None, value: ir.Value) -> None:
    """Sets a field of standard metadata, if the program has it."""
    if target is not None:
        field = expressions.field(target)
        expressions.write(field, expressions.body.resized(value, field.width))
