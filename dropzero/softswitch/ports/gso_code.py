"""The native code that splits GSO packets and coalesces packets into them (gso.py)."""

from __future__ import annotations

import socket
from typing import Any

import numpy as np

from dropzero.linux.abi import IOVEC, MESSAGE
from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import memmove
from dropzero.native.memory import array_at, int64, struct_at
from dropzero.softswitch.ports.gso import (
    AUXDATA,
    GSO_ECN,
    GSO_NONE,
    GSO_TCPV4,
    GSO_TCPV6,
    GSO_UDP,
    HEADER_BYTES,
    IP_OFFSET,
    MAX_IP_BYTES,
    MAX_SEGMENTS_IN,
    MAX_SEGMENTS_OUT,
    NEEDS_CHECKSUM,
    PAYLOAD_OFFSET,
    SENDS_TCP,
    SENDS_UDP,
    SO_TIMESTAMPNS,
    TAG_BYTES,
    TIMESTAMP_BYTES,
    UDP_OFFSET,
    VLAN_VALID,
    VNET_HEADER,
)
from dropzero.softswitch.ports.shared import SHARED

HEADERS = np.dtype(
    {
        "names": [
            *("ethernet", "ethernet_end", "ethertype", "version", "ip_bytes", "identification", "fragment", "ttl"),
            *("protocol", "ip_checksum", "addresses", "ports", "udp_bytes", "udp_checksum"),
        ],
        "formats": ["u8", "u8", "u2", "u1", "u2", "u2", "u2", "u1", "u1", "u2", "u8", "u4", "u2", "u2"],
        "offsets": [0, 8, 12, 14, 16, 18, 20, 22, 23, 24, 26, 34, 38, 40],
        "itemsize": PAYLOAD_OFFSET,
    }
)
"""The headers of a UDP packet over IPv4 without options or tags, in network order. ethernet, ethernet_end: the first 16
bytes, up to IP's first two. version: with the header length. fragment: flags and offset. addresses, ports: source and
destination."""
TCP = np.dtype(
    {
        "names": ["sequence", "acknowledgment", "data_offset", "flags", "window", "checksum", "urgent"],
        "formats": ["u4", "u4", "u1", "u1", "u2", "u2", "u2"],
        "offsets": [38, 42, 46, 47, 48, 50, 52],
    }
)
"""The TCP header in such a packet. data_offset: its length, and reserved bits."""
TAG = np.dtype({"names": ["tpid", "tci"], "formats": ["u2", "u2"], "offsets": [12, 14]})
"""A packet's first VLAN tag, in network order."""
LONG, SHORT, BYTE = (np.dtype([("value", kind)]) for kind in ("u4", "u2", "u1"))

# In network order.
IPV4, IPV6 = 0x0008, 0xDD86
TPIDS = 0x0081, 0xA888
"""The EtherTypes of tags: IEEE 802.1Q's C-tag and S-tag."""
DONT_FRAGMENT = 0x0040
"""IPv4's flags and offset of a packet that must not be fragmented, and so may have any identification (RFC 6864,
4.1)."""
VERSION, PROTOCOL_TCP, PROTOCOL_UDP = 0x45, 6, 17

IP_BYTES, IPV6_BYTES, UDP_BYTES, TCP_BYTES = 20, 40, 8, 20
"""The sizes of headers without options."""
UDP_CHECKSUM, TCP_CHECKSUM = 6, 16
"""The offsets of the checksum in these headers."""
TCP_FIRST, TCP_LAST = 0x80, 0x09
"""The flags that only the first segment keeps (CWR), and only the last (FIN and PSH)."""
TCP_ALONE = 0x80 | 0x20 | 0x04 | 0x02
"""The flags of segments that are sent alone: CWR, URG, RST and SYN. Linux's GRO joins none with the last three, and CWR
is rare: once in a window."""

MSG_TRUNC = int(socket.MSG_TRUNC)

