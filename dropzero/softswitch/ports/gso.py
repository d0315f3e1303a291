"""Generic segmentation offload (GSO): Linux delivers, and takes, UDP or TCP packets of one flow and size as one large
packet with one header. Native code (gso_code.py) splits received GSO packets into segments, and coalesces UDP and TCP
packets over IPv4 to send, a batch per call.

A struct virtio_net_hdr before each packet says what remains to be done: to split it, or to fill in a checksum.
"""

from __future__ import annotations

import numpy as np

VNET_HEADER = np.dtype(
    [
        ("flags", "u1"),
        ("gso_type", "u1"),
        ("hdr_len", "u2"),
        ("gso_size", "u2"),
        ("csum_start", "u2"),
        ("csum_offset", "u2"),
    ]
)
"""struct virtio_net_hdr. gso_size: bytes of a segment's payload. csum_offset: from csum_start."""
NEEDS_CHECKSUM = 1
"""VIRTIO_NET_HDR_F_NEEDS_CSUM."""
GSO_NONE, GSO_TCPV4, GSO_TCPV6, GSO_UDP, GSO_ECN = 0, 1, 4, 5, 0x80
"""VIRTIO_NET_HDR_GSO_NONE, _TCPV4, _TCPV6, _UDP_L4; and _ECN, a flag of TCP's."""
SENDS_UDP, SENDS_TCP = 1 << GSO_UDP, 1 << GSO_TCPV4
"""The bits of SHARED's `coalesce`: the kinds of GSO packets that ports send."""

AUXDATA = np.dtype(
    {
        "names": ["status", "vlan_tci", "vlan_tpid", "cmsg_type", "seconds", "nanoseconds"],
        "formats": ["u4", "u2", "u2", "i4", "i8", "i8"],
        # A cmsghdr of 16 bytes, then struct timespec; another cmsghdr, then struct tpacket_auxdata.
        "offsets": [48, 64, 66, 12, 16, 24],
        "itemsize": 72,
    }
)
"""The control messages of a received message: its arrival by CLOCK_REALTIME (SO_TIMESTAMPNS), and the VLAN tag that the
kernel removed (PACKET_AUXDATA). cmsg_type: of the first one. Without a timestamp, the second one takes its place."""
SO_TIMESTAMPNS = 35
TIMESTAMP_BYTES = 32
VLAN_VALID = 1 << 4
TAG_BYTES = 4

MAX_SEGMENTS_IN = 128
"""The most segments in a GSO packet that Linux makes."""
MAX_SEGMENTS_OUT = 64
"""The most segments in a GSO packet that all versions of Linux take."""
MAX_IP_BYTES = 65535
"""The most bytes of an IP packet, and so of a GSO packet without its Ethernet header."""
IP_OFFSET, UDP_OFFSET, PAYLOAD_OFFSET = 14, 34, 42
"""Offsets in a UDP packet over IPv4 without IP options or tags. Such packets are coalesced, and TCP's, whose header
begins at UDP_OFFSET, too."""
MAX_TCP_BYTES = 60
"""The most bytes of a TCP header."""
HEADER_BYTES = VNET_HEADER.itemsize + UDP_OFFSET + MAX_TCP_BYTES
"""Room for the virtio_net_hdr and the headers of a GSO packet to send."""
