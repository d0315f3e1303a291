"""The path of a packet through the whole switch, as one native function over a batch.

    receive -> parse -> verify checksums -> ingress -> clone -> digest -> resubmit, replicate or send
    each copy: egress -> clone -> update checksums -> deparse -> recirculate or out

A copy for a port with a queue (queues.py) is queued before egress, and continues in a later batch.

Fields and rules are simple_switch's. Copies share the packet vector: the places that egress may write are saved before
the first copy and restored before each further one, so a packet that is not replicated copies nothing. Only programs
that clone, resubmit or recirculate contain code for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from llvmlite import ir

from dropzero.softswitch.compiler.actions import CLONE, ActionCode, Surroundings
from dropzero.softswitch.compiler.checksums import ChecksumCode
from dropzero.softswitch.compiler.controls import ControlCode
from dropzero.softswitch.compiler.deparsing import most_header_bytes, write_packet
from dropzero.softswitch.compiler.expressions import Expressions
from dropzero.softswitch.compiler.parsing import ParserCode
from dropzero.softswitch.compiler.queued_packets import (
    DEPTH,
    DROPPED,
    ENQUEUED,
    EXPECTED,
    GOES,
    LEFT,
    LENGTH,
    QUEUE,
    TAKEN,
    WORDS,
    WRITTEN,
    queued_packet_bytes,
)
from dropzero.softswitch.compiler.recirculation import (
    EGRESS_CLONE,
    RECIRCULATED,
    RESUBMITTED,
    RecirculationRing,
    recirculates,
)
from dropzero.softswitch.native.emission import BIT, INT, POINTER, VOID, WORD, Body, integer, word
from dropzero.softswitch.program.model import Control, FieldRef, HeaderRef, Program
from dropzero.softswitch.program.steps import AGAIN, ARRIVED, CLONED, CLONING, COPIED
from dropzero.softswitch.state.layout import PORT_NUMBERS, Context, PacketVector, Place

ORDINARY, INGRESS_CLONE, REPLICATION = 0, 1, 5
"""standard_metadata.instance_type of an ordinary packet, an ingress clone, and a multicast copy."""

GAP = 16
"""Gaps of up to this many bytes are cheaper to copy than to skip."""


class ForwardingCode:
    """Writes the module. engine.py, which calls its functions `process` and `resume`, describes them."""

    parser_code = ParserCode
    control_code = ControlCode

    def __init__(self, program: Program, drop_port: int, priority_queues: int = 1) -> None:
        """Packets with a priority of priority_queues or more are dropped."""
        self.program = program
        self.drop_port = drop_port
        self.priority_queues = priority_queues
        self.vector = PacketVector(program)
        self.context = Context(program)
        self.module = ir.Module("softswitch")
        self.ring = RecirculationRing(self.module, self.vector)
        self.parse = self._parser()
        self.ingress, self.ingress_written = self._control(program.ingress)
        listed = {self.vector.place(ref) for fields in program.field_lists.values() for ref in fields}
        self.before_egress = self.ingress_written | listed
        """Places of metadata that may differ from 0 when egress begins."""
        self.egress, self.written = self._control(program.egress)
        self.depart = self._departure()
        self._batches("process", _Arrivals)
        self._batches("resume", _Departures)

    def __str__(self) -> str:
        return str(self.module)

    # --- one function for each stage: (context, vector, length on arrival, ...) ---

    def _stage(self, name: str, result: ir.Type, *more: ir.Type) -> Body:
        function = ir.Function(self.module, ir.FunctionType(result, [POINTER, POINTER, INT, *more]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        function.attributes.add("nounwind")
        for argument in function.args:
            if argument.type == POINTER:
                argument.add_attribute("noalias")
        return Body(function, *function.args[:2])

    def surroundings(self, body: Body, length: ir.Value, exiting: ir.Value | None) -> Surroundings:
        return Surroundings(self.program, self.vector, self.context, self.drop_port, length, exiting)

    def checksums(self, expressions: Expressions, payload: tuple[ir.Value, ir.Value]) -> ChecksumCode:
        return ChecksumCode(expressions, payload)

    def _parser(self) -> ir.Function:
        """(..., packet) -> bytes extracted. Parses, and verifies the checksums."""
        body = self._stage("parse", WORD, POINTER)
        _, _, length, packet = body.function.args
        taken = self.parser_code(body, self.surroundings(body, length, None), packet, length).write()
        expressions = Expressions(body, self.program, self.vector)
        payload = body.at(packet, taken), body.builder.sub(body.resized(length, 64), taken)
        wrong = self.checksums(expressions, payload).verify(self.program.checksums)
        set_field(expressions, self.program.standard("checksum_error"), wrong)
        body.builder.ret(taken)
        return body.function

    def _control(self, control: Control) -> tuple[ir.Function, set[Place]]:
        """The control's function (...) -> nothing, and the places that it may write."""
        body = self._stage(control.name, VOID)
        exiting = body.variable(BIT, integer(1, 0))
        self.control_code(body, self.surroundings(body, body.function.args[2], exiting), control).write()
        body.builder.ret_void()
        return body.function, body.written

    def _departure(self) -> ir.Function:
        """(..., port, now, packet, bytes extracted, target) -> bytes written, or DROPPED. From egress to the wire."""
        body = self._stage("depart", WORD, INT, WORD, POINTER, WORD, POINTER)
        context, vector, length, port, now, packet, taken, target = body.function.args
        builder = body.builder
        expressions = Expressions(body, self.program, self.vector)
        egress_spec = self.program.standard("egress_spec")
        set_field(expressions, self.program.standard("egress_port"), port)
        # A value that is neither a port nor the drop port.
        set_field(expressions, egress_spec, integer(32, self.drop_port + 1))
        set_field(expressions, self.program.standard("packet_length"), body.load_place(self.vector.length))
        departure = self.program.standard("egress_global_timestamp", "intrinsic_metadata.egress_global_timestamp")
        set_field(expressions, departure, now)
        builder.call(self.egress, [context, vector, length])
        if "clone_egress_pkt_to_egress" in self.program.operations:
            self._clone_departing(body, packet, length, taken)
        if egress_spec is not None:
            field = expressions.field(egress_spec)
            dropped = builder.icmp_unsigned(
                "==", expressions.read(field, field.width), integer(field.width, self.drop_port)
            )
            with body.when(dropped):
                self.note(body, "dropped in egress")
                builder.ret(word(DROPPED))
        payload_length = builder.sub(body.resized(length, 64), taken)
        truncation = self.vector.requests.get("truncation")
        most = word(-1)
        if truncation is not None:
            held = body.resized(body.load_place(truncation), 64)
            none = builder.icmp_unsigned("==", held, word(0))
            most = builder.select(none, word(-1), builder.sub(held, word(1)))
        summed = payload_length if truncation is None else least(body, payload_length, most)
        self.checksums(expressions, (body.at(packet, taken), summed)).update(self.program.checksums)
        self.emit(expressions)
        written = write_packet(expressions, target, body.at(packet, taken), payload_length)
        # Recirculated packets are not truncated.
        if "recirculate" in self.program.operations:
            asked = body.load_place(self.vector.requests["recirculate"])
            with body.when(builder.icmp_unsigned("!=", asked, integer(32, 0))):
                size = body.resized(written, 32)
                self.note(body, "recirculated")
                self.ring.wait(body, RECIRCULATED, target, size, integer(32, 0), word(0), integer(32, 0), asked)
                builder.ret(builder.sub(word(DROPPED - 1), written))
        if truncation is not None:
            written = least(body, written, most)
        builder.ret(written)
        self.written |= body.written
        return body.function

    def _clone_departing(self, body: Body, packet: ir.Value, length: ir.Value, taken: ir.Value) -> None:
        session, fields = (self.vector.requests[name] for name in ("clone_session", "clone_list"))
        asked = body.load_place(session)
        with body.when(body.builder.icmp_unsigned("!=", asked, integer(32, 0))):
            listed = body.load_place(fields)
            number = body.builder.and_(asked, integer(32, CLONE - 1))
            self.ring.wait(body, EGRESS_CLONE, packet, length, integer(32, 0), taken, number, listed)

    def note(self, body: Body, event: str, *values: ir.Value) -> None:
        """Hook for traced programs. event: one of EVENTS or DETAILS; values: the event's."""

    def emit(self, expressions: Expressions) -> None:
        """Hook for traced programs, before the deparser."""

    # --- metadata ---

    def begin(self, body: Body) -> None:
        """Clears the body's vector: no header is valid, all fields are 0."""
        body.clear(body.vector, self.vector.size)
        self._validate_metadata(body)

    def reset_metadata(self, body: Body, source: ir.Value, fields: ir.Value, instance_type: ir.Value) -> None:
        """Resets metadata and pending requests. Fields in the field list are copied from the vector `source`."""
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

    # --- the batch ---

    def _batches(self, name: str, kind: type[_Batch]) -> None:
        pointers = ("context", "vector", "aside", "data", "starts", "lengths", "ports", "arrivals")
        outputs = ("out_data", "out_starts", "out_lengths", "out_ports")
        words = ("count", "now", "out_bytes", "out_count")
        names = (*pointers, *outputs, *words)
        kinds = [*(POINTER for _ in (*pointers, *outputs)), *(WORD for _ in words)]
        function = ir.Function(self.module, ir.FunctionType(WORD, kinds), name)
        kind(self, function, dict(zip(names, function.args, strict=True))).write()


