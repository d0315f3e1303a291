"""This host's address in its network."""

from __future__ import annotations

import fcntl
import socket
import struct
from array import array

_SIOCGIFCONF = 0x8912
_CONFIGURATION = struct.Struct("iP")
"""A struct ifconf: the size of an array of struct ifreqs in bytes, and its address."""
_INTERFACE, _MOST = 40, 64
"""Bytes of a struct ifreq on 64-bit Linux, and the most that are asked for."""


def own_ip() -> str:
    """The IPv4 address of the first interface that has one, except loopback.

    Raises:
        OSError: no interface has one.
    """
    found = array("B", bytes(_MOST * _INTERFACE))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asked = _CONFIGURATION.pack(len(found), found.buffer_info()[0])
        size, _ = _CONFIGURATION.unpack(fcntl.ioctl(asker, _SIOCGIFCONF, asked))
    for at in range(20, size, _INTERFACE):
        ip = socket.inet_ntoa(found[at : at + 4])
        if not ip.startswith("127."):
            return ip
    raise OSError("no interface has an IPv4 address: run workers on hosts of the emulated network")
