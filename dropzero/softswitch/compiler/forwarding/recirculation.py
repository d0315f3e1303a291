"""Compiles the ring in which packets wait for another pass through the switch: resubmitted packets, recirculated ones,
and clones from egress.

A slot of the ring holds a few words, and the packet vector of the original packet.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from dropzero.softswitch.native.emission import INT, POINTER, VOID, WORD, Body, word
from dropzero.softswitch.state.layout import Context, PacketVector

RING_SLOTS = 64
"""The capacity of the ring, in packets. Drops packets that do not fit."""

MAX_PASSES = 1024
"""Limit on the further passes that one arriving packet causes, including its clones. Further ones are dropped, so that
the switch cannot hang."""

KIND, CONTENTS, LENGTH, PORT, EXTRACTED, SESSION, FIELDS, SLOT_WORDS = range(8)
"""Words of a slot, before the vector. contents: the address of the packet. extracted: the bytes of a clone that the
parser extracted. session: a clone's session. fields: the number of a field list."""

EGRESS_CLONE, RECIRCULATED, RESUBMITTED = 2, 4, 6
"""Kinds of packets; the same numbers as in standard_metadata.instance_type."""


def ring_slot_bytes(vector: PacketVector) -> int:
    return 8 * SLOT_WORDS + vector.size


@dataclass(frozen=True)
class RecirculatedPacket:
    """A packet in the ring: the words of its slot, narrowed. source: a pointer to the packet vector."""

    kind: ir.Value
    contents: ir.Value
    length: ir.Value
    port: ir.Value
    extracted: ir.Value
    session: ir.Value
    fields: ir.Value
    source: ir.Value


class RecirculationRing:
    """Writes the code that adds packets to the ring, and removes them."""

    def __init__(self, module: ir.Module, vector: PacketVector) -> None:
        self.module = module
        self.vector = vector

    def add(
        self,
        body: Body,
        kind: int,
        contents: ir.Value,
        length: ir.Value,
        port: ir.Value,
        extracted: ir.Value,
        session: ir.Value,
        fields: ir.Value,
    ) -> None:
        """Adds a packet and a copy of the body's vector, or drops it if the ring is full. The arguments are the words
        of a slot."""
        arguments = [body.context, body.vector, word(kind), contents, length, port, extracted, session, fields]
        body.builder.call(self._add(), arguments)

    def first(self, body: Body) -> RecirculatedPacket:
        """Reads the next packet. Its slot stays intact until the ring wraps around."""
        slot = self._slot(body, body.load_word(Context.waiting_first))
        read = {name: body.load(body.at(slot, 8 * at), 8) for at, name in enumerate(_NAMES) if at != CONTENTS}
        contents = body.builder.load(body.at(slot, 8 * CONTENTS), align=8, typ=POINTER)
        narrow = {name: body.resized(read[name], 32) for name in ("kind", "length", "port", "session", "fields")}
        return RecirculatedPacket(
            contents=contents, extracted=read["extracted"], source=body.at(slot, 8 * SLOT_WORDS), **narrow
        )

    def remove(self, body: Body) -> None:
        """Removes the next packet."""
        builder = body.builder
        following = builder.and_(builder.add(body.load_word(Context.waiting_first), word(1)), word(RING_SLOTS - 1))
        body.store(following, body.at(body.context, 8 * Context.waiting_first), 8)
        left = builder.sub(body.load_word(Context.waiting_count), word(1))
        body.store(left, body.at(body.context, 8 * Context.waiting_count), 8)

    def _slot(self, body: Body, number: ir.Value) -> ir.Value:
        offset = body.builder.mul(number, word(ring_slot_bytes(self.vector)))
        return body.at(body.load_address(Context.waiting), offset)

    def _add(self) -> ir.Function:
        """The module's function for add()."""
        known = self.module.globals.get("recirculation.add")
        if known is not None:
            return known
        kinds = [POINTER, POINTER, WORD, POINTER, INT, INT, WORD, INT, INT]
        function = ir.Function(self.module, ir.FunctionType(VOID, kinds), "recirculation.add")
        function.linkage = "internal"
        body = Body(function, *function.args[:2])
        builder = body.builder
        kind, contents, length, port, extracted, session, fields = function.args[2:]
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
                (EXTRACTED, extracted),
                (SESSION, session),
                (FIELDS, fields),
            ):
                body.store(value, body.at(slot, 8 * at), 8)
            body.copy(body.at(slot, 8 * SLOT_WORDS), body.vector, self.vector.size, alignment=8)
            for position, value in ((Context.waiting_count, count), (Context.passes, passes)):
                body.store(builder.add(value, word(1)), body.at(body.context, 8 * position), 8)
        builder.ret_void()
        return function


_NAMES = ("kind", "contents", "length", "port", "extracted", "session", "fields")
