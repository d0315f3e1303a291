"""The native code that splits GSO packets and joins packets to them (gso.py)."""

from __future__ import annotations

import socket
from typing import Any

import numpy as np

from dropzero.linux.abi import IOVEC, MESSAGE
from dropzero.softswitch.native.functions import compiled, element, int64, move, numbers
from dropzero.softswitch.ports.gso import (
    AUXDATA,
    GSO_ECN,
    GSO_NONE,
    GSO_TCPV4,
    GSO_TCPV6,
    GSO_UDP,
    HEAD_BYTES,
    IP,
    MAX_IP_BYTES,
    MAX_SEGMENTS_IN,
    MAX_SEGMENTS_OUT,
    NEEDS_CHECKSUM,
    PAYLOAD,
    SO_TIMESTAMPNS,
    TAG,
    TIMESTAMP_BYTES,
    UDP,
    VLAN_VALID,
    VNET_HEADER,
)
from dropzero.softswitch.ports.words import WORDS

HEADERS = np.dtype(
    {
        "names": [
            *("link", "link_and_version", "ethertype", "version", "ip_bytes", "identification", "fragment", "ttl"),
            *("protocol", "ip_checksum", "addresses", "ports", "udp_bytes", "udp_checksum"),
        ],
        "formats": ["u8", "u8", "u2", "u1", "u2", "u2", "u2", "u1", "u1", "u2", "u8", "u4", "u2", "u2"],
        "offsets": [0, 8, 12, 14, 16, 18, 20, 22, 23, 24, 26, 34, 38, 40],
        "itemsize": PAYLOAD,
    }
)
"""Of a packet that can be a segment, in network order. link, link_and_version: all that precedes ip_bytes. version: and
the length of IP's header. addresses, ports: both."""
TAGGED = np.dtype({"names": ["tpid", "tci"], "formats": ["u2", "u2"], "offsets": [12, 14]})
"""A packet's first tag, in network order."""
LONG, SHORT, BYTE = (np.dtype([("value", kind)]) for kind in ("u4", "u2", "u1"))

# In network order.
IPV4, IPV6 = 0x0008, 0xDD86
TAGS = 0x0081, 0xA888
"""IEEE 802.1Q's."""
NO_FRAGMENT = 0x0040
"""IPv4's flags and offset of a packet that must not become fragments, and so may have any identification (RFC 6864)."""
VERSION, PROTOCOL_UDP = 0x45, 17

IP_BYTES, IPV6_BYTES, UDP_BYTES, TCP_BYTES = 20, 40, 8, 20
"""The shortest headers."""
UDP_CHECKSUM, TCP_CHECKSUM = 6, 16
"""Offsets in their headers."""
TCP_FIRST, TCP_LAST = 0x80, 0x09
"""Flags that only the first segment has: CWR; and only the last: FIN and PSH."""

MSG_TRUNC = int(socket.MSG_TRUNC)

_VNET_BYTES, _AUXDATA_BYTES, _VECTOR_BYTES = VNET_HEADER.itemsize, AUXDATA.itemsize, IOVEC.itemsize