_VNET_BYTES, _AUXDATA_BYTES, _VECTOR_BYTES = VNET_HEADER.itemsize, AUXDATA.itemsize, IOVEC.itemsize


@compiled
def split(at: int, count: int) -> int:
    """Turns `count` received messages into packets. Returns how many these are. at: address of a SHARED.

    Each message lies TAG_BYTES after the beginning of its slot, so that the tag that the kernel removed can be inserted
    again. Fills in starts (from `slots`), lengths, ingress_ports, arrivals (microseconds of the switch's time, at most
    `now`), and packet_counts: 0 for a truncated message, or a GSO packet that cannot be split. Prepares the messages to
    receive into again.
    """
    shared = struct_at(at, SHARED, 0)
    packet_counts, message_ports = array_at(shared.packet_counts, np.int32), array_at(shared.message_ports, np.int32)
    packets = (
        array_at(shared.starts, np.int64),
        array_at(shared.lengths, np.int32),
        array_at(shared.ingress_ports, np.int32),
        array_at(shared.arrivals, np.int64),
    )
    slots, slot_bytes = shared.slots, shared.slot_bytes
    vnet_headers, auxdata, messages = shared.vnet_headers, shared.auxdata, shared.messages_in
    made = 0
    for number in range(count):
        message, offload = struct_at(messages, MESSAGE, number), struct_at(vnet_headers, VNET_HEADER, number)
        control = struct_at(auxdata, AUXDATA, number)
        arrival = shared.now - shared.begin
        if control.cmsg_type == SO_TIMESTAMPNS:
            # The clock of the timestamp may have been set since.
            stamp = control.seconds * 10**9 + control.nanoseconds - shared.realtime_begin
            arrival = max(0, min(arrival, stamp))
        else:
            control = struct_at(auxdata + number * _AUXDATA_BYTES - TIMESTAMP_BYTES, AUXDATA, 0)
        microseconds = arrival // 1000
        start = number * slot_bytes + TAG_BYTES
        size, transport = int64(message.length) - _VNET_BYTES, int64(offload.csum_start)
        if control.status & VLAN_VALID:
            start, size, transport = start - TAG_BYTES, size + TAG_BYTES, transport + TAG_BYTES
            _insert_tag(slots + start, control)
        packet = slots + start
        segments = 0
        whole = not message.flags & MSG_TRUNC
        if whole and offload.gso_type == GSO_NONE:
            _complete_checksum(packet, size, transport, offload)
            _put_packet(packets, made, start, size, message_ports[number], microseconds)
            segments = 1
        elif whole and offload.flags & NEEDS_CHECKSUM:
            network, headers = _network_offset(packet, transport), _header_bytes(packet, size, transport, offload)
            payload = int64(offload.gso_size)
            segments = _segment_count(size, network, headers, payload, (number + 1) * slot_bytes - start)
            _split_in_place(packet, size, network, transport, headers, payload, segments)
            for segment in range(segments):
                offset = start + segment * (headers + payload)
                length = min(headers + payload, size - segment * payload)
                _put_packet(packets, made + segment, offset, length, message_ports[number], microseconds)
        packet_counts[number] = segments
        made += segments
        # The kernel has stored the bytes used; the next message needs the bytes available.
        message.control_length = _AUXDATA_BYTES
    return made


