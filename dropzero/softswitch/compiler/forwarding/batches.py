"""Compiles a function over a batch of packets: each packet runs until it is in the output, queued or dropped."""

from __future__ import annotations

from llvmlite import ir

from dropzero.softswitch.compiler.forwarding.architecture import Architecture
from dropzero.softswitch.compiler.forwarding.queued_packets import (
    DEQUEUE_DEPTH,
    DEQUEUED,
    ENQUEUE_DEPTH,
    ENQUEUED,
    EXTRACTED,
    LENGTH,
    QUEUE,
    WORDS,
    WRITTEN,
)
from dropzero.softswitch.compiler.forwarding.recirculation import EGRESS_CLONE
from dropzero.softswitch.compiler.forwarding.traffic_manager import Packet, TrafficManager
from dropzero.softswitch.native.emission import INT, POINTER, WORD, Body, integer, word
from dropzero.softswitch.program.steps import AGAIN, ARRIVED

_POINTERS = ("context", "vector", "aside", "data", "starts", "lengths", "ports", "arrivals")
_OUTPUTS = ("out_data", "out_starts", "out_lengths", "out_ports")
_NUMBERS = ("count", "now", "out_bytes", "out_count")


class Batch:
    """Writes a function over a batch (see _BATCH in engine.py). It returns early, before a packet whose copies might
    not fit in the output."""

    def __init__(self, architecture: Architecture, name: str, priority_queues: int) -> None:
        """name: of the function. Packets with a priority of `priority_queues` or more are dropped."""
        kinds = [*(POINTER for _ in (*_POINTERS, *_OUTPUTS)), *(WORD for _ in _NUMBERS)]
        stages = architecture.stages
        function = ir.Function(stages.module, ir.FunctionType(WORD, kinds), name)
        self.architecture = architecture
        self.stages = stages
        self.arguments = dict(zip((*_POINTERS, *_OUTPUTS, *_NUMBERS), function.args, strict=True))
        self.body = Body(function, self.arguments["context"], self.arguments["vector"])
        self.at = self.body.variable(WORD, word(0))
        """The packets of the batch that have begun."""
        self.traffic = TrafficManager(architecture, self.body, self.arguments, priority_queues)
        self.done = self.body.block("done")
        self.recirculates = stages.program.recirculates

    def write(self) -> None:
        """Writes the loop: while packets wait in the ring, it runs the next of them, else the next of the batch."""
        body, builder = self.body, self.body.builder
        self.traffic.set_now(self.arguments["now"])
        loop, arrival, packet, run = (body.block(name) for name in ("loop", "arrival", "packet", "run"))
        builder.branch(loop)
        builder.position_at_end(loop)
        # Where the packets for the parser come from: a block, and (contents, length, port) there.
        sources: list[tuple[ir.Block, tuple[ir.Value, ...]]] = []
        if self.recirculates:
            waiting = body.block("waiting")
            count = body.load_word(self.stages.context.waiting_count)
            builder.cbranch(builder.icmp_unsigned("!=", count, word(0)), waiting, arrival)
            builder.position_at_end(waiting)
            recirculated = self._take_from_ring(loop)
            sources.append((builder.block, recirculated))
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
        builder.store(self._element("arrivals", at, 8), self.traffic.arrival)
        builder.store(builder.add(at, word(1)), self.at)
        if self.recirculates:
            body.store(word(0), body.at(body.context, 8 * self.stages.context.passes), 8)
        if self._begin(contents, length, port):
            sources.append((builder.block, (contents, length, port)))
            builder.branch(run)
        else:
            builder.branch(loop)
        builder.position_at_end(run)
        if sources:
            self.architecture.run(self.traffic, *_merged(builder, sources))
        builder.branch(loop)
        builder.position_at_end(self.done)
        departed = body.at(body.context, 8 * self.stages.context.departed)
        body.store(builder.load(self.traffic.departed, typ=WORD), departed, 8)
        builder.ret(builder.load(self.at, typ=WORD))

    def _begin(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> bool:
        """Writes the first steps for a packet of the batch. Returns whether the parser comes next."""
        raise NotImplementedError

    def _element(self, array: str, at: ir.Value, size: int) -> ir.Value:
        """Loads an element of `size` bytes of an array among the arguments."""
        return self.body.load(self.body.at(self.arguments[array], self.body.builder.mul(at, word(size))), size)

    def _stop_without_room(self, length: ir.Value) -> None:
        """Leaves the loop if a packet of `length` bytes and its copies might not fit in the output."""
        body, builder = self.body, self.body.builder
        needed, fits = self.traffic.needs(length)
        if self.recirculates:
            body.store(needed, body.at(body.context, 8 * self.stages.context.wanted), 8)
        onward = body.block("room")
        builder.cbranch(fits, onward, self.done)
        builder.position_at_end(onward)

    def _take_from_ring(self, loop: ir.Block) -> tuple[ir.Value, ...]:
        """Takes a packet from the ring. Sends it if it is a clone; else prepares it for the parser, and returns its
        contents, length and port."""
        body, builder, stages = self.body, self.body.builder, self.stages
        packet = stages.ring.first(body)
        self._stop_without_room(packet.length)
        stages.ring.remove(body)
        if self.architecture.clones_in_egress:
            with body.when(builder.icmp_unsigned("==", packet.kind, integer(32, EGRESS_CLONE))):
                self.architecture.send_egress_clone(self.traffic, packet)
                builder.branch(loop)
        stages.note(body, AGAIN, packet.kind)
        stages.clear_vector(body)
        return packet.contents, packet.length, self.architecture.prepare_again(body, packet)


class Arrivals(Batch):
    """The function `process`, for packets from the wire."""

    def _begin(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> bool:
        body, stages = self.body, self.stages
        stages.note(body, ARRIVED, port)
        stages.clear_vector(body)
        body.store_place(length, stages.vector.length)
        self.architecture.arrive(body, port, length, body.builder.load(self.traffic.arrival, typ=WORD))
        return True


class Departures(Batch):
    """The function `resume`, for queued packets: egress and all after it, each at the time it leaves its queue."""

    def _begin(self, contents: ir.Value, length: ir.Value, port: ir.Value) -> bool:
        traffic = self.traffic
        words = [self.body.load(self.body.at(contents, 8 * at), 8) for at in range(WORDS)]
        traffic.set_now(words[DEQUEUED])
        self.body.builder.store(words[DEQUEUED], traffic.arrival)
        self.stages.note(self.body, "continued", port)
        body = self.body.over(self.body.at(contents, 8 * WORDS))
        times, depths = (words[ENQUEUED], traffic.now()), (words[ENQUEUE_DEPTH], words[DEQUEUE_DEPTH])
        self.architecture.set_queueing_metadata(body, words[QUEUE], times, depths)
        packet = body.at(contents, 8 * WORDS + self.stages.vector.size)
        written = traffic.depart(body, port, Packet(packet, body.resized(words[LENGTH], 32), words[EXTRACTED]))
        body.store(written, body.at(contents, 8 * WRITTEN), 8)
        return False


def _merged(builder: ir.IRBuilder, sources: list[tuple[ir.Block, tuple[ir.Value, ...]]]) -> list[ir.Value]:
    """The contents, length and port, from whichever of the sources the code has come."""
    values = []
    for kind, incoming in zip((POINTER, INT, INT), zip(*(values for _, values in sources), strict=True), strict=True):
        phi = builder.phi(kind)
        for (block, _), value in zip(sources, incoming, strict=True):
            phi.add_incoming(value, block)
        values.append(phi)
    return values
