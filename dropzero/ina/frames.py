"""The hosts' places, and their UDP packets as Ethernet frames."""

from __future__ import annotations

from functools import cache
from ipaddress import IPv4Address

from dropzero.ina.protocol import Place
from dropzero.protocol.packet import datagram_headers
from dropzero.protocol.wire import OUTER_BYTES

SWITCH_IP, SWITCH_MAC = IPv4Address("10.0.0.254"), 0x0200000000FE


def place(number: int) -> Place:
    """Where a host is. number: from 0 on, workers first. As in a Rack."""
    return Place(number + 1, 0x080000000000 + number + 1, IPv4Address("10.0.0.0") + number + 1)


@cache
def _outer(source: Place, port: int, length: int) -> bytes:
    ethernet = SWITCH_MAC.to_bytes(6, "big") + source.mac.to_bytes(6, "big") + b"\x08\x00"
    return ethernet + datagram_headers(int(source.ip), int(SWITCH_IP), (port, port), length)


def framed(source: Place, port: int, payload: bytes) -> bytes:
    """The frame in which a host sends a UDP payload to the switch."""
    return _outer(source, port, len(payload)) + payload


def payload_of(frame: bytes, port: int) -> bytes | None:
    """The UDP payload of a frame to that UDP port; None: it is another packet."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 17 or int.from_bytes(frame[36:38], "big") != port:
        return None
    return frame[OUTER_BYTES : 34 + int.from_bytes(frame[38:40], "big")]
