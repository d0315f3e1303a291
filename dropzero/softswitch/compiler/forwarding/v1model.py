"""Compiles the path of a packet through simple_switch, for programs of v1model:

    receive -> parse -> verify checksums -> ingress -> clone -> digest -> resubmit, replicate or send
    each copy: egress -> clone -> update checksums -> deparse -> recirculate or out

Fields and rules are those of simple_switch. Only programs that clone, resubmit or recirculate contain code for it.
"""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.actions import CLONE, ActionCode
from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.forwarding.architecture import Architecture
from dropzero.softswitch.compiler.forwarding.queued_packets import DROPPED
from dropzero.softswitch.compiler.forwarding.recirculation import (
    EGRESS_CLONE,
    RECIRCULATED,
    RESUBMITTED,
    RecirculatedPacket,
)
from dropzero.softswitch.compiler.forwarding.stages import Stages, set_field
from dropzero.softswitch.compiler.forwarding.traffic_manager import Packet, TrafficManager
from dropzero.softswitch.compiler.serialization import write_packet
from dropzero.softswitch.native.emission import INT, POINTER, WORD, Body, integer, word
from dropzero.softswitch.program.model import HeaderRef
from dropzero.softswitch.program.steps import CLONING

ORDINARY, INGRESS_CLONE, REPLICATION = 0, 1, 5
"""standard_metadata.instance_type of an ordinary packet, of a clone from ingress, and of a multicast copy."""


