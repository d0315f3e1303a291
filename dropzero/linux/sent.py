"""Counts what network interfaces have sent."""

from __future__ import annotations

import socket
import struct
from contextlib import nullcontext
from typing import NamedTuple

from dropzero.linux.namespace import inside
from dropzero.linux.netlink import (
    RTM_GETQDISC,
    RTM_NEWQDISC,
    TC_H_ROOT,
    TCA_STATS2,
    TCMSG,
    attributes,
    dump,
    rtnetlink,
)

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