@compiled
def coalesce(at: int, data: int, starts_at: int, lengths_at: int, ports_at: int, count: int, port: int) -> int:
    """Turns those of `count` packets that leave by `port` into messages_out, in order; joins neighbours of a flow into
    GSO packets of the kinds in `coalesce`. Returns how many messages these are. at: address of a SHARED; the others:
    of Frames' arrays.

    Fills in packet_counts. Uses HEADER_BYTES of headers_out and two of vectors_out for each packet.
    """
    shared = struct_at(at, SHARED, 0)
    starts, lengths, ports = array_at(starts_at, np.int64), array_at(lengths_at, np.int32), array_at(ports_at, np.int32)
    packet_counts = array_at(shared.packet_counts, np.int32)
    messages = vectors = 0
    # The last message: whether it may grow, its first packet, how many it has, the bytes of a packet's headers, of its
    # payload, and of all payloads.
    growing, first, segments = False, 0, 0
    header_bytes = segment_bytes = payload_bytes = 0
    for number in range(count):
        if ports[number] != port:
            continue
        packet, size = data + starts[number], int64(lengths[number])
        headers = _segment_header_bytes(packet, size, shared.coalesce) if shared.coalesce else 0
        payload = size - headers
        if (
            growing
            and headers == header_bytes
            and segments < MAX_SEGMENTS_OUT
            and payload <= segment_bytes
            and payload_bytes + payload <= MAX_IP_BYTES - (headers - IP_OFFSET)
            and _same_flow(first, packet)
            and (headers == PAYLOAD_OFFSET or _follows(first, packet, headers, payload_bytes))
        ):
            segments += 1
            payload_bytes += payload
            # Only the last segment may be shorter.
            growing = payload == segment_bytes and not _ends(packet, headers)
            header = shared.headers_out + (messages - 1) * HEADER_BYTES
            _put_gso_header(header, first, packet, headers, payload_bytes, segment_bytes)
            # The message's vectors: the header, and each segment's payload.
            _put_vector(shared, vectors - segments, header, _VNET_BYTES + headers)
            _put_vector(shared, vectors - segments + 1, first + headers, segment_bytes)
            _put_vector(shared, vectors, packet + headers, payload)
            vectors += 1
        else:
            header = shared.headers_out + messages * HEADER_BYTES
            _put_plain_header(header)
            _put_vector(shared, vectors, header, _VNET_BYTES)
            _put_vector(shared, vectors + 1, packet, size)
            struct_at(shared.messages_out, MESSAGE, messages).vectors = shared.vectors_out + vectors * _VECTOR_BYTES
            growing, first, segments = headers > 0 and not _ends(packet, headers), packet, 1
            header_bytes, segment_bytes, payload_bytes = headers, payload, payload
            vectors += 2
            messages += 1
        struct_at(shared.messages_out, MESSAGE, messages - 1).vector_count = segments + 1
        packet_counts[messages - 1] = segments
    return messages


# --- received messages ---


@compiled
def _insert_tag(packet: int, control: Any) -> None:
    """Inserts the VLAN tag that the kernel removed, into the TAG_BYTES before the message."""
    memmove(packet, packet + TAG_BYTES, 12)
    tag = struct_at(packet, TAG, 0)
    tag.tpid, tag.tci = _swapped(control.vlan_tpid), _swapped(control.vlan_tci)


@compiled
def _complete_checksum(packet: int, size: int, transport: int, offload: Any) -> None:
    """Fills in the checksum of a packet that is not a GSO packet, if the kernel has left it to the receiver."""
    checksum = transport + int64(offload.csum_offset)
    if offload.flags & NEEDS_CHECKSUM and checksum + 2 <= size:
        _put_checksum(packet + transport, size - transport, packet + checksum)


@compiled
def _put_packet(packets: Any, number: int, start: int, length: int, port: int, arrival: int) -> None:
    starts, lengths, ports, arrivals = packets
    starts[number], lengths[number], ports[number], arrivals[number] = start, length, port, arrival


@compiled
def _network_offset(packet: int, transport: int) -> int:
    """Where the IP header begins, after any tags, if UDP or TCP begins at `transport`; 0: there is no such header."""
    network = 14
    while network < transport and struct_at(packet + network - 2, SHORT, 0).value in TPIDS:
        network += TAG_BYTES
    if transport - network < IP_BYTES:
        return 0
    ethertype = struct_at(packet + network - 2, SHORT, 0).value
    version = struct_at(packet + network, BYTE, 0).value
    if ethertype == IPV4 and version == 0x40 | (transport - network) // 4 and not (transport - network) % 4:
        return network
    return network if ethertype == IPV6 and version >> 4 == 6 and transport - network >= IPV6_BYTES else 0