class V1Model(Architecture):
    """Writes the stages of simple_switch.

    Attributes:
        parse: (..., packet) -> bytes extracted. Parses, and verifies the checksums
        ingress, egress: (...) -> nothing
        ingress_written: the places of the packet vector that ingress may write
        before_egress: the places of metadata that may differ from 0 when egress begins
    """

    def __init__(self, stages: Stages) -> None:
        super().__init__(stages)
        self.program = program = stages.program
        self.vector = vector = stages.vector
        self.parse = self._parser()
        self.ingress, self.ingress_written = stages.control(program.ingress)
        listed = {vector.place(ref) for fields in program.field_lists.values() for ref in fields}
        self.before_egress = self.ingress_written | listed
        self.egress, self.written = stages.control(program.egress)
        self.depart = self._departure()

    # --- stages ---

    def _parser(self) -> ir.Function:
        stages = self.stages
        body = stages.stage("parse", WORD, POINTER)
        _, _, length, packet = body.function.args
        (parser,) = self.program.parsers
        extracted = stages.parser_code(body, stages.surroundings(body, length, None), parser, packet, length).write()
        expressions = self.expressions(body)
        payload = body.at(packet, extracted), body.builder.sub(body.resized(length, 64), extracted)
        wrong = stages.checksums(expressions, payload).verify(self.program.checksums)
        set_field(expressions, self.program.standard("checksum_error"), wrong)
        body.builder.ret(extracted)
        return body.function

    def _departure(self) -> ir.Function:
        body = self.stages.stage("depart", WORD, INT, WORD, POINTER, WORD, POINTER)
        context, vector, length, port, now, packet, extracted, target = body.function.args
        builder = body.builder
        expressions = self.expressions(body)
        self._set_departure_metadata(expressions, port, now)
        builder.call(self.egress, [context, vector, length])
        if "clone_egress_pkt_to_egress" in self.program.operations:
            self._clone_from_egress(body, packet, length, extracted)
        self._drop_if_marked(expressions)
        payload_length = builder.sub(body.resized(length, 64), extracted)
        truncation = self.vector.requests.get("truncation")
        most = word(-1)
        if truncation is not None:
            requested = body.resized(body.load_place(truncation), 64)
            none = builder.icmp_unsigned("==", requested, word(0))
            most = builder.select(none, word(-1), builder.sub(requested, word(1)))
        summed = payload_length if truncation is None else least(body, payload_length, most)
        self.stages.checksums(expressions, (body.at(packet, extracted), summed)).update(self.program.checksums)
        (deparser,) = self.program.deparsers
        for primitive in deparser.primitives:
            self.stages.actions(body).primitive(primitive, expressions)
        self.stages.emit(expressions, deparser)
        written = write_packet(expressions, deparser.order, target, body.at(packet, extracted), payload_length)
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
        set_field(expressions, standard("egress_spec"), integer(32, self.stages.drop_port + 1))
        set_field(expressions, standard("packet_length"), expressions.body.load_place(self.vector.length))
        set_field(expressions, standard("egress_global_timestamp", "intrinsic_metadata.egress_global_timestamp"), now)

    def _clone_from_egress(self, body: Body, packet: ir.Value, length: ir.Value, extracted: ir.Value) -> None:
        """Adds a clone from egress to the ring, if egress has requested one."""
        session, fields = (self.vector.requests[name] for name in ("clone_session", "clone_list"))
        requested = body.load_place(session)
        with body.when(body.builder.icmp_unsigned("!=", requested, integer(32, 0))):
            listed = body.load_place(fields)
            number = body.builder.and_(requested, integer(32, CLONE - 1))
            self.stages.ring.add(body, EGRESS_CLONE, packet, length, integer(32, 0), extracted, number, listed)

    def _drop_if_marked(self, expressions: Expressions) -> None:
        """Ends the departure if egress_spec is the drop port."""
        egress_spec = self.program.standard("egress_spec")
        if egress_spec is None:
            return
        body, field = expressions.body, expressions.field(egress_spec)
        dropped = body.builder.icmp_unsigned(
            "==", expressions.read(field, field.width), integer(field.width, self.stages.drop_port)
        )
        with body.when(dropped):
            self.stages.note(body, "dropped in egress")
            body.builder.ret(word(DROPPED))

    def _recirculate_if_requested(self, body: Body, target: ir.Value, written: ir.Value) -> None:
        """Ends the departure if egress has requested recirculation, and adds the packet written at `target` to the
        ring."""
        requested = body.load_place(self.vector.requests["recirculate"])
        with body.when(body.builder.icmp_unsigned("!=", requested, integer(32, 0))):
            size = body.resized(written, 32)
            self.stages.note(body, "recirculated")
            self.stages.ring.add(body, RECIRCULATED, target, size, integer(32, 0), word(0), integer(32, 0), requested)
            body.builder.ret(body.builder.sub(word(DROPPED - 1), written))

    # --- a packet's way to the traffic manager ---

    def arrive(self, body: Body, port: ir.Value, length: ir.Value, time: ir.Value) -> None:
        expressions = self.expressions(body)
        set_field(expressions, self.program.standard("ingress_port"), port)
        set_field(expressions, self.program.standard("packet_length"), length)
        set_field(expressions, self.program.arrival, time)

    def run(self, traffic: TrafficManager, contents: ir.Value, length: ir.Value, port: ir.Value) -> None:
        body, builder, stages = traffic.body, traffic.body.builder, self.stages
        extracted = builder.call(self.parse, [body.context, body.vector, length, contents])
        builder.call(self.ingress, [body.context, body.vector, length])
        if not self.program.operations.isdisjoint(("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress")):
            self._clone_from_ingress(traffic, contents, length, port)
        if "generate_digest" in self.program.operations:
            ActionCode(body, stages.surroundings(body, length, None)).digest(self.expressions(body))
        routed = body.block("routed")
        if "resubmit" in self.program.operations:
            requested = body.load_place(self.vector.requests["resubmit"])
            with body.when(builder.icmp_unsigned("!=", requested, integer(32, 0))):
                stages.note(body, "resubmitted")
                stages.ring.add(body, RESUBMITTED, contents, length, port, word(0), integer(32, 0), requested)
                builder.branch(routed)
        self._route(traffic, routed, Packet(contents, length, extracted))

    def _clone_from_ingress(
        self, traffic: TrafficManager, contents: ir.Value, length: ir.Value, port: ir.Value
    ) -> None:
        """If ingress has requested a clone, parses the packet again as it arrived, into a second vector, and sends
        it."""
        body, builder, stages = traffic.body, traffic.body.builder, self.stages
        session = self.vector.requests["clone_session"]
        requested = body.load_place(session)
        with body.when(builder.icmp_unsigned("!=", requested, integer(32, 0)), likely=False):
            body.store_place(integer(32, 0), session)
            fields = body.load_place(self.vector.requests["clone_list"])
            clone = body.over(body.at(body.vector, self.vector.size))
            stages.note(body, CLONING)
            stages.clear_vector(clone)
            clone.store_place(length, self.vector.length)
            set_field(self.expressions(clone), self.program.standard("ingress_port"), port)
            extracted = builder.call(self.parse, [body.context, clone.vector, length, contents])
            self._reset_metadata(clone, body.vector, fields, integer(32, INGRESS_CLONE))
            number = builder.and_(requested, integer(32, CLONE - 1))
            traffic.clone(clone, number, Packet(contents, length, extracted))

    def _route(self, traffic: TrafficManager, routed: ir.Block, packet: Packet) -> None:
        """Replicates, sends or drops the packet, in this order of precedence. Continues in the block `routed`."""
        body, builder, stages = traffic.body, traffic.body.builder, self.stages
        expressions = self.expressions(body)
        kind = self.program.standard("instance_type")
        group_field = self.program.standard("mcast_grp", "intrinsic_metadata.mcast_grp")
        if group_field is not None:
            field = expressions.field(group_field)
            group = expressions.read(field, 64)
            with body.when(builder.icmp_unsigned("!=", group, word(0))):
                stages.note(body, "multicast")
                set_field(expressions, kind, integer(32, REPLICATION))
                for place in self.vector.requests.values():
                    body.store_place(integer(32, 0), place)
                traffic.replicate(group, packet)
                builder.branch(routed)
        port_field = self.program.standard("egress_spec")
        if port_field is not None:
            field = expressions.field(port_field)
            port = expressions.read(field, 32)
            stages.note(body, "unicast", port)
            with body.when(builder.icmp_unsigned("==", port, integer(32, stages.drop_port))):
                stages.note(body, "dropped in ingress")
                builder.branch(routed)
            if kind is not None and (self.program.recirculates or self.vector.place(kind) in self.ingress_written):
                set_field(expressions, kind, integer(32, ORDINARY))
            traffic.send(body, port, packet)
        builder.branch(routed)
        builder.position_at_end(routed)

    # --- packets of the ring ---

    @property
    def clones_in_egress(self) -> bool:
        return "clone_egress_pkt_to_egress" in self.program.operations

    def send_egress_clone(self, traffic: TrafficManager, packet: RecirculatedPacket) -> None:
        body = traffic.body
        body.copy(body.vector, packet.source, self.vector.size, alignment=8)
        self._reset_metadata(body, packet.source, packet.fields, packet.kind)
        traffic.clone(body, packet.session, Packet(packet.contents, packet.length, packet.extracted))

    def prepare_again(self, body: Body, packet: RecirculatedPacket) -> ir.Value:
        body.store_place(packet.length, self.vector.length)
        self._reset_metadata(body, packet.source, packet.fields, packet.kind)
        expressions = self.expressions(body)
        set_field(expressions, self.program.standard("packet_length"), packet.length)
        return packet.port

    def _reset_metadata(self, body: Body, source: ir.Value, fields: ir.Value, instance_type: ir.Value) -> None:
        """Resets metadata and requests, except the fields of a field list, which it copies from the vector `source`.

        fields: the number of the field list, i32.
        """
        self.stages.clear_metadata(body)
        for place in self.vector.requests.values():
            body.store(integer(32, 0), body.at(body.vector, place.offset), place.size)
        expressions = self.expressions(body)
        for number, listed in self.program.field_lists.items():
            if not listed:
                continue
            with body.when(body.builder.icmp_unsigned("==", fields, integer(32, number))):
                for ref in listed:
                    place = self.vector.place(ref)
                    target, origin = (body.at(vector, place.offset) for vector in (body.vector, source))
                    body.copy(target, origin, place.size)
        set_field(expressions, self.program.standard("instance_type"), instance_type)

    # --- in the traffic manager ---

    def set_instance(self, body: Body, instance: ir.Value) -> None:
        expressions = self.expressions(body)
        set_field(expressions, self.program.standard("egress_rid", "intrinsic_metadata.egress_rid"), instance)

    def truncated_clone(self, body: Body, packet: Packet, most: ir.Value) -> Packet:
        """Requests truncation, which is done after egress."""
        builder = body.builder
        none = builder.icmp_unsigned("==", most, integer(32, 0))
        limit = builder.select(none, most, builder.add(most, integer(32, 1)))
        body.store_place(limit, self.vector.requests["truncation"])
        return packet

    def priority(self, body: Body) -> ir.Value | None:
        field = self.program.standard("priority", "intrinsic_metadata.priority")
        if field is None or self.vector.place(field) not in self.ingress_written:
            return None
        expressions = self.expressions(body)
        return expressions.read(expressions.field(field), 64)

    def set_queueing_metadata(
        self,
        body: Body,
        queue: ir.Value,
        times: tuple[ir.Value, ir.Value],
        depths: tuple[ir.Value, ir.Value],
        *,
        empty: bool = False,
    ) -> None:
        expressions = self.expressions(body)
        entered, left = times
        for name, value, zero in (
            ("enq_timestamp", entered, False),
            ("enq_qdepth", depths[0], empty),
            ("deq_timedelta", body.builder.sub(left, entered), empty),
            ("deq_qdepth", depths[1], empty),
            ("qid", queue, False),
        ):
            known = self.program.standard(name, f"queueing_metadata.{name}")
            if known is not None and not (zero and self.vector.place(known) not in self.before_egress):
                set_field(expressions, known, value)

    def expected_bytes(self, body: Body, packet: Packet) -> ir.Value:
        builder = body.builder
        expressions = self.expressions(body)
        total = builder.sub(body.resized(packet.length, 64), packet.extracted)
        for name in self.program.emitted:
            header = expressions.header(HeaderRef(name))
            size = body.resized(expressions.bytes_of(header), 64)
            total = builder.add(total, builder.select(expressions.valid(header), size, word(0)))
        return total


def least(body: Body, one: ir.Value, other: ir.Value) -> ir.Value:
    """The smaller of two unsigned integers."""
    return body.builder.select(body.builder.icmp_unsigned("<", one, other), one, other)
