"""The scapy layer: `Ether(...)/IP(...)/UDP(...)/Dropzero(...)` builds and dissects packets."""

from __future__ import annotations

from scapy.fields import (
    BitEnumField,
    BitField,
    BitFieldLenField,
    ByteField,
    FieldListField,
    FlagsField,
    IntField,
    PacketListField,
    ShortField,
    SignedIntField,
)
from scapy.layers.inet import UDP
from scapy.packet import Packet, bind_layers

from dropzero.protocol.wire import COLUMNS, ELEMENTS, PACKET_ELEMENTS, UDP_PORT, VERSION, Kind, Operation, Width


class DropzeroColumn(Packet):
    """`column_h`: the descriptor of one column of blocks."""

    name = "DropzeroColumn"
    fields_desc = [IntField("block", 0), IntField("next", 0), ByteField("exponent", 0)]  # noqa: RUF012

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes]:
        return b"", s


class Dropzero(Packet):
    """`dropzero_h`, its column descriptors, and the words of all data columns."""

    name = "Dropzero"
    fields_desc = [  # noqa: RUF012
        BitField("version", VERSION, 3),
        BitField("marked", 0, 1),
        BitField("congested", 0, 1),
        BitEnumField("kind", 0, 3, {int(kind): kind.name.lower() for kind in Kind}),
        FlagsField("mask", 0, 8, [f"column{column}" for column in range(COLUMNS)]),
        BitFieldLenField("columns", None, 4, count_of="column"),
        BitEnumField("operation", 0, 2, {int(operation): operation.name.lower() for operation in Operation}),
        BitEnumField("width", 0, 2, {int(width): str(width.bits) for width in Width}),
        BitField("declines", 0, 1),
        BitField("worker", 0, 7),
        ShortField("job", 0),
        ShortField("lane", 0),
        IntField("epoch", 0),
        IntField("round", 0),
        FlagsField("workers", 0, 32, [f"worker{worker}" for worker in range(32)]),
        IntField("secret", 0),
        PacketListField("column", [], DropzeroColumn, count_from=lambda packet: packet.columns),
        FieldListField(
            "data",
            [],
            SignedIntField("", 0),
            count_from=lambda packet: int(packet.mask).bit_count() * ELEMENTS,
            max_count=PACKET_ELEMENTS,
        ),
    ]


bind_layers(UDP, Dropzero, dport=UDP_PORT)
bind_layers(UDP, Dropzero, sport=UDP_PORT)
