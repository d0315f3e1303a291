"""The switch's ports: a packet socket for each interface, and one system call for a batch of packets. Consecutive
packets of a flow travel as one GSO packet if the other end supports that."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dropzero.linux import ring
from dropzero.linux.abi import IOVEC, MESSAGE, addresses
from dropzero.linux.buffers import set_buffers
from dropzero.linux.libc import checked_call, libc
from dropzero.native.compilation import entry_point
from dropzero.softswitch.engine.frames import Frames, distinct
from dropzero.softswitch.ports import gso
from dropzero.softswitch.ports.gso_code import coalesce, split
from dropzero.softswitch.ports.pcap import Capture, of_port
from dropzero.softswitch.ports.ring_code import deliver, rest, take
from dropzero.softswitch.ports.rings import RingPorts
from dropzero.softswitch.ports.shared import APART, READINGS, RING_FRAMES, SENT, SHARED

log = logging.getLogger(__name__)

# <linux/if_packet.h> and <linux/if_ether.h>; Python's socket module lacks these.
SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_AUXDATA = 8
PACKET_VNET_HDR = 15
PACKET_IGNORE_OUTGOING = 23
PACKET_MR_PROMISC = 1
ETH_P_ALL = 3

RECEIVE_BUFFER = 16 << 20
SEND_BUFFER = 4 << 20
RECEIVE_SLOTS = 256
"""Messages received in one batch."""
RECEIVED = RECEIVE_SLOTS * gso.MAX_SEGMENTS_IN + RING_FRAMES
"""The most packets in one batch."""
MAX_TAGS = 8
"""The most VLAN tags that Linux skips to find a packet's headers (VLAN_MAX_DEPTH)."""
# Room for the longest GSO packet, the tag that the kernel removed from it, and its segments' headers. An odd number of
# cache lines, so that the slots' first lines do not compete for the same cache sets.
SLOT_BYTES = (
    65536 + gso.TAG_BYTES + gso.MAX_SEGMENTS_IN * (gso.PAYLOAD_OFFSET + MAX_TAGS * gso.TAG_BYTES)
) // 128 * 128 + 192


CAPTURES = "incoming", "outgoing"
"""The attributes of a port, and the fields of SHARED, for captures of what it receives and sends."""


class Port:
    """A promiscuous packet socket on one interface, and captures of what it receives and sends. Raises OSError if there
    is no such interface, or the process may not open packet sockets."""

    def __init__(self, number: int, interface: str, captures: Path | None = None) -> None:
        self.number = number
        self.interface = interface
        self.dropped = 0
        self.incoming: Capture | None = None
        self.outgoing: Capture | None = None
        self.attach()
        try:
            if captures is not None:
                self.incoming = Capture(captures / f"{interface}_in.pcap")
                self.outgoing = Capture(captures / f"{interface}_out.pcap")
        except BaseException:
            self.close()
            raise
        self._warned_of_gso = False

    def attach(self) -> None:
        """Opens the socket. Call it again when the interface has gone and come back."""
        self.index = socket.if_nametoindex(self.interface)
        self._timed = False
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
        try:
            self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
            self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
            self.socket.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
            set_buffers(self.socket, RECEIVE_BUFFER, SEND_BUFFER)
            promiscuous = struct.pack("IHH8s", self.index, PACKET_MR_PROMISC, 0, b"")
            self.socket.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, promiscuous)
            self.socket.bind((self.interface, ETH_P_ALL))
        except BaseException:
            self.socket.close()
            raise

    def fileno(self) -> int:
        return self.socket.fileno()

    def set_timestamps(self, wanted: bool) -> None:
        """Sets whether the kernel reports when each message arrived, which takes time."""
        if wanted != self._timed:
            self.socket.setsockopt(socket.SOL_SOCKET, gso.SO_TIMESTAMPNS, wanted)
            self._timed = wanted

    @property
    def attached(self) -> bool:
        """Whether the interface still exists. A new one of the same name does not count."""
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

    def file(self, capture: str) -> int:
        """The file descriptor of a capture, one of CAPTURES; -1: there is none."""
        found: Capture | None = getattr(self, capture)
        return -1 if found is None else found.fileno()

    def end_capture(self, name: str, error: int) -> None:
        """Closes a capture, one of CAPTURES, whose file cannot be written to. error: the errno."""
        capture: Capture = getattr(self, name)
        log.warning("%s: %s; the capture ends here", capture.path, os.strerror(error))
        setattr(self, name, None)
        with contextlib.suppress(OSError):
            capture.close()

    def warn_of_gso(self) -> None:
        """Logs, once, that GSO packets are dropped because they cannot be split."""
        if not self._warned_of_gso:
            self._warned_of_gso = True
            log.warning(
                "Port %d (%s): dropped a packet that is too long and cannot be split: turn off segmentation offload at "
                "the other end (ethtool -K INTERFACE gso off tso off)",
                self.number,
                self.interface,
            )


