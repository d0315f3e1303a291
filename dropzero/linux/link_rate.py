"""The rate to which tc limits an interface."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

from dropzero.linux.netlink import (
    RTM_GETQDISC,
    RTM_GETTCLASS,
    TC_H_ROOT,
    TCA_KIND,
    TCA_OPTIONS,
    TCMSG,
    attributes,
    dump,
    rtnetlink,
)

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
