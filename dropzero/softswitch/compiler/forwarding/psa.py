"""Compiles the path of a packet through psa_switch, for programs of PSA:

    receive -> parse -> ingress -> clone -> drop, resubmit, or deparse -> replicate or send
    each copy: parse -> egress -> deparse -> clone -> drop, recirculate, or out

Fields and rules are those of psa_switch. Ingress and egress share the packet vector, so metadata of the same name keeps
its values between them, except in clones.
"""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.forwarding.architecture import Architecture
from dropzero.softswitch.compiler.forwarding.queued_packets import DROPPED
from dropzero.softswitch.compiler.forwarding.recirculation import (
    EGRESS_CLONE,
    RECIRCULATED,
    RESUBMITTED,
    RecirculatedPacket,
)
from dropzero.softswitch.compiler.forwarding.stages import Stages
from dropzero.softswitch.compiler.forwarding.traffic_manager import Packet, TrafficManager
from dropzero.softswitch.compiler.serialization import write_packet
from dropzero.softswitch.native.emission import INT, POINTER, WORD, Body, integer, word
from dropzero.softswitch.program.model import Deparser, FieldRef, HeaderRef, Parser
from dropzero.softswitch.program.steps import CLONING, DEPARSED, DEPARSING
from dropzero.softswitch.state.layout import PORT_NUMBERS, PSA_CPU_PORT, Place
from dropzero.softswitch.state.replication import GROUPS, SESSIONS

NORMAL_UNICAST, NORMAL_MULTICAST, CLONE_I2E, CLONE_E2E, RESUBMIT, RECIRCULATE = range(1, 7)
"""PSA_PacketPath_t, except NORMAL, which is 0."""
RECIRCULATION_PORT = 0xFFFFFFFA
"""PSA_PORT_RECIRCULATE."""