@compiled
def _header_bytes(packet: int, size: int, transport: int, offload: Any) -> int:
    """The bytes of all headers of a GSO packet; 0: it is neither UDP nor TCP."""
    if offload.gso_type == GSO_UDP and offload.csum_offset == UDP_CHECKSUM:
        return transport + UDP_BYTES
    if offload.gso_type & ~GSO_ECN in (GSO_TCPV4, GSO_TCPV6) and offload.csum_offset == TCP_CHECKSUM:
        if transport + TCP_BYTES > size:
            return 0
        tcp_bytes = 4 * int64(struct_at(packet + transport + 12, BYTE, 0).value >> 4)
        return transport + tcp_bytes if tcp_bytes >= TCP_BYTES else 0
    return 0


@compiled
def _segment_count(size: int, network: int, headers: int, payload: int, room: int) -> int:
    """The segments of a GSO packet; 0: it cannot be split, or they do not fit in `room` bytes."""
    payload_bytes = size - headers
    if not network or not headers or payload_bytes <= 0 or payload == 0:
        return 0
    count = (payload_bytes + payload - 1) // payload
    return count if count <= MAX_SEGMENTS_IN and payload_bytes + count * headers <= room else 0


@compiled
def _split_in_place(
    packet: int, size: int, network: int, transport: int, headers: int, payload: int, count: int
) -> None:
    """Splits a GSO packet into `count` segments where it lies: moves the payloads up, the last one first, and puts the
    headers before each.

    network, transport, headers: the offsets of the IP header, of the UDP or TCP header, and of the payload.
    """
    if not count:
        return
    payload_bytes, transport_bytes = size - headers, headers - transport
    is_ipv4 = struct_at(packet + network, BYTE, 0).value >> 4 == 4
    is_tcp = transport_bytes != UDP_BYTES
    checksum = transport + (TCP_CHECKSUM if is_tcp else UDP_CHECKSUM)
    identification = _swapped(int64(struct_at(packet + network + 4, SHORT, 0).value))
    sequence = _swapped_long(int64(struct_at(packet + transport + 4, LONG, 0).value))
    # The kernel has stored the sum of the pseudo header, with the length of the whole GSO packet: subtract the length.
    pseudo = int64(struct_at(packet + checksum, SHORT, 0).value) + (_swapped(payload_bytes + transport_bytes) ^ 0xFFFF)
    for done in range(count):
        number = count - 1 - done
        before = number * payload
        own = min(payload, payload_bytes - before)
        segment = packet + before + number * headers
        memmove(segment + headers, packet + headers + before, own)
        memmove(segment, packet, headers)
        ip_bytes = headers - network + own
        if is_ipv4:
            struct_at(segment + network + 2, SHORT, 0).value = _swapped(ip_bytes)
            struct_at(segment + network + 4, SHORT, 0).value = _swapped(identification + number)
            struct_at(segment + network + 10, SHORT, 0).value = 0
            total = _folded(_sum(segment + network, transport - network))
            struct_at(segment + network + 10, SHORT, 0).value = total ^ 0xFFFF
        else:
            struct_at(segment + network + 4, SHORT, 0).value = _swapped(ip_bytes - IPV6_BYTES)
        if is_tcp:
            struct_at(segment + transport + 4, LONG, 0).value = _swapped_long(sequence + before)
            flags = struct_at(segment + transport + 13, BYTE, 0)
            if number < count - 1:
                flags.value &= ~TCP_LAST & 0xFF
            if number:
                flags.value &= ~TCP_FIRST & 0xFF
        else:
            struct_at(segment + transport + 4, SHORT, 0).value = _swapped(own + transport_bytes)
        struct_at(segment + checksum, SHORT, 0).value = _folded(pseudo + _swapped(own + transport_bytes))
        _put_checksum(segment + transport, own + transport_bytes, segment + checksum)


# --- messages to send ---


