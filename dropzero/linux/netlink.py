"""Asks the kernel through rtnetlink (RFC 3549): the rates of links, what interfaces have sent, and when they change."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import NamedTuple

from dropzero.linux.namespace import inside

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


# <linux/pkt_sched.h>
TCA_HTB_PARMS, TCA_HTB_RATE64 = 1, 6
TCA_TBF_PARMS, TCA_TBF_RATE64 = 1, 4
RATE_OFFSET = 8
"""Offset of the rate (bytes per second, 32 bits) in struct tc_ratespec, the first field of struct tc_htb_opt and
tc_tbf_qopt."""

LIMITERS = {
    RTM_GETTCLASS: (b"htb\0", TCA_HTB_PARMS, TCA_HTB_RATE64),
    RTM_GETQDISC: (b"tbf\0", TCA_TBF_PARMS, TCA_TBF_RATE64),
}
"""By request: the kind that limits a rate, and its attributes with the parameters and with a rate above 32 bits."""


def link_rate(interface: str) -> int | None:
    """Finds the rate of an interface's link.

    Returns:
        Bits per second: the rate of the only htb class at the interface's root, as on Mininet's links, or of a tbf
        there. None if nothing or something else limits the rate.

    Raises:
        OSError: there is no such interface, or the kernel refuses to list its queueing disciplines.
    """
    index = socket.if_nametoindex(interface)
    with rtnetlink() as netlink:
        rates = [rate for request in LIMITERS for rate in _root_rates(netlink, request, index)]
    return 8 * rates[0] if len(rates) == 1 else None


def _root_rates(netlink: socket.socket, request: int, interface: int) -> Iterator[int]:
    """The rates at an interface's root, in bytes per second."""
    limiter, parameters, rate64 = LIMITERS[request]
    for _, body in dump(netlink, request, TCMSG.pack(0, interface, 0, 0, 0)):
        _, index, _, parent, _ = TCMSG.unpack_from(body)
        found = dict(attributes(body[TCMSG.size :]))
        if index == interface and parent == TC_H_ROOT and found.get(TCA_KIND) == limiter:
            options = dict(attributes(found[TCA_OPTIONS]))
            if rate64 in options:
                (rate,) = struct.unpack("=Q", options[rate64])
            else:
                (rate,) = struct.unpack_from("=I", options[parameters], RATE_OFFSET)
            yield rate


# <linux/gen_stats.h>
TCA_STATS_BASIC, TCA_STATS_QUEUE = 1, 3
GNET_STATS_BASIC = struct.Struct("=QI")
"""bytes, packets."""
GNET_STATS_QUEUE = struct.Struct("=III")
"""The first fields: queue length, backlog, drops."""


class Sent(NamedTuple):
    """What an interface has sent and dropped since it was made.

    packets: packets that left
    bytes:   their bytes, Ethernet headers included
    dropped: packets that found the queue full
    """

    packets: int
    bytes: int
    dropped: int


class SentCounters:
    """The counters of all interfaces in one network namespace, read from their queueing disciplines through rtnetlink.

    Unlike the interfaces' own counters, these count a UDP GSO packet as the packets that it has on the wire.
    """

    def __init__(self, pid: int | None = None) -> None:
        """Opens a socket in a namespace.

        Args:
            pid: a process in the namespace; None for this process's own namespace.

        Raises:
            OSError: there is no such process, or the namespace may not be entered.
        """
        with nullcontext() if pid is None else inside(pid):
            self._names = dict(socket.if_nameindex())
            self._netlink = rtnetlink()

    def read(self) -> dict[str, Sent]:
        """Returns the counters by interface name. Raises OSError."""
        found = {}
        for kind, body in dump(self._netlink, RTM_GETQDISC, TCMSG.pack(socket.AF_UNSPEC, 0, 0, 0, 0)):
            if kind != RTM_NEWQDISC:
                continue
            _, index, _, parent, _ = TCMSG.unpack_from(body)
            if parent == TC_H_ROOT and index in self._names:
                found[self._names[index]] = _sent(body[TCMSG.size :])
        return found

    def close(self) -> None:
        self._netlink.close()


def _sent(data: bytes) -> Sent:
    """The counters among a queueing discipline's attributes."""
    statistics = dict(attributes(dict(attributes(data)).get(TCA_STATS2, b"")))
    size, packets = GNET_STATS_BASIC.unpack_from(statistics.get(TCA_STATS_BASIC, bytes(GNET_STATS_BASIC.size)))
    _, _, dropped = GNET_STATS_QUEUE.unpack_from(statistics.get(TCA_STATS_QUEUE, bytes(GNET_STATS_QUEUE.size)))
    return Sent(packets, size, dropped)


RTMGRP_LINK = 1


class LinkEvents:
    """Listens to rtnetlink in the current network namespace; wait for it with `select` or `epoll`."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
        self._socket.bind((0, RTMGRP_LINK))

    def fileno(self) -> int:
        """Readable from the first event until drain()."""
        return self._socket.fileno()

    def drain(self) -> None:
        """Discards the events so far. Events may be lost, so check the interfaces instead."""
        # Also ENOBUFS, when events are lost.
        with suppress(OSError):
            while self._socket.recv(_BYTES):
                pass

    def close(self) -> None:
        self._socket.close()
