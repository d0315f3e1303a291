"""Lists the kernel's networking objects through rtnetlink (RFC 3549)."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator

# <linux/netlink.h>
NLM_F_REQUEST, NLM_F_DUMP = 0x1, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLMSGHDR = struct.Struct("=IHHII")
"""length, type, flags, sequence number, port."""
NLATTR = struct.Struct("=HH")
"""length, type."""
NLA_TYPE_MASK = 0x3FFF
"""Without the two highest bits of an attribute's type, which are flags."""

# <linux/rtnetlink.h>
RTM_NEWQDISC, RTM_GETQDISC, RTM_GETTCLASS = 36, 38, 42
TCMSG = struct.Struct("=BxxxiIII")
"""family, interface index, handle, parent, info."""
TCA_KIND, TCA_OPTIONS, TCA_STATS2 = 1, 2, 7

TC_H_ROOT = 0xFFFFFFFF
"""<linux/pkt_sched.h>: the parent of an interface's root queueing discipline and of its classes."""

_BYTES = 1 << 16


def rtnetlink() -> socket.socket:
    """Opens a socket, which stays in this thread's network namespace. Raises OSError."""
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)


def dump(netlink: socket.socket, request: int, body: bytes) -> Iterator[tuple[int, bytes]]:
    """Requests a list of objects.

    Args:
        request: the message type, as RTM_GETQDISC.
        body: the message after its nlmsghdr, as a TCMSG.

    Yields:
        Each answer's message type and body.

    Raises:
        OSError: the kernel refuses the request.
    """
    netlink.send(NLMSGHDR.pack(NLMSGHDR.size + len(body), request, NLM_F_REQUEST | NLM_F_DUMP, 0, 0) + body)
    while True:
        data = netlink.recv(_BYTES)
        while data:
            length, kind, *_ = NLMSGHDR.unpack_from(data)
            if kind == NLMSG_DONE:
                return
            answer = data[NLMSGHDR.size : length]
            if kind == NLMSG_ERROR:
                error = -int.from_bytes(answer[:4], "little", signed=True)
                raise OSError(error, os.strerror(error))
            yield kind, answer
            data = data[_aligned(length) :]


def attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields each attribute's type, without flags, and its value."""
    while len(data) >= NLATTR.size:
        length, kind = NLATTR.unpack_from(data)
        if length < NLATTR.size:
            return
        yield kind & NLA_TYPE_MASK, data[NLATTR.size : length]
        data = data[_aligned(length) :]


def _aligned(length: int) -> int:
    return -(-length // 4) * 4