@compiled
def arrive(at: int, count: int) -> int:
    """See Gso."""
    words = element(at, WORDS, 0)
    packets, origins = numbers(words.packets, np.int32), numbers(words.origins, np.int32)
    starts, lengths = numbers(words.starts, np.int64), numbers(words.lengths, np.int32)
    ports, arrivals = numbers(words.arrived_ports, np.int32), numbers(words.arrivals, np.int64)
    memory, room = words.memory, words.slot
    offloads, auxiliaries, received = words.offloads, words.auxiliaries, words.received
    made = 0
    for number in range(count):
        message, offload = element(received, MESSAGE, number), element(offloads, VNET_HEADER, number)
        auxiliary = element(auxiliaries, AUXDATA, number)
        arrived = words.time - words.begin
        if auxiliary.kind == SO_TIMESTAMPNS:
            # Somebody may have set the clock since.
            arrived = max(0, min(arrived, auxiliary.seconds * 10**9 + auxiliary.nanoseconds - words.real))
        else:
            auxiliary = element(auxiliaries + number * _AUXDATA_BYTES - TIMESTAMP_BYTES, AUXDATA, 0)
        arrival = arrived // 1000
        start = number * room + TAG
        size, summed = int64(message.length) - _VNET_BYTES, int64(offload.summed)
        if auxiliary.status & VLAN_VALID:
            # The kernel delivers tags beside the packet.
            start, size, summed = start - TAG, size + TAG, summed + TAG
            move(memory + start, memory + start + TAG, 12)
            tagged = element(memory + start, TAGGED, 0)
            tagged.tpid, tagged.tci = _swapped(auxiliary.vlan_tpid), _swapped(auxiliary.vlan_tci)
        packet = memory + start
        parts = 0
        whole = not message.flags & MSG_TRUNC
        if whole and offload.kind == GSO_NONE:
            checksum = summed + int64(offload.checksum)
            if offload.flags & NEEDS_CHECKSUM and checksum + 2 <= size:
                _finish(packet + summed, size - summed, packet + checksum)
            starts[made], lengths[made], ports[made] = start, size, origins[number]
            arrivals[made] = arrival
            parts = 1
        elif whole and offload.flags & NEEDS_CHECKSUM:
            network, headers = _network(packet, summed), _headers(packet, size, summed, offload)
            payload = int64(offload.size)
            parts = _segments(size, network, headers, payload, (number + 1) * room - start)
            _part(packet, size, network, summed, headers, payload, parts)
            for part in range(parts):
                starts[made + part] = start + part * (headers + payload)
                lengths[made + part] = min(headers + payload, size - part * payload)
                ports[made + part] = origins[number]
                arrivals[made + part] = arrival
        packets[number] = parts
        # For whatever comes there next.
        message.control_length = _AUXDATA_BYTES
        made += parts
    return made


@compiled
def depart(at: int, data: int, starts_at: int, lengths_at: int, ports_at: int, count: int, chosen: int) -> int:
    """See Gso."""
    words = element(at, WORDS, 0)
    starts, lengths, ports = numbers(starts_at, np.int64), numbers(lengths_at, np.int32), numbers(ports_at, np.int32)
    packets = numbers(words.packets, np.int32)
    made = used = 0
    # Of the last message: may it grow, its first packet, its packets, and bytes of a payload and of all.
    growing, first = False, 0
    inside = payload = payloads = 0
    for number in range(count):
        if ports[number] != chosen:
            continue
        packet, size = data + starts[number], int64(lengths[number])
        own = size - PAYLOAD
        # Where nothing is joined, all are sent as they are.
        regular = words.joining != 0 and _is_regular(packet, size)
        if (
            growing
            and regular
            and inside < MAX_SEGMENTS_OUT
            and own <= payload
            and payloads + own <= MAX_IP_BYTES - (PAYLOAD - IP)
            and _alike(first, packet)
        ):
            inside += 1
            payloads += own
            growing = own == payload
            head = words.heads + (made - 1) * HEAD_BYTES
            _put_head(first, payloads, payload, head)
            _put_vector(words, used - inside, head, HEAD_BYTES)
            _put_vector(words, used - inside + 1, first + PAYLOAD, payload)
            _put_vector(words, used, packet + PAYLOAD, own)
            used += 1
        else:
            head = words.heads + made * HEAD_BYTES
            _clear_head(head)
            _put_vector(words, used, head, _VNET_BYTES)
            _put_vector(words, used + 1, packet, size)
            element(words.sent, MESSAGE, made).vectors = words.content + used * _VECTOR_BYTES
            inside, payload, payloads = 1, own, own
            growing, first = regular, packet
            used += 2
            made += 1
        element(words.sent, MESSAGE, made - 1).vector_count = inside + 1
        packets[made - 1] = inside
    return made


# --- apart ---


@compiled
def _network(packet: int, transport: int) -> int:
    """Where IP's header begins, behind any tags, if UDP or TCP begins at `transport`; 0: it is none."""
    network = 14
    while network < transport and element(packet + network - 2, SHORT, 0).value in TAGS:
        network += TAG
    if transport - network < IP_BYTES:
        return 0
    kind = element(packet + network - 2, SHORT, 0).value
    version = element(packet + network, BYTE, 0).value
    if kind == IPV4 and version == 0x40 | (transport - network) // 4 and not (transport - network) % 4:
        return network
    return network if kind == IPV6 and version >> 4 == 6 and transport - network >= IPV6_BYTES else 0


