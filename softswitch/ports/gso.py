"""Generic segmentation offload: Linux hands over, and takes, UDP or TCP packets of one flow and size as one large
packet with one header. Native code splits such GSO packets into segments, and joins those of UDP over IPv4 to GSO
packets, a batch a call.

The kernel puts a struct virtio_net_hdr before each packet that says what is left to do: to split it, or to fill in a
checksum.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from dropzero.softswitch.native.module import NativeModule, assembly_of, load_cached

VNET_HEADER = np.dtype(
    [("flags", "u1"), ("kind", "u1"), ("headers", "u2"), ("size", "u2"), ("summed", "u2"), ("checksum", "u2")]
)
"""struct virtio_net_hdr. kind: gso_type. headers: hdr_len. size: gso_size, bytes of a segment's payload. summed:
csum_start. checksum: csum_offset."""
NEEDS_CHECKSUM = 1
GSO_NONE, GSO_TCPV4, GSO_TCPV6, GSO_UDP, GSO_ECN = 0, 1, 4, 5, 0x80
"""VIRTIO_NET_HDR_GSO_NONE, _TCPV4, _TCPV6, _UDP_L4, and a flag of TCP's, _ECN."""

AUXDATA = np.dtype(
    {
        "names": ["status", "vlan_tci", "vlan_tpid", "kind", "seconds", "nanoseconds"],
        "formats": ["u4", "u2", "u2", "i4", "i8", "i8"],
        # A cmsghdr of 16 bytes, then struct timespec; another one, then struct tpacket_auxdata.
        "offsets": [48, 64, 66, 12, 16, 24],
        "itemsize": 72,
    }
)
"""What the kernel delivers beside a message: when it arrived, by CLOCK_REALTIME, and its tag. kind: that of the first
part, SO_TIMESTAMPNS. Without a timestamp, the second part comes first."""
SO_TIMESTAMPNS = 35
TIMESTAMP_BYTES = 32
VLAN_VALID = 1 << 4
TAG = 4

MAX_SEGMENTS_IN = 128
MAX_SEGMENTS_OUT = 64
"""Segments in a GSO packet: what Linux makes at most, and what all its versions take."""
MAX_IP_BYTES = 65535
"""Bytes of an IP packet, and so of a GSO packet's IP and UDP headers and all payloads."""
IP, UDP, PAYLOAD = 14, 34, 42
"""Offsets in a packet that can be a segment: IPv4 without options."""
HEAD_BYTES = VNET_HEADER.itemsize + PAYLOAD

CODE = "dropzero.softswitch.ports.fast_path_code"
"""The module of this code, and of the loop that calls it."""
WRITTEN = Path(__file__).with_name("fast_path.ll")
"""Its assembly. `python -m dropzero.softswitch.ports.fast_path_code` writes it."""
SOURCES = [Path(__file__).with_name(f"{name}.py") for name in ("fast_path_code", "gso_code", "gso", "words")]


class Gso:
    """The compiled functions; each gets the address of WORDS (words.py) first.

    arrive(words, count) -> packets
        makes packets of `count` messages that packet sockets received. Their bytes lie TAG bytes into each `slot` bytes
        of memory; offloads, auxiliaries: what came beside them; origins: the port of each. starts, lengths,
        arrived_ports, arrivals: get the packets' offsets in memory, bytes, ports, and arrivals in microseconds of the
        switch's time, until `time`. packets: gets how many each message became, 0 for a GSO packet that is not split
        here. The messages can be received into again.
    depart(words, data, starts, lengths, ports, count, port) -> messages
        makes messages, `sent`, of the packets for one port, in their order; if `joining`, neighbours become GSO
        packets. heads: HEAD_BYTES bytes, content: 2 vectors, sent, packets: 1 for each packet. packets: gets how many
        packets each message is.
    fast_path(words) -> why it returned
        see fast_path.py.
    """

    def __init__(self) -> None:
        """Takes seconds where they are not in the cache.

        Raises:
            UnsupportedProgram: they cannot be compiled.
        """
        self._module = _compiled()
        self.arrive = self._function("arrive", 2)
        self.depart = self._function("depart", 7)
        self.fast_path = self._function("fast_path", 1)

    def _function(self, name: str, arguments: int) -> Callable[..., int]:
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)
        return kind(self._module.address(name))


@cache
def _compiled() -> NativeModule:
    return load_cached("ports", lambda: assembly_of(CODE, WRITTEN, SOURCES))
