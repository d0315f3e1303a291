"""Packets that pass through the switch again (resubmitted, recirculated, cloned from egress), as native code.

They wait in a ring of slots. A slot holds a few words and the packet vector of the original packet.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from dropzero.softswitch.native.emission import INT, POINTER, VOID, WORD, Body, word
from dropzero.softswitch.program.model import Program
from dropzero.softswitch.state.layout import Context, PacketVector

RING_SLOTS = 64
"""Capacity of the ring, in packets; more are dropped."""

MAX_PASSES = 1024
"""Limit on further passes caused by one arriving packet, its clones included. More are dropped, so that the switch
cannot hang."""

KIND, CONTENTS, LENGTH, PORT, TAKEN, SESSION, FIELDS, SLOT_WORDS = range(8)
"""Words of a slot, before the vector. contents: an address. taken: bytes that a clone's parser extracted. fields: the
number of a field list."""

EGRESS_CLONE, RECIRCULATED, RESUBMITTED = 2, 4, 6
"""Kinds; the same numbers as standard_metadata.instance_type."""

AGAIN = ("clone_egress_pkt_to_egress", "recirculate", "resubmit")


def recirculates(program: Program) -> bool:
    """Whether the program can make a packet pass more than once."""
    return not program.operations.isdisjoint(AGAIN)


def ring_slot_bytes(vector: PacketVector) -> int:
    return 8 * SLOT_WORDS + vector.size


@dataclass(frozen=True)
class RecirculatedPacket:
    """The contents of a slot. source: the packet vector."""

    kind: ir.Value
    contents: ir.Value
    length: ir.Value
    port: ir.Value
    taken: ir.Value
    session: ir.Value
    fields: ir.Value
    source: ir.Value


class RecirculationRing:
    """Writes the code that puts packets into the ring and takes them out."""

    def __init__(self, module: ir.Module, vector: PacketVector) -> None:
        self.module = module
        self.vector = vector

    def wait(
        self,
        body: Body,
        kind: int,
        contents: ir.Value,
        length: ir.Value,
        port: ir.Value,
        taken: ir.Value,
        session: ir.Value,
        fields: ir.Value,
    ) -> None:
        """Puts a packet and a copy of the body's vector into the ring, or drops it when the ring is full."""
        arguments = [body.context, body.vector, word(kind), contents, length, port, taken, session, fields]
        body.builder.call(self._waiting(), arguments)

    def first(self, body: Body) -> RecirculatedPacket:
        """The next packet. Its slot stays intact until the ring wraps around."""
        slot = self._slot(body, body.load_word(Context.waiting_first))
        read = {name: body.load(body.at(slot, 8 * at), 8) for at, name in enumerate(_NAMES) if at != CONTENTS}
        contents = body.builder.load(body.at(slot, 8 * CONTENTS), align=8, typ=POINTER)
        narrow = {name: body.resized(read[name], 32) for name in ("kind", "length", "port", "session", "fields")}
        return RecirculatedPacket(
            contents=contents, taken=read["taken"], source=body.at(slot, 8 * SLOT_WORDS), **narrow
        )

    def take(self, body: Body) -> None:
        """Removes the next packet."""
        builder = body.builder
        following = builder.and_(builder.add(body.load_word(Context.waiting_first), word(1)), word(RING_SLOTS - 1))
        body.store(following, body.at(body.context, 8 * Context.waiting_first), 8)
        left = builder.sub(body.load_word(Context.waiting_count), word(1))
        body.store(left, body.at(body.context, 8 * Context.waiting_count), 8)

    def _slot(self, body: Body, number: ir.Value) -> ir.Value:
        offset = body.builder.mul(number, word(ring_slot_bytes(self.vector)))
        return body.at(body.load_address(Context.waiting), offset)

    def _waiting(self) -> ir.Function:
        known = self.module.globals.get("wait")
        if known is not None:
            return known
        kinds = [POINTER, POINTER, WORD, POINTER, INT, INT, WORD, INT, INT]
        function = ir.Function(self.module, ir.FunctionType(VOID, kinds), "wait")
        function.linkage = "internal"
        body = Body(function, *function.args[:2])
        builder = body.builder
        kind, contents, length, port, taken, session, fields = function.args[2:]
        count, passes = body.load_word(Context.waiting_count), body.load_word(Context.passes)
        room = builder.and_(
            builder.icmp_unsigned("<", count, word(RING_SLOTS)), builder.icmp_unsigned("<", passes, word(MAX_PASSES))
        )
        with body.when(room, likely=True):
            last = builder.add(body.load_word(Context.waiting_first), count)
            slot = self._slot(body, builder.and_(last, word(RING_SLOTS - 1)))
            builder.store(contents, body.at(slot, 8 * CONTENTS), align=8)
            for at, value in (
                (KIND, kind),
                (LENGTH, length),
                (PORT, port),
                (TAKEN, taken),
                (SESSION, session),
                (FIELDS, fields),
            ):
                body.store(value, body.at(slot, 8 * at), 8)
            body.copy(body.at(slot, 8 * SLOT_WORDS), body.vector, self.vector.size, alignment=8)
            for position, value in ((Context.waiting_count, count), (Context.passes, passes)):
                body.store(builder.add(value, word(1)), body.at(body.context, 8 * position), 8)
        builder.ret_void()
        return function


_NAMES = ("kind", "contents", "length", "port", "taken", "session", "fields")
