"""The way of a packet through the whole switch, as one native function over a batch.

    receive -> parse -> verify checksums -> ingress -> replicate or send
    each copy: egress -> update checksums -> deparse

The same fields and rules as simple_switch's. Copies share the packet vector: what egress may write is put aside before
the first copy and brought back before each further one, so that a packet that is not replicated copies nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from llvmlite import ir

from softswitch.actions import Surroundings
from softswitch.checksums import ChecksumCode
from softswitch.controls import ControlCode
from softswitch.deparsing import most_header_bytes, write_packet
from softswitch.emission import BIT, INT, POINTER, VOID, WORD, Body, integer, word
from softswitch.expressions import Expressions
from softswitch.layout import Context, PacketVector, Place
from softswitch.parsing import ParserCode
from softswitch.program import FieldRef, HeaderRef, Pipeline, Program

REPLICATION = 5
"""standard_metadata.instance_type of a copy that a multicast group made; 0 is an ordinary packet."""

DROPPED = -1

GAP = 16
"""Bytes that are cheaper to copy as well than to leave out."""


class ForwardingCode:
    """Writes the module. Its function `process` is described in engine.py, where it is called."""

    def __init__(self, program: Program, drop_port: int) -> None:
        self.program = program
        self.drop_port = drop_port
        self.vector = PacketVector(program)
        self.context = Context(program)
        self.module = ir.Module("softswitch")
        self.parse = self._parser()
        self.ingress, _ = self._control(program.ingress)
        self.egress, self.written = self._control(program.egress)
        self.depart = self._departure()
        self._process()

    def __str__(self) -> str:
        return str(self.module)

    # --- the stages, a function each: (context, vector, arrival's length, ...) ---

    def _stage(self, name: str, result: ir.Type, *more: ir.Type) -> Body:
        function = ir.Function(self.module, ir.FunctionType(result, [POINTER, POINTER, INT, *more]), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        function.attributes.add("nounwind")
        for argument in function.args:
            if argument.type == POINTER:
                argument.add_attribute("noalias")
        return Body(function, *function.args[:2])

    def _surroundings(self, body: Body, exiting: ir.Value | None) -> Surroundings:
        length = body.function.args[2]
        return Surroundings(self.program, self.vector, self.context, self.drop_port, length, exiting)

    def _parser(self) -> ir.Function:
        """(..., packet) -> bytes taken. Parses, and verifies the checksums."""
        body = self._stage("parse", WORD, POINTER)
        _, _, length, packet = body.function.args
        taken = ParserCode(body, self._surroundings(body, None), packet, length).write()
        expressions = Expressions(body, self.program, self.vector)
        wrong = ChecksumCode(expressions).verify(self.program.checksums)
        set_field(expressions, self.program.standard("checksum_error"), wrong)
        body.builder.ret(taken)
        return body.function

    def _control(self, pipeline: Pipeline) -> tuple[ir.Function, set[Place]]:
        """(...) -> nothing; and what it may write."""
        body = self._stage(pipeline.name, VOID)
        exiting = body.variable(BIT, integer(1, 0))
        ControlCode(body, self._surroundings(body, exiting), pipeline).write()
        body.builder.ret_void()
        return body.function, body.written

    def _departure(self) -> ir.Function:
        """(..., port, now, packet, bytes taken, target) -> bytes written there, or DROPPED. From egress to the wire."""
        body = self._stage("depart", WORD, INT, WORD, POINTER, WORD, POINTER)
        context, vector, length, port, now, packet, taken, target = body.function.args
        builder = body.builder
        expressions = Expressions(body, self.program, self.vector)
        egress_spec = self.program.standard("egress_spec")
        set_field(expressions, self.program.standard("egress_port"), port)
        # Neither a port nor what drops a packet.
        set_field(expressions, egress_spec, integer(32, self.drop_port + 1))
        set_field(expressions, self.program.standard("packet_length"), body.load_place(self.vector.length))
        for name, alias in (
            ("enq_timestamp", "queueing_metadata.enq_timestamp"),
            ("egress_global_timestamp", "intrinsic_metadata.egress_global_timestamp"),
        ):
            set_field(expressions, self.program.standard(name, alias), now)
        builder.call(self.egress, [context, vector, length])
        if egress_spec is not None:
            field = expressions.field(egress_spec)
            dropped = builder.icmp_unsigned(
                "==", expressions.read(field, field.width), integer(field.width, self.drop_port)
            )
            with body.when(dropped):
                builder.ret(word(DROPPED))
        ChecksumCode(expressions).update(self.program.checksums)
        payload_length = builder.sub(body.resized(length, 64), taken)
        written = write_packet(expressions, target, body.at(packet, taken), payload_length)
        builder.ret(written)
        self.written |= body.written
        return body.function

    # --- the batch ---

    def _process(self) -> None:
        pointers = ("context", "vector", "aside", "data", "starts", "lengths", "ports")
        outputs = ("out_data", "out_starts", "out_lengths", "out_ports")
        words = ("count", "now", "out_bytes", "out_count")
        names = (*pointers, *outputs, *words)
        kinds = [*(POINTER for _ in (*pointers, *outputs)), *(WORD for _ in words)]
        function = ir.Function(self.module, ir.FunctionType(WORD, kinds), "process")
        for argument, name in zip(function.args, names, strict=True):
            argument.name = name
        arguments = dict(zip(names, function.args, strict=True))
        _Batch(self, function, arguments).write()


class _Batch:
    """The function `process`: packet after packet, while there is certainly room for what becomes of the next one."""

    def __init__(self, code: ForwardingCode, function: ir.Function, arguments: dict[str, ir.Value]) -> None:
        self.code = code
        self.arguments = arguments
        self.body = Body(function, arguments["context"], arguments["vector"])
        self.expressions = Expressions(self.body, code.program, code.vector)
        self.at = self.body.variable(WORD, word(0))
        self.used = self.body.variable(WORD, word(0))
        self.departed = self.body.variable(WORD, word(0))
        self.done = self.body.block("done")

    def write(self) -> None:
        body, builder = self.body, self.body.builder
        loop, packet, following = (body.block(name) for name in ("loop", "packet", "following"))
        builder.branch(loop)
        builder.position_at_end(loop)
        at = builder.load(self.at, typ=WORD)
        builder.cbranch(builder.icmp_unsigned("<", at, self.arguments["count"]), packet, self.done)
        builder.position_at_end(packet)
        length = self._element("lengths", at, 4)
        self._stop_without_room(length)
        contents = body.at(self.arguments["data"], self._element("starts", at, 8))
        taken = self._receive(contents, length, self._element("ports", at, 4))
        self._route(contents, length, taken)
        builder.branch(following)
        builder.position_at_end(following)
        builder.store(builder.add(at, word(1)), self.at)
        builder.branch(loop)
        builder.position_at_end(self.done)
        departed = body.at(body.context, 8 * self.code.context.departed)
        body.store(builder.load(self.departed, typ=WORD), departed, 8)
        builder.ret(builder.load(self.at, typ=WORD))

    def _element(self, array: str, at: ir.Value, size: int) -> ir.Value:
        return self.body.load(self._pointer(array, at, size), size)

    def _pointer(self, array: str, at: ir.Value, size: int) -> ir.Value:
        return self.body.at(self.arguments[array], self.body.builder.mul(at, word(size)))

    def _stop_without_room(self, length: ir.Value) -> None:
        body, builder = self.body, self.body.builder
        copies = body.load_word(self.code.context.most_copies)
        largest = builder.add(body.resized(length, 64), word(most_header_bytes(self.expressions)))
        bytes_left = builder.sub(self.arguments["out_bytes"], builder.load(self.used, typ=WORD))
        count_left = builder.sub(self.arguments["out_count"], builder.load(self.departed, typ=WORD))
        room = builder.and_(
            builder.icmp_unsigned(">=", bytes_left, builder.mul(copies, largest)),
            builder.icmp_unsigned(">=", count_left, copies),
        )
        onward = body.block("room")
        builder.cbranch(room, onward, self.done)
        builder.position_at_end(onward)

    def _receive(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> ir.Value:
        """From the wire to the end of ingress; returns how many bytes the parser took."""
        body, builder, code = self.body, self.body.builder, self.code
        body.clear(body.vector, code.vector.size)
        body.store_place(length, code.vector.length)
        for header in code.program.headers.values():
            if header.metadata:
                self.expressions.set_valid(self.expressions.header(HeaderRef(header.name)), True)
        standard = code.program.standard
        set_field(self.expressions, standard("ingress_port"), port)
        set_field(self.expressions, standard("packet_length"), length)
        arrival = standard("ingress_global_timestamp", "intrinsic_metadata.ingress_global_timestamp")
        set_field(self.expressions, arrival, self.arguments["now"])
        taken = builder.call(code.parse, [body.context, body.vector, length, contents])
        builder.call(code.ingress, [body.context, body.vector, length])
        return taken

    def _route(self, contents: ir.Value, length: ir.Value, taken: ir.Value) -> None:
        """Multicast goes before unicast, and egress_spec may still say to drop."""
        body, builder, code = self.body, self.body.builder, self.code
        routed = body.block("routed")
        group_field = code.program.standard("mcast_grp", "intrinsic_metadata.mcast_grp")
        if group_field is not None:
            field = self.expressions.field(group_field)
            group = self.expressions.read(field, 64)
            with body.when(builder.icmp_unsigned("!=", group, word(0))):
                self._replicate(group, contents, length, taken)
                builder.branch(routed)
        port_field = code.program.standard("egress_spec")
        if port_field is not None:
            field = self.expressions.field(port_field)
            port = self.expressions.read(field, 32)
            with body.when(builder.icmp_unsigned("!=", port, integer(32, code.drop_port))):
                self._send(port, contents, length, taken)
        builder.branch(routed)
        builder.position_at_end(routed)

    def _replicate(self, group: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value) -> None:
        body, builder, code = self.body, self.body.builder, self.code
        set_field(self.expressions, code.program.standard("instance_type"), integer(32, REPLICATION))
        entry = body.at(body.load_address(code.context.groups), builder.mul(group, word(8)))
        first = body.resized(body.load(entry, 4), 64)
        count = body.resized(body.load(body.at(entry, 4), 4), 64)
        replicas = body.load_address(code.context.replicas)
        with body.when(builder.icmp_unsigned(">", count, word(1))):
            self._keep()
        loop, copy, end = (body.block(name) for name in ("replicate", "replica", "replicated"))
        before = builder.block
        builder.branch(loop)
        builder.position_at_end(loop)
        number = builder.phi(WORD)
        number.add_incoming(word(0), before)
        builder.cbranch(builder.icmp_unsigned("<", number, count), copy, end)
        builder.position_at_end(copy)
        with body.when(builder.icmp_unsigned("!=", number, word(0))):
            self._restore()
        replica = body.at(replicas, builder.mul(builder.add(first, number), word(8)))
        instance = code.program.standard("egress_rid", "intrinsic_metadata.egress_rid")
        set_field(self.expressions, instance, body.load(body.at(replica, 4), 4))
        self._send(body.load(replica, 4), contents, length, taken)
        number.add_incoming(builder.add(number, word(1)), builder.block)
        builder.branch(loop)
        builder.position_at_end(end)

    def _keep(self) -> None:
        for place, aside in _packed(self.code.written):
            self.body.copy(
                self.body.at(self.arguments["aside"], aside), self.body.at(self.body.vector, place.offset), place.size
            )

    def _restore(self) -> None:
        for place, aside in _packed(self.code.written):
            self.body.copy(
                self.body.at(self.body.vector, place.offset), self.body.at(self.arguments["aside"], aside), place.size
            )

    def _send(self, port: ir.Value, contents: ir.Value, length: ir.Value, taken: ir.Value) -> None:
        body, builder, code = self.body, self.body.builder, self.code
        used, departed = builder.load(self.used, typ=WORD), builder.load(self.departed, typ=WORD)
        target = body.at(self.arguments["out_data"], used)
        now = self.arguments["now"]
        written = builder.call(code.depart, [body.context, body.vector, length, port, now, contents, taken, target])
        with body.when(builder.icmp_signed("!=", written, word(DROPPED))):
            body.store(used, self._pointer("out_starts", departed, 8), 8)
            body.store(written, self._pointer("out_lengths", departed, 4), 4)
            body.store(port, self._pointer("out_ports", departed, 4), 4)
            builder.store(builder.add(used, written), self.used)
            builder.store(builder.add(departed, word(1)), self.departed)


def set_field(expressions: Expressions, target: FieldRef | None, value: ir.Value) -> None:
    """Sets a field that simple_switch sets, if the program has it."""
    if target is not None:
        field = expressions.field(target)
        expressions.write(field, expressions.body.resized(value, field.width))


def _packed(places: Iterable[Place]) -> list[tuple[Place, int]]:
    """The places joined into few runs of bytes, each with its offset among all of them."""
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
