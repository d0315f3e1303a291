"""Forged packets: modified observed packets, or random bytes."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from socket import inet_ntoa
from typing import Any, Self

import numpy as np
from scapy.layers import inet

from dropzero.protocol.packet import datagram_headers
from dropzero.protocol.wire import COLUMNS, HEADER, MAX_PAYLOAD, UDP_PORT, VERSION, Kind, payload_bytes

ETHERNET, IP, UDP = 14, 20, 8
OUTER = ETHERNET + IP + UDP
PROTOCOL_UDP = 17

Endpoint = tuple[bytes, bytes, int]
"""MAC address, IPv4 address, UDP port."""


@dataclass(frozen=True)
class Packet:
    """An observed packet: its endpoints and payload."""

    worker: Endpoint
    switch: Endpoint
    contribution: bool
    payload: bytes

    @classmethod
    def parse(cls, frame: bytes) -> Self | None:
        """Parse a frame, or the first packet of a GSO frame. Returns None if it belongs to no job."""
        if len(frame) < OUTER + HEADER.itemsize or frame[12:14] != b"\x08\x00" or frame[23] != PROTOCOL_UDP:
            return None
        source_port, port = struct.unpack_from(">HH", frame, ETHERNET + IP)
        source, destination = (frame[6:12], frame[26:30], source_port), (frame[0:6], frame[30:34], port)
        header = _header(frame[OUTER:])
        size = payload_bytes(int(header["columns_operation_width"]) >> 4, int(header["mask"]).bit_count())
        payload = frame[OUTER : OUTER + size]
        if port == UDP_PORT:
            return cls(source, destination, True, payload)
        if source_port == UDP_PORT:
            return cls(destination, source, False, payload)
        return None


class Forger:
    """Forges packets from observed ones. Secrets are guessed, unless the attacker knows them."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)

    def payload(self, real: Packet, *, knows_secret: bool = False) -> bytes:
        """Return a payload derived from a packet's: the same, truncated, with other bits or fields, or random.

        knows_secret: whether the secret may be right.
        """
        draw = self._draw
        way = draw.randrange(8)
        if way == 0:
            return draw.randbytes(draw.randrange(MAX_PAYLOAD + 200))
        made = bytearray(real.payload)
        if way == 1:
            made = (
                made[: draw.randrange(len(made))] if draw.random() < 0.5 else made + draw.randbytes(draw.randrange(99))
            )
        elif way == 2:
            for _ in range(draw.randrange(1, 16)):
                made[draw.randrange(len(made))] ^= 1 << draw.randrange(8)
        elif way == 3:
            # The right positions, with other numbers.
            for at in range(HEADER.itemsize, len(made)):
                made[at] = draw.randrange(256)
        elif way == 4:
            made = bytearray(self._answer(real))
        elif way in (5, 6):
            self._change_fields(made)
        # Variant 7: unchanged.
        if not knows_secret and len(made) >= HEADER.itemsize:
            _header(made)["secret"] = draw.getrandbits(32)
        return bytes(made)

    def _answer(self, real: Packet) -> bytes:
        """Return an answer of any kind that a switch may give for the same slot."""
        draw = self._draw
        made = bytearray(real.payload[: HEADER.itemsize])
        header, kind = _header(made), draw.choice(list(Kind))
        header["version_marked_congested_kind"] = VERSION << 5 | kind
        header["columns_operation_width"] &= 15
        header["mask"] = 0
        if kind in (Kind.MISSING, Kind.EPOCH, Kind.CONFLICT, Kind.WAITING):
            header["workers"] = draw.choice((1, 2, 3, draw.getrandbits(32)))
            if draw.random() < 0.5:
                header["epoch"] = draw.getrandbits(32)
            return bytes(made)
        columns, mask = draw.choice((1, 2, 4, 8)), draw.randrange(1 << COLUMNS)
        header["columns_operation_width"] |= columns << 4
        header["mask"], header["workers"] = mask, draw.choice((1, 2, 3))
        return bytes(made) + draw.randbytes(payload_bytes(columns, mask.bit_count()) - len(made))

    def _change_fields(self, made: bytearray) -> None:
        """Change some header fields, to nearby values, as in earlier and later packets, or to arbitrary ones."""
        draw, header = self._draw, _header(made)
        for name in draw.sample(HEADER.names or (), draw.randrange(1, 4)):
            now, bits = int(header[name]), 8 * HEADER[name].itemsize
            new = draw.choice((now + 1, now - 1, now ^ 1 << draw.randrange(bits), draw.getrandbits(bits), 0))
            header[name] = new % (1 << bits)

    def frame(self, real: Packet, own: Endpoint) -> bytes:
        """Return a frame in a packet's flow, from a host with the address `own` that usually claims another one."""
        draw = self._draw
        way = draw.randrange(6)
        if way == 0:
            return self._about(real)
        payload = self.payload(real)
        if way in (1, 2, 3):
            # From the switch to the worker.
            return datagram(real.switch, real.worker, payload)
        if way == 4:
            return datagram(real.worker, real.switch, payload)
        return datagram(own, draw.choice((real.switch, real.worker)), payload)

    def _about(self, real: Packet) -> bytes:
        """Return an ICMP error: the worker's packet was too long, or its port is unreachable."""
        draw = self._draw
        sent = datagram(real.worker, real.switch, real.payload)[ETHERNET:OUTER]
        code, mtu = draw.choice(((3, 0), (4, draw.choice((0, 68, 552, 1006, 1400)))))
        ip = inet.IP(src=inet_ntoa(real.switch[1]), dst=inet_ntoa(real.worker[1]))
        error = inet.ICMP(type="dest-unreach", code=code, nexthopmtu=mtu)
        return _ethernet(real.switch, real.worker) + bytes(ip / error / sent)


def _header(payload: bytes | bytearray) -> Any:
    """Return a payload's header, which can be changed if the payload can."""
    return np.frombuffer(payload, HEADER, 1)[0]


def datagram(source: Endpoint, destination: Endpoint, payload: bytes) -> bytes:
    """Return a UDP frame with that payload."""
    ips = [int.from_bytes(ip, "big") for _, ip, _ in (source, destination)]
    headers = datagram_headers(ips[0], ips[1], (source[2], destination[2]), len(payload), ecn=2)
    return _ethernet(source, destination) + headers + payload


def _ethernet(source: Endpoint, destination: Endpoint) -> bytes:
    return destination[0] + source[0] + b"\x08\x00"
