"""Compiles the traffic manager, between ingress and egress: replication, queues, and the way from egress to the output.

Copies share the packet vector. The places that egress may write are saved before the first copy, and restored before
each further one, so a packet that is not replicated copies nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from llvmlite import ir

from dropzero.softswitch.compiler.forwarding.architecture import Architecture
from dropzero.softswitch.compiler.forwarding.queued_packets import (
    DROPPED,
    ENQUEUED,
    EXPECTED,
    EXTRACTED,
    LENGTH,
    QUEUE,
    WORDS,
    growth,
)
from dropzero.softswitch.native.emission import WORD, Body, integer, repeat, word
from dropzero.softswitch.program.steps import CLONED, COPIED
from dropzero.softswitch.state.layout import PORT_NUMBERS, Place

GAP = 16
"""Copying a gap of up to this many bytes is cheaper than skipping it."""


@dataclass(frozen=True)
class Packet:
    """A parsed packet. contents: a pointer to its bytes. length: bytes, i32. extracted: bytes extracted, i64."""

    contents: ir.Value
    length: ir.Value
    extracted: ir.Value


class TrafficManager:
    """Writes code into a function over a batch that sends parsed packets to their ports.

    `body` arguments have the packet's vector: the batch's own, or that of a clone.
    """

    def __init__(
        self, architecture: Architecture, body: Body, arguments: dict[str, ir.Value], priority_queues: int
    ) -> None:
        """body, arguments: of the function. Packets with a priority of `priority_queues` or more are dropped."""
        self.architecture = architecture
        self.stages = architecture.stages
        self.arguments = arguments
        self.priority_queues = priority_queues
        self.body = body
        self.used = body.variable(WORD, word(0))
        """The bytes of the output in use."""
        self.departed = body.variable(WORD, word(0))
        """The packets in the output."""
        self.time = body.variable(WORD, arguments["now"])
        """The time of the current packet, in microseconds."""
        self.arrival = body.variable(WORD, arguments["now"])
        """When the current packet arrived, or left its queue, in microseconds."""

    def now(self) -> ir.Value:
        """The time of the current packet, in microseconds."""
        return self.body.builder.load(self.time, typ=WORD)

    def set_now(self, time: ir.Value) -> None:
        self.body.builder.store(time, self.time)
        self.body.store(time, self.body.at(self.body.context, 8 * self.stages.context.now), 8)

    def needs(self, length: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The bytes that a packet of `length` bytes and its copies may need in the output, and whether there is room
        for them."""
        body, builder, context = self.body, self.body.builder, self.stages.context
        copies = body.load_word(context.most_copies)
        largest = builder.add(body.resized(length, 64), word(growth(self.stages.program, self.stages.vector)))
        bytes_left = builder.sub(self.arguments["out_bytes"], builder.load(self.used, typ=WORD))
        count_left = builder.sub(self.arguments["out_count"], builder.load(self.departed, typ=WORD))
        needed = builder.mul(copies, largest)
        fits = builder.and_(
            builder.icmp_unsigned(">=", bytes_left, needed),
            builder.icmp_unsigned(">=", count_left, copies),
        )
        return needed, fits

    # --- replication ---

    def replicate(self, group: ir.Value, packet: Packet) -> None:
        """Sends a copy of the packet to each replica of a multicast group."""
        body, builder, stages = self.body, self.body.builder, self.stages
        entry = body.at(body.load_address(stages.context.groups), builder.mul(group, word(8)))
        self._copy(body, entry, stages.context.replicas, packet)

    def clone(self, body: Body, session: ir.Value, packet: Packet) -> None:
        """Sends a copy of the packet to each replica of a clone session, truncated to the session's length."""
        stages, builder = self.stages, self.body.builder
        number = body.resized(session, 64)
        stages.note(body, CLONED, number)
        entry = body.at(body.load_address(stages.context.sessions), builder.mul(number, word(16)))
        limit = body.load(body.at(entry, 8), 4)
        packet = self.architecture.truncated_clone(body, packet, limit)
        self._copy(body, entry, stages.context.session_replicas, packet)

    def _copy(self, body: Body, entry: ir.Value, array: int, packet: Packet) -> None:
        """Sends a copy of the packet to each replica.

        entry: a pointer to the index of the first replica, and their number. array: the context word with the address
        of all replicas.
        """
        builder, stages = self.body.builder, self.stages
        first = body.resized(body.load(entry, 4), 64)
        count = body.resized(body.load(body.at(entry, 4), 4), 64)
        replicas = body.load_address(array)
        with body.when(builder.icmp_unsigned(">", count, word(1))):
            self._save(body)

        def replicate(number: ir.Value) -> tuple[ir.Value]:
            with body.when(builder.icmp_unsigned("!=", number, word(0))):
                self._restore(body)
            replica = body.at(replicas, builder.mul(builder.add(first, number), word(8)))
            self.architecture.set_instance(body, body.load(body.at(replica, 4), 4))
            port = body.load(replica, 4)
            stages.note(body, COPIED, port)
            self.send(body, port, packet)
            return (builder.add(number, word(1)),)

        repeat(builder, (word(0),), lambda number: builder.icmp_unsigned("<", number, count), replicate)

    def _save(self, body: Body) -> None:
        for place, saved in _packed(self.architecture.written):
            body.copy(body.at(self.arguments["aside"], saved), body.at(body.vector, place.offset), place.size)

    def _restore(self, body: Body) -> None:
        for place, saved in _packed(self.architecture.written):
            body.copy(body.at(body.vector, place.offset), body.at(self.arguments["aside"], saved), place.size)

    # --- queues ---

    def send(self, body: Body, port: ir.Value, packet: Packet) -> None:
        """Queues the packet, or runs it through egress if the port has no queues. Drops it if its priority has no
        queue."""
        priority = self.architecture.priority(body)
        if priority is None:
            self._send_by_queue(body, port, word(0), packet)
            return
        with body.when(body.builder.icmp_unsigned("<", priority, word(self.priority_queues)), likely=True):
            self._send_by_queue(body, port, priority, packet)

    def _send_by_queue(self, body: Body, port: ir.Value, queue: ir.Value, packet: Packet) -> None:
        builder = body.builder
        number = body.resized(builder.and_(port, integer(32, PORT_NUMBERS - 1)), 64)
        queued = body.load(body.at(body.load_address(self.stages.context.queued), number), 1)
        with builder.if_else(builder.icmp_unsigned("!=", queued, integer(8, 0)), likely=False) as (wait, go):
            with wait:
                self._enqueue(body, port, queue, packet)
            with go:
                now = self.now()
                self.architecture.set_queueing_metadata(body, queue, (now, self.now()), (word(0), word(0)), empty=True)
                self.depart(body, port, packet)

    def _enqueue(self, body: Body, port: ir.Value, queue: ir.Value, packet: Packet) -> None:
        """Adds the packet to the output as a queued packet (queued_packets.py)."""
        self.stages.note(body, "queued", port)
        builder, size = body.builder, self.stages.vector.size
        start = builder.and_(builder.add(builder.load(self.used, typ=WORD), word(7)), word(-8))
        record = body.at(self.arguments["out_data"], start)
        expected = self.architecture.expected_bytes(body, packet)
        for at, value in (
            (LENGTH, packet.length),
            (EXTRACTED, packet.extracted),
            (QUEUE, queue),
            (ENQUEUED, builder.load(self.arrival, typ=WORD)),
            (EXPECTED, expected),
        ):
            body.store(value, body.at(record, 8 * at), 8)
        body.copy(body.at(record, 8 * WORDS), body.vector, size, alignment=8)
        body.copy(body.at(record, 8 * WORDS + size), packet.contents, body.resized(packet.length, 64))
        whole = builder.add(body.resized(packet.length, 64), word(8 * WORDS + size))
        self._add_to_output(start, whole, port, queued=True)

    # --- output ---

    def depart(self, body: Body, port: ir.Value, packet: Packet) -> ir.Value:
        """Runs the packet through egress, and adds it to the output. Returns the bytes written, i64, or a negative
        number if no packet leaves (see WRITTEN in queued_packets.py)."""
        builder, stages = body.builder, self.stages
        target = self.end()
        now = self.now()
        written = builder.call(
            self.architecture.depart,
            [body.context, body.vector, packet.length, port, now, packet.contents, packet.extracted, target],
        )
        if stages.program.recirculates:
            # A recirculated packet stays in the output until the batch is over.
            with body.when(builder.icmp_signed("<", written, word(DROPPED))):
                self.keep(builder.sub(word(DROPPED - 1), written))
        with body.when(builder.icmp_signed(">", written, word(DROPPED))):
            stages.note(body, "transmitted", written, port)
            self._add_to_output(builder.load(self.used, typ=WORD), written, port)
        return written

    def end(self) -> ir.Value:
        """A pointer to the output's unused memory."""
        return self.body.at(self.arguments["out_data"], self.body.builder.load(self.used, typ=WORD))

    def keep(self, size: ir.Value) -> None:
        """Keeps what is written at the end until the batch is over. size: bytes, i64."""
        builder = self.body.builder
        builder.store(builder.add(builder.load(self.used, typ=WORD), size), self.used)

    def _add_to_output(self, start: ir.Value, size: ir.Value, port: ir.Value, *, queued: bool = False) -> None:
        """Adds the packet written at `start` to the output."""
        body, builder = self.body, self.body.builder
        departed = builder.load(self.departed, typ=WORD)
        length = builder.neg(size) if queued else size
        for array, value, width in (("out_starts", start, 8), ("out_lengths", length, 4), ("out_ports", port, 4)):
            body.store(value, body.at(self.arguments[array], builder.mul(departed, word(width))), width)
        builder.store(builder.add(start, size), self.used)
        builder.store(builder.add(departed, word(1)), self.departed)


def _packed(places: Iterable[Place]) -> list[tuple[Place, int]]:
    """Joins places into runs of bytes, each with its offset in the saved copy."""
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
