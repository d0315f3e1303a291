"""PacketOut and PacketIn: a packet of the CPU port begins with a header from P4Info, whose fields are the message's
metadata, packed bit by bit in P4Info's order."""

from __future__ import annotations

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.p4info import Bits
from dropzero.softswitch.p4runtime.pipeline.refusal import SPACE, Refusal, invalid


def frame_of(message: p4runtime_pb2.PacketOut | p4runtime_pb2.PacketIn, header: tuple[Bits, ...]) -> bytes:
    """Encodes a message as a packet. Missing metadata is 0. Raises Refusal."""
    if message.metadata and not header:
        raise invalid("Unexpected metadata in PacketOut message")
    given = {metadata.metadata_id: metadata.value for metadata in message.metadata}
    if not given.keys() <= {field.id for field in header}:
        raise invalid("Unknown metadata id in PacketOut message")
    packed = 0
    for field in header:
        packed = packed << field.width | (field.decode(given[field.id]) if field.id in given else 0)
    width = sum(field.width for field in header)
    size = (width + 7) // 8
    return (packed << 8 * size - width).to_bytes(size, "big") + bytes(message.payload)


def error_of(request: p4runtime_pb2.StreamMessageRequest, refusal: Refusal) -> p4runtime_pb2.StreamMessageResponse:
    """Makes the stream message with the StreamError of a PacketOut that was not sent."""
    response = p4runtime_pb2.StreamMessageResponse()
    error = response.error
    error.canonical_code, error.message, error.space = refusal.code, str(refusal), SPACE
    match request.WhichOneof("update"):
        case "packet":
            error.packet_out.packet_out.CopyFrom(request.packet)
        case "digest_ack":
            error.digest_list_ack.digest_list_ack.CopyFrom(request.digest_ack)
        case "other":
            error.other.other.CopyFrom(request.other)
    return response


def message_of(packet: bytes, header: tuple[Bits, ...]) -> p4runtime_pb2.StreamMessageResponse | None:
    """Makes the stream message with a packet as PacketIn; None if the packet is shorter than the header."""
    size = (sum(field.width for field in header) + 7) // 8
    if len(packet) < size:
        return None
    response = p4runtime_pb2.StreamMessageResponse()
    response.packet.payload = packet[size:]
    packed, rest = int.from_bytes(packet[:size], "big"), 8 * size
    for field in header:
        rest -= field.width
        value = packed >> rest & (1 << field.width) - 1
        response.packet.metadata.add(metadata_id=field.id, value=field.encode(value))
    return response
