"""The rate to which tc limits an interface."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

# Of <linux/netlink.h>, <linux/rtnetlink.h> and <linux/pkt_sched.h>.
REQUEST, DUMP = 1, 0x300
ERROR, DONE = 2, 3
GET_QDISC, GET_CLASS = 38, 42
ROOT = 0xFFFFFFFF
KIND, OPTIONS = 1, 2
PARAMETERS = 1
RATE_AT = 8
"""Where a rate is in struct tc_ratespec, with which the parameters begin: bytes per second, 32 bits."""
LIMITERS = {GET_CLASS: (b"htb\0", 6), GET_QDISC: (b"tbf\0", 4)}
"""What limits a rate, and the attribute with a rate of more than 32 bits."""
MESSAGE = struct.Struct("=IHHII")
TRAFFIC_CONTROL = struct.Struct("=BxxxiIII")
"""struct tcmsg: family, interface, handle, parent, info."""
_BYTES = 1 << 16


def link_rate(interface: str) -> int | None:
    """Returns bits per second: the rate of the one htb class at an interface's root, as Mininet's links have it, or of
    a tbf there. None if nothing, or something else, limits the rate. Raises OSError."""
    index = socket.if_nametoindex(interface)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
        rates = [rate for asked in LIMITERS for rate in _rates(netlink, asked, index)]
    return 8 * rates[0] if len(rates) == 1 else None


def _rates(netlink: socket.socket, asked: int, index: int) -> Iterator[int]:
    """The rates at the root, in bytes per second."""
    limiter, wide = LIMITERS[asked]
    size = MESSAGE.size + TRAFFIC_CONTROL.size
    netlink.send(MESSAGE.pack(size, asked, REQUEST | DUMP, 0, 0) + TRAFFIC_CONTROL.pack(0, index, 0, 0, 0))
    for content in _messages(netlink):
        _, of, _, parent, _ = TRAFFIC_CONTROL.unpack_from(content)
        attributes = dict(_attributes(content[TRAFFIC_CONTROL.size :]))
        if of == index and parent == ROOT and attributes.get(KIND) == limiter:
            options = dict(_attributes(attributes[OPTIONS]))
            (rate,) = struct.unpack_from("=I", options[PARAMETERS], RATE_AT)
            yield struct.unpack("=Q", options[wide])[0] if wide in options else rate


def _messages(netlink: socket.socket) -> Iterator[bytes]:
    """The contents of the messages that answer a request."""
    while True:
        received = netlink.recv(_BYTES)
        at = 0
        while at < len(received):
            length, kind, *_ = MESSAGE.unpack_from(received, at)
            if kind in (ERROR, DONE):
                return
            yield received[at + MESSAGE.size : at + length]
            at += length + 3 & ~3


def _attributes(content: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(content):
        length, kind = struct.unpack_from("=HH", content, at)
        if length < 4:
            return
        yield kind & 0x3FFF, content[at + 4 : at + length]
        at += length + 3 & ~3
