"""A worker's end of the rings that it shares with a switch: datagrams in and out without system calls."""

from __future__ import annotations

import fcntl
import socket
import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.ring import (
    DOWN,
    DOWN_SLOTS,
    FRAME,
    READ,
    SLEEPS,
    SLOT_BYTES,
    SLOTS,
    UP,
    UP_SLOTS,
    WRITTEN,
    Request,
    Rings,
)
from dropzero.native import libc
from dropzero.native.compilation import compiled
from dropzero.native.intrinsics import fence
from dropzero.native.records import record
from dropzero.protocol.wire import OUTER_BYTES

BATCH = 32
"""Datagrams to receive at once, so that answers leave while others arrive."""
PAYLOAD = FRAME + OUTER_BYTES
"""Offset of a datagram in its slot."""
ETHERNET, IPV4, UDP = struct.Struct("!6s6sH"), struct.Struct("!BBHHHBBH4s4s"), struct.Struct("!HHHH")
ECT_0, DONT_FRAGMENT = 2, 0x4000
IP_LENGTH, IP_CHECKSUM, SOURCE_IP, DESTINATION_IP = 16, 24, 26, 30
SOURCE_PORT, DESTINATION_PORT, UDP_LENGTH = 34, 36, 38
"""Offsets in a frame."""
SIOCGIFHWADDR = 0x8927
NEIGHBOURS = Path("/proc/thread-self/net/arp")
COMPLETE = 2
"""The flag of a neighbour whose MAC address is known (ATF_COM)."""

_STATE = record(
    # The datagrams of the last batch.
    "taken",
    # The sum of the IPv4 header's 16-bit words, without length and checksum.
    "sum switch_doorbell own_doorbell",
    # The number that is written to and read from doorbells.
    "count",
)
_COUNT = int(_STATE.fields["count"][1])  # type: ignore[index]


class Ends(NamedTuple):
    """Rings as compiled code sees them."""

    memory: NDArray[np.uint8]
    words: NDArray[np.int64]
    """The same memory."""
    at: int
    """Its address."""
    headers: NDArray[np.uint8]
    """The headers of all frames to the switch, shape (OUTER_BYTES,); lengths and checksums are 0."""
    state: NDArray[np.void]
    """Shape (1,): see _STATE."""
    state_at: int

    @classmethod
    def of(cls, memory: NDArray[np.uint8], doorbells: tuple[int, ...], headers: bytes) -> Ends:
        state = np.zeros(1, _STATE)
        state["switch_doorbell"], state["own_doorbell"] = doorbells
        state["sum"] = sum(struct.unpack_from("!10H", headers, ETHERNET.size))
        bytes_of = np.frombuffer(bytearray(headers), np.uint8)
        return cls(memory, memory.view(np.int64), memory.ctypes.data, bytes_of, state, state.ctypes.data)


NONE = Ends.of(np.zeros(8, np.uint8), (-1, -1), bytes(OUTER_BYTES))


def attach(folder: Path, port: int, udp: socket.socket) -> tuple[Rings, Ends] | None:
    """Asks a switch for rings for the packets of a connected socket. Returns None if the kernel does not know the
    switch's MAC address yet.

    folder, port: of the switch.

    Raises:
        OSError: see Rings.request.
    """
    (ip, udp_port), (switch_ip, switch_port) = udp.getsockname(), udp.getpeername()
    neighbour = _neighbour(switch_ip)
    if neighbour is None:
        return None
    mac, interface = neighbour
    own_mac = fcntl.ioctl(udp, SIOCGIFHWADDR, struct.pack("256s", interface.encode()))[18:24]
    addresses = socket.inet_aton(ip), socket.inet_aton(switch_ip)
    headers = (
        ETHERNET.pack(mac, own_mac, 0x0800)
        + IPV4.pack(0x45, ECT_0, 0, 0, DONT_FRAGMENT, 64, socket.IPPROTO_UDP, 0, *addresses)
        + UDP.pack(udp_port, switch_port, 0, 0)
    )
    rings = Rings.request(folder, Request(port, addresses[0], struct.pack("!H", udp_port)))
    return rings, Ends.of(rings.memory, rings.doorbells, headers)