class Psa(Architecture):
    """Writes the stages of psa_switch.

    Attributes:
        parse: (..., packet) -> bytes extracted, i64: the parser of ingress
        parse_again: the same: the parser of egress
        ingress, egress: (...) -> nothing
        deparse: (..., packet, bytes extracted, target) -> bytes written, i64: the deparser of ingress
    """

    def __init__(self, stages: Stages) -> None:
        super().__init__(stages)
        program = stages.program
        self.parse, _ = self._parser(program.parsers[0])
        self.ingress, _ = stages.control(program.ingress)
        self.deparse = self._ingress_deparser(program.deparsers[0])
        self.parse_again, parsed = self._parser(program.parsers[1])
        self.egress, egress_written = stages.control(program.egress)
        self.written = parsed | egress_written
        self.depart = self._departure()

    # --- stages ---

    def _parser(self, parser: Parser) -> tuple[ir.Function, set[Place]]:
        stages = self.stages
        body = stages.stage(parser.name, WORD, POINTER)
        _, _, length, packet = body.function.args
        surroundings = stages.surroundings(body, length, None)
        body.builder.ret(stages.parser_code(body, surroundings, parser, packet, length).write())
        return body.function, body.written

    def _ingress_deparser(self, deparser: Deparser) -> ir.Function:
        body = self.stages.stage(deparser.name, WORD, POINTER, WORD, POINTER)
        _, _, length, packet, extracted, target = body.function.args
        body.builder.ret(self._write_packet(body, deparser, packet, length, extracted, target))
        return body.function

    def _write_packet(
        self, body: Body, deparser: Deparser, packet: ir.Value, length: ir.Value, extracted: ir.Value, target: ir.Value
    ) -> ir.Value:
        """Writes the packet to `target`. Returns its size in bytes, i64."""
        expressions = self.expressions(body)
        actions = self.stages.actions(body)
        self.stages.note(body, DEPARSING, word(self.stages.program.deparsers.index(deparser)))
        for primitive in deparser.primitives:
            actions.primitive(primitive, expressions)
        self.stages.emit(expressions, deparser)
        payload_length = body.builder.sub(body.resized(length, 64), extracted)
        return write_packet(expressions, deparser.order, target, body.at(packet, extracted), payload_length)

    def _departure(self) -> ir.Function:
        stages = self.stages
        body = stages.stage("depart", WORD, INT, WORD, POINTER, WORD, POINTER)
        context, vector, length, port, now, packet, _, target = body.function.args
        builder = body.builder
        self._invalidate_headers(body)
        self._set(body, "egress_parser_input", "egress_port", self._psa_port(body, port))
        self._set(body, "egress_input", "egress_timestamp", now)
        extracted = builder.call(self.parse_again, [context, vector, length, packet])
        for name in ("egress_port", "packet_path"):
            self._set(body, "egress_input", name, self._get(body, "egress_parser_input", name))
        for name in ("clone", "drop"):
            self._set(body, "egress_output", name, integer(32, 0))
        builder.call(self.egress, [context, vector, body.load_place(stages.vector.length)])
        self._set(body, "egress_deparser_input", "egress_port", self._get(body, "egress_parser_input", "egress_port"))
        written = self._write_packet(body, stages.program.deparsers[1], packet, length, extracted, target)
        size = body.resized(written, 32)
        nothing = integer(32, 0)
        # What to return if the packet does not leave: its clone and the recirculated packet stay where it is written.
        gone = body.variable(WORD, word(DROPPED))
        kept = builder.sub(word(DROPPED - 1), written)
        with body.when(self._is_set(body, "egress_output", "clone"), likely=False):
            session = self._get(body, "egress_output", "clone_session_id")
            with body.when(builder.icmp_unsigned("<", session, integer(32, SESSIONS))):
                stages.ring.add(body, EGRESS_CLONE, target, size, nothing, word(0), session, nothing)
                builder.store(kept, gone)
        with body.when(self._is_set(body, "egress_output", "drop")):
            stages.note(body, "dropped in egress")
            builder.ret(builder.load(gone, typ=WORD))
        with body.when(builder.icmp_unsigned(">=", port, integer(32, PORT_NUMBERS)), likely=False):
            with body.when(builder.icmp_unsigned("==", port, integer(32, RECIRCULATION_PORT))):
                stages.note(body, "recirculated")
                stages.ring.add(body, RECIRCULATED, target, size, nothing, word(0), nothing, nothing)
                builder.ret(kept)
            # There is no such port.
            builder.ret(builder.load(gone, typ=WORD))
        builder.ret(written)
        self.written |= body.written
        return body.function

    def _invalidate_headers(self, body: Body) -> None:
        expressions = self.expressions(body)
        for header in self.stages.program.headers.values():
            if not header.metadata:
                expressions.set_valid(expressions.header(HeaderRef(header.name)), False)
        for place in self.stages.vector.next.values():
            body.store_place(integer(32, 0), place)

    # --- a packet's way to the traffic manager ---

    def arrive(self, body: Body, port: ir.Value, length: ir.Value, time: ir.Value) -> None:
        self._set(body, "ingress_parser_input", "ingress_port", self._psa_port(body, port))
        self._set(body, "ingress_input", "ingress_timestamp", time)

    def run(self, traffic: TrafficManager, contents: ir.Value, length: ir.Value, port: ir.Value) -> None:
        stages, body, builder = self.stages, traffic.body, traffic.body.builder
        extracted = builder.call(self.parse, [body.context, body.vector, length, contents])
        for name in ("ingress_port", "packet_path"):
            self._set(body, "ingress_input", name, self._get(body, "ingress_parser_input", name))
        for name in ("class_of_service", "clone", "drop", "resubmit", "multicast_group"):
            self._set(body, "ingress_output", name, integer(32, int(name == "drop")))
        builder.call(self.ingress, [body.context, body.vector, body.load_place(stages.vector.length)])
        with body.when(self._is_set(body, "ingress_output", "clone"), likely=False):
            self._clone_from_ingress(traffic, Packet(contents, length, word(0)))
        routed = body.block("routed")
        with body.when(self._is_set(body, "ingress_output", "drop")):
            stages.note(body, "dropped in ingress")
            builder.branch(routed)
        with body.when(self._is_set(body, "ingress_output", "resubmit"), likely=False):
            stages.note(body, "resubmitted")
            nothing = integer(32, 0)
            stages.ring.add(body, RESUBMITTED, contents, length, port, word(0), nothing, nothing)
            builder.branch(routed)
        target = traffic.end()
        written = builder.call(self.deparse, [body.context, body.vector, length, contents, extracted, target])
        stages.note(body, DEPARSED)
        traffic.keep(written)
        packet = Packet(target, body.resized(written, 32), word(0))
        self._set(body, "egress_input", "class_of_service", self._get(body, "ingress_output", "class_of_service"))
        group = self._get(body, "ingress_output", "multicast_group")
        with body.when(builder.icmp_unsigned("!=", group, integer(32, 0))):
            stages.note(body, "multicast")
            self._set(body, "egress_parser_input", "packet_path", integer(32, NORMAL_MULTICAST))
            with body.when(builder.icmp_unsigned("<", group, integer(32, GROUPS))):
                traffic.replicate(body.resized(group, 64), packet)
            builder.branch(routed)
        self._set(body, "egress_input", "instance", integer(32, 0))
        self._set(body, "egress_parser_input", "packet_path", integer(32, NORMAL_UNICAST))
        egress_port = self._get(body, "ingress_output", "egress_port")
        is_cpu = builder.icmp_unsigned("==", egress_port, integer(32, PSA_CPU_PORT))
        egress_port = builder.select(is_cpu, self._cpu_port(body), egress_port)
        stages.note(body, "unicast", egress_port)
        # There are no queues for recirculation, and for ports that do not exist.
        known = builder.icmp_unsigned("<", egress_port, integer(32, PORT_NUMBERS))
        with builder.if_else(known, likely=True) as (send, depart):
            with send:
                traffic.send(body, egress_port, packet)
            with depart:
                traffic.depart(body, egress_port, packet)
        builder.branch(routed)
        builder.position_at_end(routed)

    def _clone_from_ingress(self, traffic: TrafficManager, packet: Packet) -> None:
        """Sends the packet as it arrived, with a second vector."""
        body, stages = traffic.body, self.stages
        session = self._get(body, "ingress_output", "clone_session_id")
        with body.when(body.builder.icmp_unsigned("<", session, integer(32, SESSIONS))):
            clone = body.over(body.at(body.vector, stages.vector.size))
            stages.note(body, CLONING)
            self._send_clone(traffic, clone, CLONE_I2E, session, packet, body.vector)

    def _send_clone(
        self, traffic: TrafficManager, body: Body, path: int, session: ir.Value, packet: Packet, origin: ir.Value
    ) -> None:
        """Sends a clone, with the body's vector. origin: the vector of the original packet."""
        self._clear(body, origin, integer(32, path), "egress_parser_input")
        traffic.clone(body, session, packet)

    def _clear(self, body: Body, origin: ir.Value, path: ir.Value, parser_input: str) -> None:
        """Clears the body's vector, except for the packet's length on arrival, and sets its path."""
        length = self.stages.vector.length
        arrived = body.load(body.at(origin, length.offset), length.size)
        self.stages.clear_vector(body)
        body.store_place(arrived, length)
        self._set(body, parser_input, "packet_path", path)

    # --- packets of the ring ---

    @property
    def clones_in_egress(self) -> bool:
        return True

    def send_egress_clone(self, traffic: TrafficManager, packet: RecirculatedPacket) -> None:
        clone = Packet(packet.contents, packet.length, word(0))
        self._send_clone(traffic, traffic.body, CLONE_E2E, packet.session, clone, packet.source)

    def prepare_again(self, body: Body, packet: RecirculatedPacket) -> ir.Value:
        builder = body.builder
        recirculated = builder.icmp_unsigned("==", packet.kind, integer(32, RECIRCULATED))
        path = builder.select(recirculated, integer(32, RECIRCULATE), integer(32, RESUBMIT))
        self._clear(body, packet.source, path, "ingress_parser_input")
        # psa_switch forgets the port of a resubmitted packet.
        resubmitted_port = packet.port if self.stages.program.strict else integer(32, 0)
        port = builder.select(recirculated, integer(32, RECIRCULATION_PORT), resubmitted_port)
        self._set(body, "ingress_parser_input", "ingress_port", port)
        self._set(body, "ingress_input", "ingress_timestamp", body.load_word(self.stages.context.now))
        return port

    # --- in the traffic manager ---

    def set_instance(self, body: Body, instance: ir.Value) -> None:
        self._set(body, "egress_input", "instance", instance)

    def truncated_clone(self, body: Body, packet: Packet, most: ir.Value) -> Packet:
        builder = body.builder
        longer = builder.and_(
            builder.icmp_unsigned("!=", most, integer(32, 0)), builder.icmp_unsigned(">", packet.length, most)
        )
        return Packet(packet.contents, builder.select(longer, most, packet.length), packet.extracted)

    def expected_bytes(self, body: Body, packet: Packet) -> ir.Value:
        return body.resized(packet.length, 64)

    # --- the port of the control plane ---

    def _cpu_port(self, body: Body) -> ir.Value:
        return body.resized(body.load_word(self.stages.context.cpu_port), 32)

    def _psa_port(self, body: Body, port: ir.Value) -> ir.Value:
        """The number by which the program knows a port."""
        is_cpu = body.builder.icmp_unsigned("==", port, self._cpu_port(body))
        return body.builder.select(is_cpu, integer(32, PSA_CPU_PORT), port)

    # --- the architecture's metadata ---

    def _set(self, body: Body, header: str, name: str, value: ir.Value) -> None:
        expressions = self.expressions(body)
        field = expressions.field(FieldRef(f"psa_{header}_metadata", name))
        expressions.write(field, body.resized(value, field.width))

    def _get(self, body: Body, header: str, name: str) -> ir.Value:
        """A field of at most 32 bits, i32."""
        expressions = self.expressions(body)
        return expressions.read(expressions.field(FieldRef(f"psa_{header}_metadata", name)), 32)

    def _is_set(self, body: Body, header: str, name: str) -> ir.Value:
        return body.builder.icmp_unsigned("!=", self._get(body, header, name), integer(32, 0))