class Ports:
    """All ports of a switch, and the memory that their packets pass through.

    A batch that receive() returns stays in that memory until the next call. Ports send GSO packets of UDP or TCP only
    after one of that kind has arrived, which shows that the other end supports them.
    """

    def __init__(self, rings: Path | None = None) -> None:
        """rings: see RingPorts.

        Raises:
            OSError: its folder cannot be written to.
        """
        self.rings = RingPorts(rings)
        self._ports: dict[int, Port] = {}
        self._lost: dict[int, Port] = {}
        for function in (split, take, coalesce, deliver, rest):
            entry_point(function)  # compiling may take seconds: not when packets come
        self._slots: NDArray[np.uint8] = np.empty(
            RECEIVE_SLOTS * SLOT_BYTES + RING_FRAMES * ring.SLOT_BYTES, dtype=np.uint8
        )
        self._vnet_headers = np.zeros(RECEIVE_SLOTS, dtype=gso.VNET_HEADER)
        self._auxdata = np.zeros(RECEIVE_SLOTS, dtype=gso.AUXDATA)
        self._vectors_in = np.zeros((RECEIVE_SLOTS, 2), dtype=IOVEC)
        self._vectors_in["base"][:, 0] = addresses(self._vnet_headers)
        self._vectors_in["length"][:, 0] = gso.VNET_HEADER.itemsize
        self._vectors_in["base"][:, 1] = (
            self._slots.ctypes.data + gso.TAG_BYTES + SLOT_BYTES * np.arange(RECEIVE_SLOTS, dtype=np.uint64)
        )
        self._vectors_in["length"][:, 1] = SLOT_BYTES - gso.TAG_BYTES
        self._messages_in = _messages(self._vectors_in)
        self._messages_in["control"] = addresses(self._auxdata)
        self._messages_in["control_length"] = gso.AUXDATA.itemsize
        self._message_ports: NDArray[np.int32] = np.zeros(RECEIVE_SLOTS, dtype=np.int32)
        self._start: NDArray[np.int64] = np.empty(RECEIVED, dtype=np.int64)
        self._length: NDArray[np.int32] = np.empty(RECEIVED, dtype=np.int32)
        self._port: NDArray[np.int32] = np.empty(RECEIVED, dtype=np.int32)
        self._arrival: NDArray[np.int64] = np.empty(RECEIVED, dtype=np.int64)

        self._vectors_out = np.zeros((SENT, 2), dtype=IOVEC)
        self._messages_out = _messages(self._vectors_out)
        self._headers_out: NDArray[np.uint8] = np.zeros(SENT * gso.HEADER_BYTES, dtype=np.uint8)
        self._packet_counts: NDArray[np.int32] = np.zeros(max(RECEIVE_SLOTS, SENT), dtype=np.int32)
        """The packets in each message, received or sent."""
        arrays = {
            "slots": self._slots,
            "vnet_headers": self._vnet_headers,
            "auxdata": self._auxdata,
            "messages_in": self._messages_in,
            "message_ports": self._message_ports,
            "starts": self._start,
            "lengths": self._length,
            "ingress_ports": self._port,
            "arrivals": self._arrival,
            "packet_counts": self._packet_counts,
            "headers_out": self._headers_out,
            "vectors_out": self._vectors_out,
            "messages_out": self._messages_out,
        }
        self.shared = np.zeros((), SHARED)
        """The addresses and sizes of these arrays, for native code."""
        for name, array in arrays.items():
            self.shared[name] = array.ctypes.data
        self.shared["doorbell"] = self.rings.doorbell
        self.shared["slot_count"], self.shared["slot_bytes"] = RECEIVE_SLOTS, SLOT_BYTES

    def __iter__(self) -> Iterator[Port]:
        return iter(list(self._ports.values()))

    def add(self, port: Port) -> None:
        """Adds a port, which close() will close."""
        self._ports[port.number] = port

    def remove(self, number: int) -> Port:
        """Removes a port, for the caller to close, and ends its rings. Raises KeyError if there is none."""
        for descriptor in self.rings.at(number):
            self.serve_rings(descriptor)
        return self._lost.pop(number) if number in self._lost else self._ports.pop(number)

    def receive(self, ready: list[Port], begin: int = 0) -> Frames:
        """Receives the packets that wait at the ports in `ready` and in rings, as far as there is room. Does not wait
        for more.

        begin: time.monotonic_ns() when the switch's time began.
        """
        share = max(1, RECEIVE_SLOTS // max(1, len(ready)))
        filled = 0
        for port in ready[:RECEIVE_SLOTS]:
            count = self._receive_from(port, filled, min(share, RECEIVE_SLOTS - filled))
            self._message_ports[filled : filled + count] = port.number
            filled += count
        now, realtime = _clocks()
        self.shared["begin"], self.shared["now"] = begin, now
        self.shared["realtime_begin"] = begin + realtime - now
        at = self.shared.ctypes.data
        frames = self.arrived(filled, entry_point(take)(at, entry_point(split)(at, filled)))
        if self.rings:
            entry_point(rest)(self.shared.ctypes.data)
        return frames

    def serve_rings(self, descriptor: int) -> None:
        """See RingPorts.serve."""
        self.shared["ring_count"] = 0
        self.rings.serve(descriptor, self._ports)
        self.shared["rings"], self.shared["ring_count"] = self.rings.shared.ctypes.data, len(self.rings)

    def send(self, frames: Frames) -> None:
        """Sends each packet by its port. Drops packets for ports that do not exist, and packets that an interface has
        no room for."""
        for first in range(0, len(frames), SENT):
            some = slice(first, first + SENT)
            self._send(Frames(frames.data, frames.start[some], frames.length[some], frames.port[some]))

    @property
    def native(self) -> bool:
        """Whether native code can receive and send: there are ports, and they are packet sockets."""
        return bool(self._ports)

    def lost(self, port: Port) -> bool:
        """Reads a port's error. Returns whether its interface is gone; the port is then out of use until attach()."""
        error = port.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            log.warning("Port %d (%s): %s", port.number, port.interface, os.strerror(error))
        if port.attached:
            return False
        log.warning("Port %d (%s): the interface is gone", port.number, port.interface)
        self._lost[port.number] = self._ports.pop(port.number)
        port.socket.close()
        return True

    def attach(self) -> list[Port]:
        """Attaches the ports whose lost interfaces exist again, and returns them."""
        attached = []
        for port in list(self._lost.values()):
            try:
                port.attach()
            except OSError:
                continue
            log.warning("Port %d (%s): the interface is back", port.number, port.interface)
            self._ports[port.number] = self._lost.pop(port.number)
            attached.append(port)
        return attached

    def close(self) -> None:
        for port in (*self._ports.values(), *self._lost.values()):
            if port.dropped:
                log.warning("Port %d (%s): %d packets found no room", port.number, port.interface, port.dropped)
            port.close()
        self._ports.clear()
        self._lost.clear()
        self.rings.close()

    def _receive_from(self, port: Port, first: int, room: int) -> int:
        messages = self._messages_in.ctypes.data + MESSAGE.itemsize * first
        try:
            return checked_call(libc.recvmmsg, port.fileno(), messages, room, socket.MSG_DONTWAIT, None)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EINTR):
                log.warning("Port %d (%s): %s", port.number, port.interface, error.strerror)
            return 0

    def arrived(self, messages: int, packets: int, *, capture: bool = True) -> Frames:
        """The `packets` packets into which native code has split the first `messages` messages.

        capture: whether to capture them, too.
        """
        if self.shared["coalesce"] != gso.SENDS_UDP | gso.SENDS_TCP:
            for kind in distinct(self._vnet_headers["gso_type"][:messages]):
                self.shared["coalesce"] |= 1 << (kind & ~gso.GSO_ECN) & (gso.SENDS_UDP | gso.SENDS_TCP)
        counts = self._packet_counts[:messages]
        if not counts.all():
            for number in distinct(self._message_ports[:messages][counts == 0]):
                self._ports[number].warn_of_gso()
        made = slice(packets)
        frames = Frames(self._slots, self._start[made], self._length[made], self._port[made], self._arrival[made])
        if capture:
            self._capture(frames, "incoming")
        return frames

    def _send(self, frames: Frames) -> None:
        self._capture(frames, "outgoing")
        ports = frames.port.copy()
        start, length = np.ascontiguousarray(frames.start), np.ascontiguousarray(frames.length)
        at = self.shared.ctypes.data, frames.data.ctypes.data, start.ctypes.data, length.ctypes.data, ports.ctypes.data
        entry_point(deliver)(*at, len(frames))
        for number in distinct(ports):
            port = self._ports.get(number)
            if port is not None:
                self._send_to(port, entry_point(coalesce)(*at, len(frames), number))

    def _send_to(self, port: Port, count: int) -> None:
        first = 0
        while first < count:
            messages = self._messages_out.ctypes.data + MESSAGE.itemsize * first
            try:
                first += checked_call(libc.sendmmsg, port.fileno(), messages, count - first, socket.MSG_DONTWAIT)
            except OSError as error:
                if error.errno == errno.EINTR:
                    continue
                # ENOBUFS (the queue is full) and EMSGSIZE concern one message, any other error the interface.
                lost = 1 if error.errno in (errno.ENOBUFS, errno.EMSGSIZE) else count - first
                self.refused(port.number, error.errno or 0, int(self._packet_counts[first : first + lost].sum()))
                first += lost

    def refused(self, number: int, error: int, packets: int) -> None:
        """Counts packets that a port's interface refused. error: the errno."""
        port = self._ports[number]
        if port.dropped == 0:
            log.warning("Port %d (%s): packets dropped: %s", number, port.interface, os.strerror(error))
        port.dropped += packets

    def _capture(self, frames: Frames, name: str) -> None:
        now = 0
        for port in self._ports.values():
            capture: Capture | None = getattr(port, name)
            if capture is None:
                continue
            now = now or time.time_ns() // 1000
            try:
                capture.write(*of_port(frames, port.number), now)
            except OSError as error:
                port.end_capture(name, error.errno or 0)


def _clocks() -> tuple[int, int]:
    """time.monotonic_ns() and time.time_ns(), read together. Their difference turns the kernel's timestamps into times
    of arrival, so they are read again if the scheduler came between them."""
    for _ in range(READINGS):
        now, realtime = time.monotonic_ns(), time.time_ns()
        if time.monotonic_ns() - now < APART:
            break
    return now, realtime


def _messages(vectors: NDArray[np.void]) -> NDArray[np.void]:
    """Makes n struct mmsghdr. vectors: struct iovec of each, shape (n, vectors of a message)."""
    messages = np.zeros(len(vectors), dtype=MESSAGE)
    messages["vectors"] = addresses(vectors)
    messages["vector_count"] = vectors.shape[1]
    return messages
