"""Trains: UDP packets of one flow and one size that Linux hands over, and takes, in one piece with one header (generic
segmentation offload). Taking them apart, and joining packets to trains, a call of native code a batch.

In front of what it hands over the kernel puts a struct virtio_net_hdr, which says what is left to do: to cut it up, to
fill in a checksum.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dropzero.softswitch.native.module import NativeModule, load_cached

OFFLOAD = np.dtype(
    [("flags", "u1"), ("kind", "u1"), ("headers", "u2"), ("size", "u2"), ("summed", "u2"), ("checksum", "u2")]
)
"""struct virtio_net_hdr. size: of each packet's payload. summed: where what is summed up begins; checksum: how far
behind that the checksum is."""
NEEDS_CHECKSUM = 1
WHOLE, UDP_TRAIN = 0, 5
"""Kinds. Others are TCP's."""

AUXILIARY = np.dtype(
    {
        "names": ["status", "vlan_tci", "vlan_tpid"],
        "formats": ["u4", "u2", "u2"],
        # A cmsghdr of 16 bytes, then struct tpacket_auxdata.
        "offsets": [16, 32, 34],
        "itemsize": 40,
    }
)
VLAN_VALID = 1 << 4
TAG = 4

MOST_ARRIVING = 128
MOST_DEPARTING = 64
"""Packets in a train: what Linux' UDP makes at most, and what it takes whatever its version."""
LONGEST = 65535
"""Bytes of an IP packet, and so of a train's IP and UDP headers and all payloads."""
IP, UDP, PAYLOAD = 14, 34, 42
"""Where they begin in a packet that can be part of a train: IPv4 without options."""
HEAD = OFFLOAD.itemsize + PAYLOAD


class Trains:
    """The compiled functions.

    arrive(memory, count, room, offloads, auxiliaries, messages, origins, starts, lengths, ports, packets) -> packets
        makes packets of `count` messages that packet sockets received. Their bytes lie TAG bytes into each `room` bytes
        of memory; offloads, auxiliaries: what came beside them; origins: the port of each. starts, lengths, ports: get
        the packets' offsets in memory, bytes, and ports. packets: gets how many each message became, 0 for a train of
        a kind that is not taken apart here. The messages can be received into again.
    depart(data, starts, lengths, ports, count, port, joining, heads, vectors, messages, packets) -> messages
        makes messages of those packets that are for one port, in their order, and of those that follow each other
        trains, if `joining`. heads: HEAD bytes, vectors: 2, messages, packets: 1 for each packet. packets: gets how
        many packets each message is.
    """

    def __init__(self) -> None:
        address, number = ctypes.c_void_p, ctypes.c_int64
        self._module = _compiled()
        self.arrive = self.function("arrive", address, number, number, *[address] * 8)
        self.depart = self.function("depart", *[address] * 4, *[number] * 3, *[address] * 4)

    def function(self, name: str, *arguments: Any) -> Callable[..., int]:
        """A compiled function of the module; see fast_path.py for another one."""
        return ctypes.CFUNCTYPE(ctypes.c_int64, *arguments)(self._module.address(name))


@cache
def _compiled() -> NativeModule:
    def assembly() -> str:
        from dropzero.softswitch.ports.fast_path_code import RelayCode
        from dropzero.softswitch.ports.gso_code import TrainCode

        return str(RelayCode(TrainCode()))

    return load_cached("ports", assembly)