class _Batch:
    """A function over a batch. Stops before a packet whose copies might not fit in the output."""

    def __init__(self, code: ForwardingCode, function: ir.Function, arguments: dict[str, ir.Value]) -> None:
        self.code = code
        self.arguments = arguments
        self.body = Body(function, arguments["context"], arguments["vector"])
        self.expressions = Expressions(self.body, code.program, code.vector)
        self.at = self.body.variable(WORD, word(0))
        self.used = self.body.variable(WORD, word(0))
        self.departed = self.body.variable(WORD, word(0))
        self.time = self.body.variable(WORD, arguments["now"])
        self.arrival = self.body.variable(WORD, arguments["now"])
        """When the current packet came in, or left its queue, in microseconds."""
        self.done = self.body.block("done")
        self.recirculates = recirculates(code.program)

    def write(self) -> None:
        body, builder = self.body, self.body.builder
        self._set_now(self.arguments["now"])
        loop, arrival, packet, run = (body.block(name) for name in ("loop", "arrival", "packet", "run"))
        builder.branch(loop)
        builder.position_at_end(loop)
        ways: list[tuple[ir.Block, tuple[ir.Value, ...]]] = []
        if self.recirculates:
            waiting = body.block("waiting")
            count = body.load_word(self.code.context.waiting_count)
            builder.cbranch(builder.icmp_unsigned("!=", count, word(0)), waiting, arrival)
            builder.position_at_end(waiting)
            way = self._take_turn(loop)
            ways.append((builder.block, way))
            builder.branch(run)
        else:
            builder.branch(arrival)
        builder.position_at_end(arrival)
        at = builder.load(self.at, typ=WORD)
        builder.cbranch(builder.icmp_unsigned("<", at, self.arguments["count"]), packet, self.done)
        builder.position_at_end(packet)
        length = self._element("lengths", at, 4)
        self._stop_without_room(length)
        contents = body.at(self.arguments["data"], self._element("starts", at, 8))
        port = self._element("ports", at, 4)
        builder.store(self._element("arrivals", at, 8), self.arrival)
        builder.store(builder.add(at, word(1)), self.at)
        if self.recirculates:
            body.store(word(0), body.at(body.context, 8 * self.code.context.passes), 8)
        if self._begin(contents, length, port):
            ways.append((builder.block, (contents, length, port)))
            builder.branch(run)
        else:
            builder.branch(loop)
        builder.position_at_end(run)
        if ways:
            values = []
            for kind, ins in zip((POINTER, INT, INT), zip(*(way for _, way in ways), strict=True), strict=True):
                phi = builder.phi(kind)
                for (block, _), value in zip(ways, ins, strict=True):
                    phi.add_incoming(value, block)
                values.append(phi)
            self._run(*values)
        builder.branch(loop)
        builder.position_at_end(self.done)
        departed = body.at(body.context, 8 * self.code.context.departed)
        body.store(builder.load(self.departed, typ=WORD), departed, 8)
        builder.ret(builder.load(self.at, typ=WORD))

    def _begin(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> bool:
        """Writes the first steps for a packet of the batch. Returns whether the packet then goes to the parser."""
        raise NotImplementedError

    def _element(self, array: str, at: ir.Value, size: int) -> ir.Value:
        return self.body.load(self._pointer(array, at, size), size)

    def _pointer(self, array: str, at: ir.Value, size: int) -> ir.Value:
        return self.body.at(self.arguments[array], self.body.builder.mul(at, word(size)))

    def _stop_without_room(self, length: ir.Value) -> None:
        body, builder = self.body, self.body.builder
        copies = body.load_word(self.code.context.most_copies)
        growth = max(most_header_bytes(self.expressions), queued_packet_bytes(self.code.vector))
        largest = builder.add(body.resized(length, 64), word(growth))
        bytes_left = builder.sub(self.arguments["out_bytes"], builder.load(self.used, typ=WORD))
        count_left = builder.sub(self.arguments["out_count"], builder.load(self.departed, typ=WORD))
        wanted = builder.mul(copies, largest)
        room = builder.and_(
            builder.icmp_unsigned(">=", bytes_left, wanted),
            builder.icmp_unsigned(">=", count_left, copies),
        )
        if self.recirculates:
            body.store(wanted, body.at(body.context, 8 * self.code.context.wanted), 8)
        onward = body.block("room")
        builder.cbranch(room, onward, self.done)
        builder.position_at_end(onward)

    def _take_turn(self, loop: ir.Block) -> tuple[ir.Value, ...]:
        """Takes a packet from the ring. Sends a clone; prepares any other for the parser: contents, length, port."""
        body, builder, code = self.body, self.body.builder, self.code
        packet = code.ring.first(body)
        self._stop_without_room(packet.length)
        code.ring.take(body)
        if "clone_egress_pkt_to_egress" in code.program.operations:
            with body.when(builder.icmp_unsigned("==", packet.kind, integer(32, EGRESS_CLONE))):
                body.copy(body.vector, packet.source, code.vector.size, alignment=8)
                code.reset_metadata(body, packet.source, packet.fields, packet.kind)
                self._send_clones(body, packet.session, packet.contents, packet.length, packet.taken)
                builder.branch(loop)
        code.note(body, AGAIN, packet.kind)
        code.begin(body)
        body.store_place(packet.length, code.vector.length)
        code.reset_metadata(body, packet.source, packet.fields, packet.kind)
        set_field(self.expressions, code.program.standard("packet_length"), packet.length)
        return packet.contents, packet.length, packet.port

    def _run(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> None:
        """Runs a packet, from the parser on."""
        body, builder, code = self.body, self.body.builder, self.code
        taken = builder.call(code.parse, [body.context, body.vector, length, contents])
        builder.call(code.ingress, [body.context, body.vector, length])
        if not code.program.operations.isdisjoint(("clone_ingress_pkt_to_egress", "clone_egress_pkt_to_egress")):
            self._clone_arrived(contents, length, port)
        if "generate_digest" in code.program.operations:
            ActionCode(body, code.surroundings(body, length, None)).digest(self.expressions)
        routed = body.block("routed")
        if "resubmit" in code.program.operations:
            asked = body.load_place(code.vector.requests["resubmit"])
            with body.when(builder.icmp_unsigned("!=", asked, integer(32, 0))):
                code.note(body, "resubmitted")
                code.ring.wait(body, RESUBMITTED, contents, length, port, word(0), integer(32, 0), asked)
                builder.branch(routed)
        self._route(routed, contents, length, taken)

    def _clone_arrived(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> None:
        """Clones the packet as it arrived: parses it again, into a second vector."""
        body, builder, code = self.body, self.body.builder, self.code
        session = code.vector.requests["clone_session"]
        asked = body.load_place(session)
        with body.when(builder.icmp_unsigned("!=", asked, integer(32, 0)), likely=False):
            body.store_place(integer(32, 0), session)
            fields = body.load_place(code.vector.requests["clone_list"])
            clone = body.over(body.at(body.vector, code.vector.size))
            code.note(body, CLONING)
            code.begin(clone)
            clone.store_place(length, code.vector.length)
            set_field(Expressions(clone, code.program, code.vector), code.program.standard("ingress_port"), port)
            taken = builder.call(code.parse, [body.context, clone.vector, length, contents])
            code.reset_metadata(clone, body.vector, fields, integer(32, INGRESS_CLONE))
            number = builder.and_(asked, integer(32, CLONE - 1))
            self._send_clones(clone, number, contents, length, taken)

    def _send_clones(
        self, body: Body, session: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value
    ) -> None:
        """Sends copies to a clone session's replicas, truncated to its length."""
        code, builder = self.code, self.body.builder
        number = body.resized(session, 64)
        code.note(body, CLONED, number)
        entry = body.at(body.load_address(code.context.sessions), builder.mul(number, word(16)))
        limit = body.load(body.at(entry, 8), 4)
        none = builder.icmp_unsigned("==", limit, integer(32, 0))
        limit = builder.select(none, limit, builder.add(limit, integer(32, 1)))
        body.store_place(limit, code.vector.requests["truncation"])
        self._copies(body, entry, code.context.session_replicas, contents, length, taken)

    def _route(self, routed: ir.Block, contents: ir.Value, length: ir.Value, taken: ir.Value) -> None:
        """Replicates, sends or drops the packet; multicast takes precedence. Leaves the body at `routed`."""
        body, builder, code = self.body, self.body.builder, self.code
        kind = code.program.standard("instance_type")
        group_field = code.program.standard("mcast_grp", "intrinsic_metadata.mcast_grp")
        if group_field is not None:
            field = self.expressions.field(group_field)
            group = self.expressions.read(field, 64)
            with body.when(builder.icmp_unsigned("!=", group, word(0))):
                code.note(body, "multicast")
                self._replicate(group, contents, length, taken)
                builder.branch(routed)
        port_field = code.program.standard("egress_spec")
        if port_field is not None:
            field = self.expressions.field(port_field)
            port = self.expressions.read(field, 32)
            code.note(body, "unicast", port)
            with body.when(builder.icmp_unsigned("==", port, integer(32, code.drop_port))):
                code.note(body, "dropped in ingress")
                builder.branch(routed)
            if kind is not None and (self.recirculates or code.vector.place(kind) in code.ingress_written):
                set_field(self.expressions, kind, integer(32, ORDINARY))
            self._send(body, port, contents, length, taken)
        builder.branch(routed)
        builder.position_at_end(routed)

    def _replicate(self, group: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value) -> None:
        body, builder, code = self.body, self.body.builder, self.code
        set_field(self.expressions, code.program.standard("instance_type"), integer(32, REPLICATION))
        for place in code.vector.requests.values():
            body.store_place(integer(32, 0), place)
        entry = body.at(body.load_address(code.context.groups), builder.mul(group, word(8)))
        self._copies(body, entry, code.context.replicas, contents, length, taken)

    def _copies(
        self, body: Body, entry: ir.Value, array: int, contents: ir.Value, length: ir.Value, taken: ir.Value
    ) -> None:
        """Sends a copy of the packet in the body's vector to each replica. entry: the index of the first replica, and
        their number. array: the context word with the address of all replicas."""
        builder, code = self.body.builder, self.code
        first = body.resized(body.load(entry, 4), 64)
        count = body.resized(body.load(body.at(entry, 4), 4), 64)
        replicas = body.load_address(array)
        with body.when(builder.icmp_unsigned(">", count, word(1))):
            self._keep(body)
        loop, copy, end = (body.block(name) for name in ("replicate", "replica", "replicated"))
        before = builder.block
        builder.branch(loop)
        builder.position_at_end(loop)
        number = builder.phi(WORD)
        number.add_incoming(word(0), before)
        builder.cbranch(builder.icmp_unsigned("<", number, count), copy, end)
        builder.position_at_end(copy)
        with body.when(builder.icmp_unsigned("!=", number, word(0))):
            self._restore(body)
        replica = body.at(replicas, builder.mul(builder.add(first, number), word(8)))
        instance = code.program.standard("egress_rid", "intrinsic_metadata.egress_rid")
        expressions = Expressions(body, code.program, code.vector)
        set_field(expressions, instance, body.load(body.at(replica, 4), 4))
        port = body.load(replica, 4)
        code.note(body, COPIED, port)
        self._send(body, port, contents, length, taken)
        number.add_incoming(builder.add(number, word(1)), builder.block)
        builder.branch(loop)
        builder.position_at_end(end)

    def _keep(self, body: Body) -> None:
        for place, aside in _packed(self.code.written):
            body.copy(body.at(self.arguments["aside"], aside), body.at(body.vector, place.offset), place.size)

    def _restore(self, body: Body) -> None:
        for place, aside in _packed(self.code.written):
            body.copy(body.at(body.vector, place.offset), body.at(self.arguments["aside"], aside), place.size)

    def _send(self, body: Body, port: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value) -> None:
        """Queues the packet, or runs it through egress if the port has no queue. Drops one with an invalid priority."""
        code, builder = self.code, body.builder
        field = code.program.standard("priority", "intrinsic_metadata.priority")
        if field is None or code.vector.place(field) not in code.ingress_written:
            self._queue(body, port, word(0), contents, length, taken)
            return
        expressions = Expressions(body, code.program, code.vector)
        priority = expressions.read(expressions.field(field), 64)
        with body.when(builder.icmp_unsigned("<", priority, word(code.priority_queues)), likely=True):
            self._queue(body, port, priority, contents, length, taken)

    def _queue(
        self, body: Body, port: ir.Value, queue: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value
    ) -> None:
        builder = body.builder
        number = body.resized(builder.and_(port, integer(32, PORT_NUMBERS - 1)), 64)
        queued = body.load(body.at(body.load_address(self.code.context.queued), number), 1)
        with builder.if_else(builder.icmp_unsigned("!=", queued, integer(8, 0)), likely=False) as (wait, go):
            with wait:
                self._park(body, port, queue, contents, length, taken)
            with go:
                self._leave_queue(body, queue, self._now(), word(0), word(0), empty=True)
                self._depart(body, port, contents, length, taken)

    def _park(
        self, body: Body, port: ir.Value, queue: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value
    ) -> None:
        self.code.note(body, "queued", port)
        builder, size = body.builder, self.code.vector.size
        start = builder.and_(builder.add(builder.load(self.used, typ=WORD), word(7)), word(-8))
        record = body.at(self.arguments["out_data"], start)
        expected = self._expected(body, builder.sub(body.resized(length, 64), taken))
        for at, value in (
            (LENGTH, length),
            (TAKEN, taken),
            (QUEUE, queue),
            (ENQUEUED, builder.load(self.arrival, typ=WORD)),
            (EXPECTED, expected),
        ):
            body.store(value, body.at(record, 8 * at), 8)
        body.copy(body.at(record, 8 * WORDS), body.vector, size, alignment=8)
        body.copy(body.at(record, 8 * WORDS + size), contents, body.resized(length, 64))
        whole = builder.add(body.resized(length, 64), word(8 * WORDS + size))
        self._put_out(start, whole, port, queued=True)

    def _expected(self, body: Body, payload: ir.Value) -> ir.Value:
        """The size of the packet if it were written now, in bytes."""
        builder = body.builder
        expressions = Expressions(body, self.code.program, self.code.vector)
        total = payload
        for name in self.code.program.deparser:
            header = expressions.header(HeaderRef(name))
            size = body.resized(expressions.bytes_of(header), 64)
            total = builder.add(total, builder.select(expressions.valid(header), size, word(0)))
        return total

    def _now(self) -> ir.Value:
        """The time of the current packet, in microseconds."""
        return self.body.builder.load(self.time, typ=WORD)

    def _set_now(self, time: ir.Value) -> None:
        body = self.body
        body.builder.store(time, self.time)
        body.store(time, body.at(body.context, 8 * self.code.context.now), 8)

    def _leave_queue(
        self,
        body: Body,
        queue: ir.Value,
        enqueued: ir.Value,
        depth: ir.Value,
        left: ir.Value,
        *,
        empty: bool = False,
    ) -> None:
        """Sets the queueing metadata that egress reads. empty: the queue was empty, so zero fields stay."""
        code = self.code
        expressions = Expressions(body, code.program, code.vector)
        for name, value, zero in (
            ("enq_timestamp", enqueued, False),
            ("enq_qdepth", depth, empty),
            ("deq_timedelta", body.builder.sub(self._now(), enqueued), empty),
            ("deq_qdepth", left, empty),
            ("qid", queue, False),
        ):
            known = code.program.standard(name, f"queueing_metadata.{name}")
            if known is not None and not (zero and code.vector.place(known) not in code.before_egress):
                set_field(expressions, known, value)

    def _depart(self, body: Body, port: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value) -> ir.Value:
        """Runs egress and deparses. Returns the bytes written, or less than 0 if no packet leaves."""
        builder, code = body.builder, self.code
        used = builder.load(self.used, typ=WORD)
        target = body.at(self.arguments["out_data"], used)
        now = self._now()
        written = builder.call(code.depart, [body.context, body.vector, length, port, now, contents, taken, target])
        if "recirculate" in code.program.operations:
            # A recirculated packet stays in the output until the batch is over.
            with body.when(builder.icmp_signed("<", written, word(DROPPED))):
                builder.store(builder.add(used, builder.sub(word(DROPPED - 1), written)), self.used)
        with body.when(builder.icmp_signed(">", written, word(DROPPED))):
            code.note(body, "transmitted", written, port)
            self._put_out(used, written, port)
        return written

    def _put_out(self, start: ir.Value, size: ir.Value, port: ir.Value, *, queued: bool = False) -> None:
        """Adds the packet written at `start` to the output."""
        body, builder = self.body, self.body.builder
        departed = builder.load(self.departed, typ=WORD)
        length = builder.neg(size) if queued else size
        for array, value, width in (("out_starts", start, 8), ("out_lengths", length, 4), ("out_ports", port, 4)):
            body.store(value, self._pointer(array, departed, width), width)
        builder.store(builder.add(start, size), self.used)
        builder.store(builder.add(departed, word(1)), self.departed)


class _Arrivals(_Batch):
    """The function `process`, for packets from the wire."""

    def _begin(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> bool:
        body, code = self.body, self.code
        code.note(body, ARRIVED, port)
        code.begin(body)
        body.store_place(length, code.vector.length)
        standard = code.program.standard
        set_field(self.expressions, standard("ingress_port"), port)
        set_field(self.expressions, standard("packet_length"), length)
        set_field(self.expressions, code.program.arrival, body.builder.load(self.arrival, typ=WORD))
        return True


class _Departures(_Batch):
    """The function `resume`, for queued packets: egress and what follows, each at the time it leaves its queue."""

    def _begin(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> bool:
        words = [self.body.load(self.body.at(contents, 8 * at), 8) for at in range(WORDS)]
        self._set_now(words[GOES])
        self.body.builder.store(words[GOES], self.arrival)
        self.code.note(self.body, "continued", port)
        body = self.body.over(self.body.at(contents, 8 * WORDS))
        self._leave_queue(body, words[QUEUE], words[ENQUEUED], words[DEPTH], words[LEFT])
        packet = body.at(contents, 8 * WORDS + self.code.vector.size)
        written = self._depart(body, port, packet, body.resized(words[LENGTH], 32), words[TAKEN])
        body.store(written, body.at(contents, 8 * WRITTEN), 8)
        return False


def least(body: Body, one: ir.Value, other: ir.Value) -> ir.Value:
    """The smaller of two unsigned integers."""
    return body.builder.select(body.builder.icmp_unsigned("<", one, other), one, other)


def set_field(expressions: Expressions, target: FieldRef | None, value: ir.Value) -> None:
    """Sets a field of simple_switch, if the program has it."""
    if target is not None:
        field = expressions.field(target)
        expressions.write(field, expressions.body.resized(value, field.width))


def _packed(places: Iterable[Place]) -> list[tuple[Place, int]]:
    """Joins the places into few runs of bytes; yields each with its offset in the saved copy."""
    joined: list[Place] = []
    for place in sorted(places, key=lambda place: place.offset):
        if joined and place.offset <= joined[-1].offset + joined[-1].size + GAP:
            joined[-1] = joined[-1].joined(place)
        else:
            joined.append(place)
    offset, packed = 0, []
    for place in joined:
        packed.append((place, offset))
        offset += place.size
    return packed
