"""The switch's ports: a packet socket for each interface, a batch of packets for each system call."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softswitch.frames import Frames
from softswitch.pcap import Capture
from softswitch.vectors import IOVEC, MESSAGE, checked_call, libc

log = logging.getLogger(__name__)

# Of <linux/if_packet.h>, <linux/if_ether.h> and <asm-generic/socket.h>; Python's socket module has none of them.
SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
PACKET_MR_PROMISC = 1
ETH_P_ALL = 3
SO_SNDBUFFORCE = 32
SO_RCVBUFFORCE = 33
CHECKSUM_NOT_READY = 1 << 3
VLAN_VALID = 1 << 4

RECEIVE_BUFFER = 16 << 20
SEND_BUFFER = 4 << 20
SLOTS = 256
# Room for the longest packet that segmentation offload hands over, and for the tag that the kernel took out of it. An
# odd number of cache lines, so that the beginnings of the slots do not compete for the same ones.
TAG = 4
SLOT = 1025 * 64
CONTROL = np.dtype(
    {
        "names": ["status", "vlan_tci", "vlan_tpid"],
        "formats": ["u4", "u2", "u2"],
        # A cmsghdr of 16 bytes, then struct tpacket_auxdata.
        "offsets": [16, 32, 34],
        "itemsize": 40,
    }
)


class Port:
    """A packet socket on one interface, promiscuous, and the captures of what it receives and sends.

    Raises OSError when there is no such interface or the caller may not open packet sockets.
    """

    def __init__(self, number: int, interface: str, captures: Path | None = None) -> None:
        self.number = number
        self.interface = interface
        self.dropped = 0
        self.incoming: Capture | None = None
        self.outgoing: Capture | None = None
        self.index = socket.if_nametoindex(interface)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
        try:
            self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
            self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
            self.socket.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SEND_BUFFER)
            promiscuous = struct.pack("IHH8s", self.index, PACKET_MR_PROMISC, 0, b"")
            self.socket.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, promiscuous)
            self.socket.bind((interface, ETH_P_ALL))
            if captures is not None:
                self.incoming = Capture(captures / f"{interface}_in.pcap")
                self.outgoing = Capture(captures / f"{interface}_out.pcap")
        except BaseException:
            self.close()
            raise
        self._told_checksums = False

    def fileno(self) -> int:
        return self.socket.fileno()

    @property
    def attached(self) -> bool:
        """Whether the interface is still there; another of the same name is another."""
        try:
            return socket.if_nametoindex(self.interface) == self.index
        except OSError:
            return False

    def close(self) -> None:
        self.socket.close()
        for capture in (self.incoming, self.outgoing):
            if capture is not None:
                capture.close()
        self.incoming = self.outgoing = None

    def warn_of_checksums(self) -> None:
        if not self._told_checksums:
            self._told_checksums = True
            log.warning(
                "Port %d (%s) receives packets with unfinished checksums: turn off transmit checksum offload at the "
                "other end (ethtool -K INTERFACE tx off)",
                self.number,
                self.interface,
            )


@dataclass(frozen=True)
class _Segment:
    """Packets `first` to `last` of a batch belong to one port."""

    port: Port
    first: int
    last: int


class Ports:
    """All ports of a switch, and the memory that their packets pass through.

    A batch that receive() returns lies in that memory until the next call.
    """

    def __init__(self) -> None:
        self._ports: dict[int, Port] = {}
        self._memory: NDArray[np.uint8] = np.empty(SLOTS * SLOT, dtype=np.uint8)
        self._slots = self._memory.reshape(SLOTS, SLOT)
        self._start: NDArray[np.int64] = np.arange(SLOTS, dtype=np.int64) * SLOT + TAG
        self._port: NDArray[np.int32] = np.zeros(SLOTS, dtype=np.int32)
        self._control = np.zeros(SLOTS, dtype=CONTROL)

        self._room = np.zeros(SLOTS, dtype=IOVEC)
        self._room["base"] = self._start.astype(np.uint64) + np.uint64(self._memory.ctypes.data)
        self._room["length"] = SLOT - TAG
        self._received = _messages(self._room)
        self._received["control"] = _addresses(self._control)

        self._content = np.zeros(SLOTS, dtype=IOVEC)
        self._sent = _messages(self._content)

    def __iter__(self) -> Iterator[Port]:
        return iter(list(self._ports.values()))

    def add(self, port: Port) -> None:
        """Takes the port over: it is closed with the others."""
        self._ports[port.number] = port

    def receive(self, ready: list[Port]) -> Frames:
        """What waits at the ports in `ready`, as far as there is room, without waiting for more."""
        share = max(1, SLOTS // max(1, len(ready)))
        segments = []
        filled = 0
        for port in ready:
            room = min(share, SLOTS - filled)
            count = self._receive_from(port, filled, room) if room else 0
            if count:
                segments.append(_Segment(port, filled, filled + count))
                filled += count
        start = self._start[:filled].copy()
        length: NDArray[np.int32] = self._received["length"][:filled].astype(np.int32)
        self._finish(segments, start, length)
        frames = Frames(self._memory, start, length, self._port[:filled])
        self._capture(segments, frames, "incoming")
        return frames

    def send(self, frames: Frames) -> None:
        """Hands each packet to its port's interface. Packets for ports that are not there, and packets that an
        interface has no room for, are dropped."""
        order = np.argsort(frames.port, kind="stable")
        for at in range(0, len(order), SLOTS):
            self._send(frames, order[at : at + SLOTS])

    def lost(self, port: Port) -> bool:
        """Looks into a port that reported an error: True when its interface is gone and the port was closed."""
        error = port.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            log.warning("Port %d (%s): %s", port.number, port.interface, os.strerror(error))
        if port.attached:
            return False
        log.warning("Port %d (%s): the interface is gone", port.number, port.interface)
        del self._ports[port.number]
        port.close()
        return True

    def close(self) -> None:
        for port in self._ports.values():
            if port.dropped:
                log.warning("Port %d (%s): %d packets found no room", port.number, port.interface, port.dropped)
            port.close()
        self._ports.clear()

    def _receive_from(self, port: Port, first: int, room: int) -> int:
        messages = self._received[first : first + room]
        messages["control_length"] = CONTROL.itemsize
        try:
            count = checked_call(libc.recvmmsg, port.fileno(), messages.ctypes.data, room, socket.MSG_DONTWAIT, None)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EINTR):
                log.warning("Port %d (%s): %s", port.number, port.interface, error.strerror)
            return 0
        self._port[first : first + count] = port.number
        return count

    def _finish(self, segments: list[_Segment], start: NDArray[np.int64], length: NDArray[np.int32]) -> None:
        """Puts VLAN tags, which the kernel delivers beside the packet, back where they were on the wire."""
        status = self._control["status"][: len(start)]
        if not np.any(status & (CHECKSUM_NOT_READY | VLAN_VALID)):
            return
        for segment in segments:
            if np.any(status[segment.first : segment.last] & CHECKSUM_NOT_READY):
                segment.port.warn_of_checksums()
        tagged = np.flatnonzero(status & VLAN_VALID)
        self._slots[tagged, :12] = self._slots[tagged, TAG : TAG + 12]
        for offset, name in ((12, "vlan_tpid"), (14, "vlan_tci")):
            values = self._control[name][tagged].astype(">u2")
            self._slots[tagged, offset : offset + 2] = values.view(np.uint8).reshape(-1, 2)
        start[tagged] -= TAG
        length[tagged] += TAG

    def _send(self, frames: Frames, order: NDArray[np.intp]) -> None:
        count = len(order)
        ports = frames.port[order]
        content = self._content[:count]
        content["base"] = frames.start[order].astype(np.uint64) + np.uint64(frames.data.ctypes.data)
        content["length"] = frames.length[order]
        edges = [0, *(np.flatnonzero(np.diff(ports)) + 1).tolist(), count]
        segments = [
            _Segment(self._ports[number], first, last)
            for first, last in pairwise(edges)
            if (number := int(ports[first])) in self._ports
        ]
        self._capture(segments, Frames(frames.data, frames.start[order], frames.length[order], ports), "outgoing")
        for segment in segments:
            self._send_to(segment.port, segment.first, segment.last)

    def _send_to(self, port: Port, first: int, last: int) -> None:
        while first < last:
            messages = self._sent[first:last]
            try:
                first += checked_call(
                    libc.sendmmsg, port.fileno(), messages.ctypes.data, last - first, socket.MSG_DONTWAIT
                )
            except OSError as error:
                if error.errno == errno.EINTR:
                    continue
                # ENOBUFS (the queue is full) and EMSGSIZE concern one packet, anything else the interface.
                lost = 1 if error.errno in (errno.ENOBUFS, errno.EMSGSIZE) else last - first
                if port.dropped == 0:
                    log.warning("Port %d (%s): packets dropped: %s", port.number, port.interface, error.strerror)
                port.dropped += lost
                first += lost

    def _capture(self, segments: list[_Segment], frames: Frames, direction: str) -> None:
        now = 0
        for segment in segments:
            capture: Capture | None = getattr(segment.port, direction)
            if capture is None:
                continue
            now = now or time.time_ns() // 1000
            packets = slice(segment.first, segment.last)
            address = frames.start[packets].astype(np.uint64) + np.uint64(frames.data.ctypes.data)
            try:
                capture.write(address, frames.length[packets], now)
            except OSError as error:
                log.warning("%s: %s; the capture ends here", capture.path, error.strerror)
                setattr(segment.port, direction, None)
                with contextlib.suppress(OSError):
                    capture.close()


def _messages(vectors: NDArray[np.void]) -> NDArray[np.void]:
    """One message for each vector."""
    messages = np.zeros(len(vectors), dtype=MESSAGE)
    messages["vectors"] = _addresses(vectors)
    messages["vector_count"] = 1
    return messages


def _addresses(array: NDArray[np.void]) -> NDArray[np.uint64]:
    """(n,) where each element lies in memory."""
    offsets = np.arange(len(array), dtype=np.uint64) * np.uint64(array.itemsize)
    return np.uint64(array.ctypes.data) + offsets
