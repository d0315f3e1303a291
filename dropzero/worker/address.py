"""This host's address in its network."""

from __future__ import annotations

import fcntl
import socket
import struct

_SIOCGIFADDR = 0x8915


def own_ip() -> str:
    """The IPv4 address of the first interface that has one, except loopback.

    Raises:
        OSError: no interface has one.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(asker, _SIOCGIFADDR, struct.pack("256s", name.encode()))
            except OSError:  # an interface without an address
                continue
            ip = socket.inet_ntoa(answer[20:24])
            if not ip.startswith("127."):
                return ip
    raise OSError("no interface has an IPv4 address: run workers on hosts of the emulated network")
