"""Frames for captures."""

from __future__ import annotations

from functools import cache

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether


def udp_frame(
    payload: bytes, *, source: str = "127.0.0.1", destination: str = "127.0.0.1", ports: tuple[int, int], tos: int = 0
) -> bytes:
    """A UDP packet in an Ethernet frame, without a checksum over the payload. ports: of the source and the
    destination."""
    return _headers(source, destination, ports, tos, len(payload)) + payload


@cache
def _headers(source: str, destination: str, ports: tuple[int, int], tos: int, length: int) -> bytes:
    """Scapy takes a millisecond for a packet, and a call has thousands of packets with few different headers."""
    udp = UDP(sport=ports[0], dport=ports[1], chksum=0)
    return bytes(Ether() / IP(src=source, dst=destination, tos=tos) / udp / bytes(length))[:-length]