def _neighbour(ip: str) -> tuple[bytes, str] | None:
    """The MAC address of a neighbour, and the interface to it."""
    for line in NEIGHBOURS.read_text().splitlines()[1:]:
        address, _, flags, mac, _, interface = line.split()
        if address == ip and int(flags, 16) & COMPLETE:
            return bytes.fromhex(mac.replace(":", "")), interface
    return None


@compiled
def take(ends: Ends) -> int:
    """Frees the datagrams of the last batch. Returns how many the next one has."""
    words, state = ends.words, ends.state[0]
    if state.taken:
        fence()
        words[DOWN + READ] += state.taken
    state.taken = min(words[DOWN + WRITTEN] - words[DOWN + READ], BATCH)
    if state.taken:
        # Read the slots after the number of those written.
        fence()
    return int(state.taken)


@compiled
def start(ends: Ends, number: int) -> int:
    """Returns where a datagram of the batch starts in memory."""
    return int(DOWN_SLOTS + (ends.words[DOWN + READ] + number) % SLOTS * SLOT_BYTES + PAYLOAD)


@compiled
def size(ends: Ends, number: int) -> int:
    """Returns the bytes of a datagram of the batch; 0 if it is not from the switch."""
    slot = start(ends, number) - PAYLOAD
    for i in range(4):
        if ends.memory[slot + FRAME + SOURCE_IP + i] != ends.headers[DESTINATION_IP + i]:
            return 0
    for i in range(2):
        if ends.memory[slot + FRAME + SOURCE_PORT + i] != ends.headers[DESTINATION_PORT + i]:
            return 0
    return int(max(ends.words[slot // 8] - OUTER_BYTES, 0))


@compiled
def put(ends: Ends, base: int, stride: int, rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
    """Sends payloads: row r is at address base + r * stride. Those for which there is no room are lost."""
    words, state = ends.words, ends.state[0]
    written = words[UP + WRITTEN]
    count = min(len(rows), words[UP + READ] + SLOTS - written)
    for i in range(count):
        slot, length = UP_SLOTS + (written + i) % SLOTS * SLOT_BYTES, int(lengths[i])
        words[slot // 8] = OUTER_BYTES + length
        _put_headers(ends, slot + FRAME, length)
        libc.memcpy(ends.at + slot + PAYLOAD, base + stride * rows[i], length)
    fence()
    words[UP + WRITTEN] = written + count
    fence()
    if words[UP + SLEEPS]:
        state.count = 1
        libc.write(state.switch_doorbell, ends.state_at + _COUNT, 8)


@compiled
def _put_headers(ends: Ends, frame: int, length: int) -> None:
    for i in range(OUTER_BYTES):
        ends.memory[frame + i] = ends.headers[i]
    ip_bytes = OUTER_BYTES - 14 + length
    total = ends.state[0].sum + ip_bytes
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    _put_word(ends, frame + IP_LENGTH, ip_bytes)
    _put_word(ends, frame + IP_CHECKSUM, total ^ 0xFFFF)
    _put_word(ends, frame + UDP_LENGTH, 8 + length)


@compiled
def _put_word(ends: Ends, at: int, word: int) -> None:
    """Writes 16 bits in network order."""
    ends.memory[at], ends.memory[at + 1] = word >> 8, word & 0xFF


@compiled
def rest(ends: Ends) -> bool:
    """Has the switch ring this worker's doorbell from now on. Returns whether there already are datagrams."""
    ends.words[DOWN + SLEEPS] = 1
    fence()
    return bool(ends.words[DOWN + WRITTEN] > ends.words[DOWN + READ] + ends.state[0].taken)


@compiled
def wake(ends: Ends) -> None:
    """Stops the switch from ringing, and empties the doorbell."""
    ends.words[DOWN + SLEEPS] = 0
    libc.read(ends.state[0].own_doorbell, ends.state_at + _COUNT, 8)