@compiled
def _segment_header_bytes(packet: int, size: int, kinds: int) -> int:
    """The bytes of all headers of a packet that Linux, splitting a GSO packet of one of the `kinds`, would make exactly
    as it is; 0: it would not. The identification may differ, which has no meaning here, and so may a UDP checksum of 0,
    which means none."""
    headers = struct_at(packet, HEADERS, 0)
    if (
        size <= PAYLOAD_OFFSET
        or headers.ethertype != IPV4
        or headers.version != VERSION
        or headers.fragment != DONT_FRAGMENT
        or headers.ip_bytes != _swapped(size - IP_OFFSET)
        or _folded(_sum(packet + IP_OFFSET, UDP_OFFSET - IP_OFFSET)) != 0xFFFF
    ):
        return 0
    if headers.protocol == PROTOCOL_UDP and kinds & SENDS_UDP and headers.udp_bytes == _swapped(size - UDP_OFFSET):
        return PAYLOAD_OFFSET if headers.udp_checksum == 0 or _sums_up(packet, size, PROTOCOL_UDP) else 0
    if headers.protocol == PROTOCOL_TCP and kinds & SENDS_TCP and size > UDP_OFFSET + TCP_BYTES:
        tcp = struct_at(packet, TCP, 0)
        header_bytes = int(UDP_OFFSET + 4 * (int64(tcp.data_offset) >> 4))
        if (
            UDP_OFFSET + TCP_BYTES <= header_bytes < size
            and not tcp.flags & TCP_ALONE
            # Linux writes these sums as 0.
            and tcp.checksum != 0xFFFF
            and headers.ip_checksum != 0xFFFF
            and _sums_up(packet, size, PROTOCOL_TCP)
        ):
            return header_bytes
    return 0


@compiled
def _sums_up(packet: int, size: int, protocol: int) -> bool:
    """Whether the UDP or TCP checksum is right."""
    total = _pseudo_header_sum(packet, size - UDP_OFFSET, protocol) + _sum(packet + UDP_OFFSET, size - UDP_OFFSET)
    return bool(_folded(total) == 0xFFFF)


@compiled
def _ends(packet: int, headers: int) -> bool:
    """Whether a segment with `headers` bytes of headers can only be the last one: Linux sets its flags on no other."""
    return headers != PAYLOAD_OFFSET and struct_at(packet, TCP, 0).flags & TCP_LAST != 0


@compiled
def _follows(first: int, packet: int, headers: int, payload_bytes: int) -> bool:
    """Whether a TCP segment continues the `payload_bytes` from the segment `first` on, and its header is otherwise the
    one that Linux would copy from there. headers: the bytes of all headers of both."""
    one, other = struct_at(first, TCP, 0), struct_at(packet, TCP, 0)
    if (
        (_swapped_long(int64(one.sequence)) + payload_bytes) & 0xFFFFFFFF != _swapped_long(int64(other.sequence))
        or one.acknowledgment != other.acknowledgment
        or one.data_offset != other.data_offset
        or (one.flags ^ other.flags) & ~TCP_LAST & 0xFF
        or one.window != other.window
        or one.urgent != other.urgent
    ):
        return False
    for number in range((headers - UDP_OFFSET - TCP_BYTES) >> 2):
        options = UDP_OFFSET + TCP_BYTES
        if struct_at(first + options, LONG, number).value != struct_at(packet + options, LONG, number).value:
            return False
    return True


@compiled
def _same_flow(first: int, packet: int) -> bool:
    """Whether the header fields are equal that all segments of a GSO packet share."""
    one, other = struct_at(first, HEADERS, 0), struct_at(packet, HEADERS, 0)
    return bool(
        one.ethernet == other.ethernet
        and one.ethernet_end == other.ethernet_end
        and one.ttl == other.ttl
        and one.addresses == other.addresses
        and one.ports == other.ports
    )


