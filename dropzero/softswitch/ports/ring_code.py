"""The native code that takes frames from rings and puts frames into them (rings.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from dropzero.linux.ring import (
    DOWN,
    DOWN_SLOTS,
    FRAME,
    MAX_FRAME,
    MIN_FRAME,
    PORT_COUNTS,
    READ,
    SLEEPS,
    SLOT_BYTES,
    SLOTS,
    UP,
    UP_SLOTS,
    WRITTEN,
)
from dropzero.native import libc
from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import fence, memmove
from dropzero.native.memory import array_at, int64, struct_at
from dropzero.softswitch.ports.gso import PAYLOAD_OFFSET
from dropzero.softswitch.ports.gso_code import HEADERS, IPV4, PROTOCOL_UDP, VERSION
from dropzero.softswitch.ports.shared import RING, RING_FRAMES, SHARED

_DOORBELL_COUNT = int(SHARED.fields["doorbell_count"][1])  # type: ignore[index]

NOWHERE = -1
"""The port of a packet that is in a ring, so that it is not sent."""


@compiled
def take(at: int, packets: int) -> int:
    """Appends the frames that rings hold to the `packets` packets of the batch. Returns how many packets it then has.
    at: address of a SHARED."""
    shared = struct_at(at, SHARED, 0)
    starts, lengths = array_at(shared.starts, np.int64), array_at(shared.lengths, np.int32)
    ports, arrivals = array_at(shared.ingress_ports, np.int32), array_at(shared.arrivals, np.int64)
    # After the slots of messages.
    start = shared.slot_count * shared.slot_bytes
    arrival = (shared.now - shared.begin) // 1000
    share = RING_FRAMES // max(shared.ring_count, 1)
    for number in range(shared.ring_count):
        ring = struct_at(shared.rings, RING, number)
        counts = struct_at(ring.counts, PORT_COUNTS, 0)
        words = array_at(ring.memory, np.int64)
        read = words[UP + READ]
        # The other side may have written anything.
        count = max(0, min(words[UP + WRITTEN] - read, share))
        if count:
            # Read the slots after the number of those written.
            fence()
        for index in range(read, read + count):
            slot = ring.memory + UP_SLOTS + (index & SLOTS - 1) * SLOT_BYTES
            length = array_at(slot, np.int64)[0]
            if MIN_FRAME <= length <= MAX_FRAME:
                memmove(shared.slots + start, slot + FRAME, length)
                starts[packets], lengths[packets], ports[packets], arrivals[packets] = start, length, ring.port, arrival
                start += SLOT_BYTES
                packets += 1
                counts.up_packets += 1
                counts.up_bytes += length
        if count:
            fence()
            words[UP + READ] = read + count
    return packets


@compiled
def deliver(at: int, data: int, starts_at: int, lengths_at: int, ports_at: int, count: int) -> int:
    """Puts those of `count` packets into rings that are for their programs, and sets their ports to NOWHERE. Returns
    how many these are. The arguments are as for coalesce."""
    shared = struct_at(at, SHARED, 0)
    starts, lengths, ports = array_at(starts_at, np.int64), array_at(lengths_at, np.int32), array_at(ports_at, np.int32)
    delivered = 0
    for number in range(shared.ring_count):
        ring = struct_at(shared.rings, RING, number)
        counts = struct_at(ring.counts, PORT_COUNTS, 0)
        words = array_at(ring.memory, np.int64)
        written = words[DOWN + WRITTEN]
        room = max(0, min(words[DOWN + READ] + SLOTS - written, SLOTS))
        put = 0
        for packet in range(count):
            length = int64(lengths[packet])
            if ports[packet] != ring.port or not _is_for(ring, data + starts[packet], length):
                continue
            ports[packet] = NOWHERE
            delivered += 1
            if put == room or length > MAX_FRAME:
                counts.dropped += 1
                continue
            slot = ring.memory + DOWN_SLOTS + (written + put & SLOTS - 1) * SLOT_BYTES
            array_at(slot, np.int64)[0] = length
            memmove(slot + FRAME, data + starts[packet], length)
            put += 1
            counts.down_packets += 1
            counts.down_bytes += length
        if put:
            fence()
            words[DOWN + WRITTEN] = written + put
            fence()
            if words[DOWN + SLEEPS]:
                _ring_doorbell(at, ring.doorbell)
    return delivered


@compiled
def filled(shared: Any) -> bool:
    """Whether a ring has frames."""
    for number in range(shared.ring_count):
        words = array_at(struct_at(shared.rings, RING, number).memory, np.int64)
        if words[UP + WRITTEN] > words[UP + READ]:
            return True
    return False


@compiled
def set_sleeps(shared: Any, sleeps: int) -> None:
    """Tells the programs whether the switch sleeps. Programs that know it ring the switch's doorbell."""
    for number in range(shared.ring_count):
        array_at(struct_at(shared.rings, RING, number).memory, np.int64)[UP + SLEEPS] = sleeps
    fence()


@compiled
def rest(at: int) -> int:
    """Has the programs ring the switch's doorbell from now on, and rings it itself if there already are frames. at:
    address of a SHARED."""
    shared = struct_at(at, SHARED, 0)
    set_sleeps(shared, 1)
    if filled(shared):
        _ring_doorbell(at, shared.doorbell)
    return 0


@compiled
def drain(at: int) -> None:
    """Empties the switch's doorbell."""
    libc.read(struct_at(at, SHARED, 0).doorbell, at + _DOORBELL_COUNT, 8)


@compiled
def _ring_doorbell(at: int, doorbell: int) -> None:
    struct_at(at, SHARED, 0).doorbell_count = 1
    libc.write(doorbell, at + _DOORBELL_COUNT, 8)


@compiled
def _is_for(ring: Any, packet: int, length: int) -> bool:
    """Whether a packet's receiver is the program that has these rings."""
    headers = struct_at(packet, HEADERS, 0)
    return (
        length >= PAYLOAD_OFFSET
        and headers.ethertype == IPV4
        and headers.version == VERSION
        and headers.protocol == PROTOCOL_UDP
        and int64(headers.addresses) >> 32 & 0xFFFFFFFF == ring.ip
        and int64(headers.ports) >> 16 == ring.udp_port
    )
