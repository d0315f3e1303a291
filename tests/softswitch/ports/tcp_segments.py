"""TCP segments as hosts and faulty networks send them, and how Linux splits a GSO packet into such ones."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from hypothesis.strategies import SearchStrategy, builds, integers, just, lists, one_of, sampled_from, tuples

FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
ETHERNET = bytes.fromhex("020000000002 020000000001 0800")
FIRST_SEQUENCE = (1 << 32) - 1500
TIMESTAMPS = [struct.pack("!BBBBII", 1, 1, 8, 10, value, 7) for value in (1, 2)]
"""The option in two segments that are sent at different times."""
NETWORK, TRANSPORT = 14, 34


@dataclass(frozen=True)
class Segment:
    """How a segment differs from the one before it in its flow. distance: from the end of that one, in bytes; negative:
    sent again. data_offset: the header's length that it claims, 0: the right one. padding: bytes after the packet.
    wrong: the offset of a byte that is not what its checksum says, 0: none."""

    port: int = 7
    payload: int = 100
    distance: int = 0
    flags: int = ACK
    options: bytes = b""
    acknowledgment: int = 5
    window: int = 500
    urgent: int = 0
    tos: int = 0
    ttl: int = 64
    fragment: int = 0x4000
    identification: int = 9
    data_offset: int = 0
    padding: int = 0
    wrong: int = 0


USUAL = Segment(options=TIMESTAMPS[0])
CHANGES: list[tuple[str, list[Any]]] = [
    ("port", [8]),
    ("payload", [1400, 99, 1, 0]),
    ("distance", [1, -100, 100]),
    ("flags", [ACK | PSH, ACK | FIN, ACK | ECE, ACK | CWR, ACK | PSH | CWR, ACK | URG, ACK | RST, SYN, 0]),
    ("options", [b"", TIMESTAMPS[1], bytes([1]) * 40]),
    ("acknowledgment", [6]),
    ("window", [501]),
    ("urgent", [1]),
    ("tos", [2, 3]),
    ("ttl", [63]),
    ("fragment", [0, 0x2000, 0x4001]),
    ("identification", [0, 65535]),
    ("data_offset", list(range(1, 16))),
    ("padding", [3]),
    ("wrong", [24, 50, 70]),
]
CHANGED = one_of(*(builds(partial(replace, USUAL), **{name: sampled_from(values)}) for name, values in CHANGES))
SEGMENTS: SearchStrategy[list[Segment]] = lists(
    # A change in one field at a time, repeated or not, among segments that can be joined.
    one_of(just([USUAL]), just([USUAL] * 5), tuples(CHANGED, integers(1, 4)).map(lambda each: [each[0]] * each[1])),
    min_size=1,
    max_size=40,
).map(lambda runs: [segment for run in runs for segment in run])


def checksum(*parts: bytes) -> int:
    """The Internet checksum of the parts, of which only the last may be odd."""
    whole = b"".join(parts)
    words: tuple[int, ...] = struct.unpack(f"!{(len(whole) + 1) // 2}H", whole + bytes(len(whole) % 2))
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ip_header(size: int, identification: int, tos: int, ttl: int, fragment: int, addresses: bytes) -> bytes:
    """An IPv4 header of a TCP packet of `size` bytes."""
    head = struct.pack("!BBHHHBB", 0x45, tos, size, identification, fragment, ttl, 6)
    return head + struct.pack("!H", checksum(head, addresses)) + addresses


def pseudo_header(addresses: bytes, size: int) -> bytes:
    return addresses + struct.pack("!HH", 6, size)


def packets_of(segments: Sequence[Segment]) -> list[bytes]:
    """The segments' Ethernet frames."""
    addresses = bytes((10, 0, 0, 1, 10, 0, 0, 2))
    sequences: dict[int, int] = {}
    packets = []
    for number, each in enumerate(segments):
        sequence = (sequences.get(each.port, FIRST_SEQUENCE) + each.distance) % (1 << 32)
        sequences[each.port] = (sequence + each.payload) % (1 << 32)
        offset = each.data_offset or 5 + len(each.options) // 4
        head = struct.pack(
            "!HHIIBBH", each.port, 9, sequence, each.acknowledgment, offset << 4, each.flags, each.window
        )
        tail = struct.pack("!H", each.urgent) + each.options + bytes((number + at) % 251 for at in range(each.payload))
        size = len(head) + 2 + len(tail)
        total = checksum(pseudo_header(addresses, size), head, tail)
        tcp = head + struct.pack("!H", total) + tail
        ip = ip_header(20 + size, each.identification, each.tos, each.ttl, each.fragment, addresses)
        packet = bytearray(ETHERNET + ip + tcp + bytes(each.padding))
        if each.wrong and each.wrong < len(packet):
            packet[each.wrong] ^= 0x5A
        packets.append(bytes(packet))
    return packets


def segments_of(packet: bytes, payload: int) -> list[bytes]:
    """What Linux makes of a TCP GSO packet (tcp_gso_segment, inet_gso_segment). payload: bytes of a segment's.

    Asserts that the packet's lengths, IP checksum and pseudo header's sum are right.
    """
    ip, tcp = packet[NETWORK:TRANSPORT], packet[TRANSPORT:]
    _, tos, size, identification, fragment, ttl, _ = struct.unpack("!BBHHHBB", ip[:10])
    addresses = ip[12:]
    assert size == len(packet) - NETWORK
    assert checksum(ip) == 0
    assert struct.unpack("!H", tcp[16:18])[0] == checksum(pseudo_header(addresses, len(tcp))) ^ 0xFFFF
    headers = 4 * (tcp[12] >> 4)
    data, (sequence,) = tcp[headers:], struct.unpack("!I", tcp[4:8])
    made = []
    for number, at in enumerate(range(0, len(data), payload)):
        own, flags = data[at : at + payload], tcp[13]
        if number:
            flags &= ~CWR
        if at + payload < len(data):
            flags &= ~(FIN | PSH)
        head = tcp[:4] + struct.pack("!I", (sequence + at) % (1 << 32)) + tcp[8:13] + bytes((flags,)) + tcp[14:16]
        tail = tcp[18:headers] + own
        total = checksum(pseudo_header(addresses, headers + len(own)), head, tail)
        own_ip = ip_header(20 + headers + len(own), (identification + number) % 65536, tos, ttl, fragment, addresses)
        made.append(packet[:NETWORK] + own_ip + head + struct.pack("!H", total) + tail)
    return made


def without_identification(packet: bytes) -> bytes:
    """A packet without what may change on its way if it must not be fragmented (RFC 6864, 4.1)."""
    ip = packet[NETWORK:TRANSPORT]
    if ip[6:8] != b"\x40\0":
        return packet
    return packet[: NETWORK + 4] + bytes(2) + packet[NETWORK + 6 : NETWORK + 10] + bytes(2) + packet[NETWORK + 12 :]