@compiled
def _put_gso_header(header: int, first: int, last: int, headers: int, payload_bytes: int, segment_bytes: int) -> None:
    """Writes the virtio_net_hdr and the headers of a GSO packet. first, last: the addresses of its segments. headers:
    the bytes of a segment's headers."""
    is_udp = headers == PAYLOAD_OFFSET
    offload = struct_at(header, VNET_HEADER, 0)
    offload.flags, offload.gso_type = NEEDS_CHECKSUM, GSO_UDP if is_udp else GSO_TCPV4
    offload.hdr_len, offload.gso_size = headers, segment_bytes
    offload.csum_start, offload.csum_offset = UDP_OFFSET, UDP_CHECKSUM if is_udp else TCP_CHECKSUM
    packet = header + _VNET_BYTES
    memmove(packet, first, headers)
    ip = struct_at(packet, HEADERS, 0)
    ip.ip_bytes = _swapped(payload_bytes + headers - IP_OFFSET)
    ip.ip_checksum = 0
    ip.ip_checksum = _folded(_sum(packet + IP_OFFSET, UDP_OFFSET - IP_OFFSET)) ^ 0xFFFF
    transport_bytes = payload_bytes + headers - UDP_OFFSET
    if is_udp:
        ip.udp_bytes = _swapped(transport_bytes)
        ip.udp_checksum = _folded(_pseudo_header_sum(packet, transport_bytes, PROTOCOL_UDP))
    else:
        tcp = struct_at(packet, TCP, 0)
        tcp.flags = struct_at(last, TCP, 0).flags
        tcp.checksum = _folded(_pseudo_header_sum(packet, transport_bytes, PROTOCOL_TCP))


@compiled
def _put_plain_header(header: int) -> None:
    """Writes the virtio_net_hdr of a packet that is sent as it is."""
    offload = struct_at(header, VNET_HEADER, 0)
    offload.flags = offload.gso_type = 0
    offload.hdr_len = offload.gso_size = offload.csum_start = offload.csum_offset = 0


@compiled
def _put_vector(shared: Any, number: int, base: int, size: int) -> None:
    vector = struct_at(shared.vectors_out, IOVEC, number)
    vector.base, vector.length = base, size


# --- checksums ---


@compiled
def _pseudo_header_sum(packet: int, transport_bytes: int, protocol: int) -> int:
    """The sum of the pseudo header of UDP (RFC 768) or TCP."""
    return _sum(packet + IP_OFFSET + 12, 8) + (protocol << 8) + _swapped(transport_bytes)


@compiled
def _put_checksum(start: int, size: int, checksum: int) -> None:
    """Writes the checksum of `size` bytes at address `start` to address `checksum`, which is among them and holds the
    sum of the pseudo header. Writes 0 as its equal 0xFFFF, because a UDP checksum of 0 means none."""
    value = _folded(_sum(start, size)) ^ 0xFFFF
    struct_at(checksum, SHORT, 0).value = value if value else 0xFFFF


@compiled
def _sum(start: int, size: int) -> int:
    """The sum of the 32-bit words, which is equal to that of the 16-bit words modulo 65535 (RFC 1071, 2)."""
    total = 0
    for number in range(size >> 2):
        total += struct_at(start, LONG, number).value
    if size & 2:
        total += struct_at(start + (size & -4), SHORT, 0).value
    if size & 1:
        total += struct_at(start + (size & -2), BYTE, 0).value
    return total


@compiled
def _folded(total: int) -> int:
    """Folds a sum to 16 bits with end-around carry."""
    total = (total & 0xFFFFFFFF) + (total >> 32)
    total = (total & 0xFFFFFFFF) + (total >> 32)
    for _ in range(3):
        total = (total & 0xFFFF) + (total >> 16)
    return total


@compiled
def _swapped(value: int) -> int:
    """Swaps the bytes of a 16-bit number."""
    return (value & 0xFF) << 8 | value >> 8 & 0xFF


@compiled
def _swapped_long(value: int) -> int:
    """Swaps the bytes of a 32-bit number."""
    return _swapped(value & 0xFFFF) << 16 | _swapped(value >> 16 & 0xFFFF)