@compiled
def _headers(packet: int, size: int, transport: int, offload: Any) -> int:
    """Bytes of all headers of a GSO packet; 0: it is none of UDP or TCP."""
    if offload.kind == GSO_UDP and offload.checksum == UDP_CHECKSUM:
        return transport + UDP_BYTES
    if offload.kind & ~GSO_ECN in (GSO_TCPV4, GSO_TCPV6) and offload.checksum == TCP_CHECKSUM:
        if transport + TCP_BYTES > size:
            return 0
        own = 4 * int64(element(packet + transport + 12, BYTE, 0).value >> 4)
        return transport + own if own >= TCP_BYTES else 0
    return 0


@compiled
def _segments(size: int, network: int, headers: int, payload: int, room: int) -> int:
    """How many packets a GSO packet stands for; 0: none that this can split, or that have room."""
    whole = size - headers
    if not network or not headers or whole <= 0 or payload == 0:
        return 0
    count = (whole + payload - 1) // payload
    return count if count <= MAX_SEGMENTS_IN and whole + count * headers <= room else 0


@compiled
def _part(packet: int, size: int, network: int, transport: int, headers: int, payload: int, count: int) -> None:
    """Splits a GSO packet into `count` where it lies: payloads move up, the last one first, and the headers go in front
    of each. `network` and `transport` are the offsets of the IP header and the UDP or TCP header, `headers` that of the
    payload."""
    if not count:
        return
    whole, own_headers = size - headers, headers - transport
    is_ipv4 = element(packet + network, BYTE, 0).value >> 4 == 4
    is_tcp = own_headers != UDP_BYTES
    checksum = transport + (TCP_CHECKSUM if is_tcp else UDP_CHECKSUM)
    identification = _swapped(int64(element(packet + network + 4, SHORT, 0).value))
    sequence = _swapped_long(int64(element(packet + transport + 4, LONG, 0).value))
    # The checksum so far is of the pseudo header, with the length of the whole GSO packet.
    pseudo = int64(element(packet + checksum, SHORT, 0).value) + (_swapped(whole + own_headers) ^ 0xFFFF)
    for done in range(count):
        number = count - 1 - done
        before = number * payload
        own = min(payload, whole - before)
        segment = packet + before + number * headers
        move(segment + headers, packet + headers + before, own)
        move(segment, packet, headers)
        ip_bytes = headers - network + own
        if is_ipv4:
            element(segment + network + 2, SHORT, 0).value = _swapped(ip_bytes)
            element(segment + network + 4, SHORT, 0).value = _swapped(identification + number)
            element(segment + network + 10, SHORT, 0).value = 0
            total = _folded(_sum(segment + network, transport - network))
            element(segment + network + 10, SHORT, 0).value = total ^ 0xFFFF
        else:
            element(segment + network + 4, SHORT, 0).value = _swapped(ip_bytes - IPV6_BYTES)
        if is_tcp:
            element(segment + transport + 4, LONG, 0).value = _swapped_long(sequence + before)
            flags = element(segment + transport + 13, BYTE, 0)
            if number < count - 1:
                flags.value &= ~TCP_LAST & 0xFF
            if number:
                flags.value &= ~TCP_FIRST & 0xFF
        else:
            element(segment + transport + 4, SHORT, 0).value = _swapped(own + own_headers)
        element(segment + checksum, SHORT, 0).value = _folded(pseudo + _swapped(own + own_headers))
        _finish(segment + transport, own + own_headers, segment + checksum)


# --- together ---


@compiled
def _is_regular(packet: int, size: int) -> bool:
    """Whether Linux, splitting a GSO packet, would make the packet exactly as it is: but for the identification where
    that has no meaning, and for a checksum where there is none."""
    headers = element(packet, HEADERS, 0)
    if (
        size <= PAYLOAD
        or headers.ethertype != IPV4
        or headers.version != VERSION
        or headers.fragment != NO_FRAGMENT
        or headers.protocol != PROTOCOL_UDP
        or headers.ip_bytes != _swapped(size - IP)
        or headers.udp_bytes != _swapped(size - UDP)
        or _folded(_sum(packet + IP, UDP - IP)) != 0xFFFF
    ):
        return False
    if headers.udp_checksum == 0:
        return True
    return bool(_folded(_pseudo(packet, size - UDP) + _sum(packet + UDP, size - UDP)) == 0xFFFF)


@compiled
def _alike(first: int, packet: int) -> bool:
    """Whether both are of one flow: what would be the same in all segments is the same."""
    one, other = element(first, HEADERS, 0), element(packet, HEADERS, 0)
    return bool(
        one.link == other.link
        and one.link_and_version == other.link_and_version
        and one.ttl == other.ttl
        and one.addresses == other.addresses
        and one.ports == other.ports
    )


@compiled
def _put_head(first: int, payloads: int, payload: int, head: int) -> None:
    """A GSO packet's virtio_net_hdr and headers. first: its first segment; bytes of all payloads, and of one."""
    offload = element(head, VNET_HEADER, 0)
    offload.flags, offload.kind = NEEDS_CHECKSUM, GSO_UDP
    offload.headers, offload.size, offload.summed, offload.checksum = PAYLOAD, payload, UDP, 6
    packet = head + _VNET_BYTES
    move(packet, first, PAYLOAD)
    _set_lengths(packet, payloads)
    element(packet, HEADERS, 0).udp_checksum = _folded(_pseudo(packet, payloads + PAYLOAD - UDP))


@compiled
def _clear_head(head: int) -> None:
    """The virtio_net_hdr of a packet that is sent as it is."""
    offload = element(head, VNET_HEADER, 0)
    offload.flags = offload.kind = 0
    offload.headers = offload.size = offload.summed = offload.checksum = 0


@compiled
def _put_vector(words: Any, number: int, base: int, size: int) -> None:
    vector = element(words.content, IOVEC, number)
    vector.base, vector.length = base, size


# --- lengths and checksums ---


@compiled
def _set_lengths(packet: int, payload: int) -> None:
    """The lengths of IP and UDP, and IP's checksum."""
    headers = element(packet, HEADERS, 0)
    headers.ip_bytes, headers.udp_bytes = _swapped(payload + PAYLOAD - IP), _swapped(payload + PAYLOAD - UDP)
    headers.ip_checksum = 0
    headers.ip_checksum = _folded(_sum(packet + IP, UDP - IP)) ^ 0xFFFF


@compiled
def _pseudo(packet: int, udp_bytes: int) -> int:
    """The sum of the pseudo header."""
    return _sum(packet + IP + 12, 8) + (PROTOCOL_UDP << 8) + _swapped(udp_bytes)


@compiled
def _finish(summed: int, size: int, checksum: int) -> None:
    """Writes the checksum of what is summed up. What was there was the sum of what else belongs to it. 0 is written as
    its equal, 0xFFFF, for UDP's 0 is no checksum."""
    value = _folded(_sum(summed, size)) ^ 0xFFFF
    element(checksum, SHORT, 0).value = value if value else 0xFFFF


@compiled
def _sum(start: int, size: int) -> int:
    """Of bytes as words of 32 bits, which modulo 65535 is that of words of 16."""
    total = 0
    for number in range(size >> 2):
        total += element(start, LONG, number).value
    if size & 2:
        total += element(start + (size & -4), SHORT, 0).value
    if size & 1:
        total += element(start + (size & -2), BYTE, 0).value
    return total


@compiled
def _folded(total: int) -> int:
    """16 bits, with end-around carry."""
    total = (total & 0xFFFFFFFF) + (total >> 32)
    total = (total & 0xFFFFFFFF) + (total >> 32)
    for _ in range(3):
        total = (total & 0xFFFF) + (total >> 16)
    return total


@compiled
def _swapped(value: int) -> int:
    """Two bytes the other way round."""
    return (value & 0xFF) << 8 | value >> 8 & 0xFF


@compiled
def _swapped_long(value: int) -> int:
    """Four bytes the other way round."""
    return _swapped(value & 0xFFFF) << 16 | _swapped(value >> 16 & 0xFFFF)
