"""Sends and receives UDP in batches: one system call for many datagrams, straight from and to numpy arrays.

Consecutive datagrams of one length form one message, which the kernel cuts into segments (UDP GSO) and joins again (UDP
GRO), where kernel and interface support it. Compiled code makes the system calls, so that they can be part of a
compiled loop (pump.py).
"""

from __future__ import annotations

import errno
import os
import socket
from collections import deque
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.abi import IOVEC, MESSAGE, addresses
from dropzero.linux.buffers import set_buffers
from dropzero.linux.ring import SCARCE, Rings
from dropzero.native import libc
from dropzero.native.compilation import compiled
from dropzero.native.handles import Handle, by_address
from dropzero.protocol.wire import MAX_PAYLOAD
from dropzero.worker import ring
from dropzero.worker.ring import ECT_0, Ends

SO_NO_CHECK = 11
UDP_SEGMENT, UDP_GRO = 103, 104
IP_MTU_DISCOVER, IP_PMTUDISC_PROBE = 10, 3
BUFFER = 4 << 20

MESSAGES = 32
"""Messages in a system call."""
MAX_SEGMENTS = 64
"""Datagrams in a GSO message (UDP_MAX_SEGMENTS of Linux)."""
MAX_GSO_BYTES = 65507
"""Bytes in a GSO message: what fits into one IP packet."""
SPIN = 60e-6
"""Seconds to poll before sleeping: waking up takes longer than many datagrams do. Polling in vain halves it."""
STRIDE = (1 << 16) + 2 * MAX_PAYLOAD
"""Bytes of memory for a received message, with room for another datagram after its last."""

# A struct cmsghdr with the segment size of a GSO message, on 64-bit Linux.
_CONTROL = np.dtype(
    {
        "names": ["length", "level", "type", "size"],
        "formats": [np.uint64, np.int32, np.int32, np.uint16],
        "offsets": [0, 8, 12, 16],
        "itemsize": 24,
    }
)
_CONTROL_SIZE = _CONTROL.itemsize
_POLLIN = 1
_SCRATCH = np.dtype(
    [
        # The most datagrams in a message.
        ("max_segments", np.int64),
        # Seconds to poll before sleeping.
        ("spin", np.float64),
        # Whether there are rings, and whether the last messages came through them.
        ("rings", np.bool_),
        ("by_ring", np.bool_),
        # A struct timespec, and a struct pollfd each of the socket, the rings' doorbell, and their connection.
        ("time", [("seconds", np.int64), ("nanoseconds", np.int64)]),
        ("polled", [("descriptor", np.int32), ("events", np.int16), ("found", np.int16)], 3),
    ]
)
_TIME, _POLLED = (int(_SCRATCH.fields[name][1]) for name in ("time", "polled"))  # type: ignore[index]
"""Their offsets in a _SCRATCH."""
_TRANSIENT = (
    errno.EAGAIN,
    errno.EINTR,
    errno.ENOBUFS,
    errno.ENOMEM,
    # The link is down, or another MTU is being set.
    errno.ENETUNREACH,
    errno.ENETDOWN,
    errno.EHOSTUNREACH,
    errno.EMSGSIZE,
    # Reported by ICMP messages, which may be forged.
    errno.ECONNREFUSED,
    errno.EHOSTDOWN,
    errno.ENONET,
    errno.ENOPROTOOPT,
    errno.EOPNOTSUPP,
    errno.EPROTO,
    errno.EACCES,
)
"""Errors that count as packet loss, which the retransmission timer handles: a full queue, a link that is down, an
unreachable switch."""
_DONTWAIT, _MONOTONIC = int(socket.MSG_DONTWAIT), 1


class Messages(NamedTuple):
    """The arguments of sendmmsg or recvmmsg: struct mmsghdrs, their iovecs, and a control message for each; and the
    addresses of the first message and of the first vector."""

    vectors: NDArray[np.void]
    messages: NDArray[np.void]
    controls: NDArray[np.void]
    address: int
    first_vector: int

    @classmethod
    def new(cls, vectors: int) -> Messages:
        made = cls(np.zeros(vectors, IOVEC), np.zeros(MESSAGES, MESSAGE), np.zeros(MESSAGES, _CONTROL), 0, 0)
        made.messages["control"] = addresses(made.controls)
        return made._replace(address=made.messages.ctypes.data, first_vector=made.vectors.ctypes.data)


class Link(NamedTuple):
    """The memory that a socket's system calls use."""

    scratch: NDArray[np.void]
    """Shape (1,): see _SCRATCH."""
    at: int
    """The address of `scratch`."""
    memory: NDArray[np.uint8]
    """Shape (MESSAGES * STRIDE,): message i is received at i * STRIDE."""
    incoming: Messages
    outgoing: Messages
    ends: Ends
    """The ends of the rings, if there are any."""
    rows: NDArray[np.int32]
    lengths: NDArray[np.int32]
    """Memory in which callers collect the arguments of `send`, shape (2^16,)."""

    @classmethod
    def new(cls) -> Link:
        memory = np.zeros(MESSAGES * STRIDE, np.uint8)
        incoming, outgoing = Messages.new(MESSAGES), Messages.new(MESSAGES * MAX_SEGMENTS)
        incoming.vectors["base"] = memory.ctypes.data + STRIDE * np.arange(MESSAGES, dtype=np.uintp)
        incoming.vectors["length"] = MAX_GSO_BYTES
        incoming.messages["vectors"] = addresses(incoming.vectors)
        incoming.messages["vector_count"] = 1
        outgoing.controls["length"] = _CONTROL.itemsize - 6
        outgoing.controls["level"] = socket.IPPROTO_UDP
        outgoing.controls["type"] = UDP_SEGMENT
        scratch = np.zeros(1, _SCRATCH)
        collected = np.zeros((2, 1 << 16), np.int32)
        return cls(scratch, scratch.ctypes.data, memory, incoming, outgoing, ring.NONE, *collected)

    def use(self, descriptor: int) -> None:
        """Makes compiled code use this socket."""
        self.scratch[:] = 0
        self.scratch["max_segments"] = MAX_SEGMENTS
        self.scratch["polled"]["descriptor"] = descriptor, -1, -1
        self.scratch["polled"]["events"] = _POLLIN


class Transport:
    """A UDP socket to the switch.

    Attributes:
        link: the socket as compiled code sees it.
        address: the link's address, for `link_at` in compiled code.
    """

    def __init__(self, ip: str | None = None, *, gso: bool = True, rings: tuple[Path, int] | None = None) -> None:
        """Args:
            ip: this host's address in the switch's network; None: the one from which `connect` reaches the switch.
            gso: use UDP GSO and GRO if the system supports them.
            rings: the folder of a switch that offers rings, and its port to this host.

        Raises:
            OSError: this host does not have that address.
        """
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        set_buffers(self._socket, BUFFER, BUFFER)
        # Queues may mark the packets instead of dropping them.
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, ECT_0)
        # Packets that are never fragmented need no IP identification, so GRO can join them in any order. Only the
        # device's MTU limits their size: anybody could forge an ICMP message with a smaller one.
        self._socket.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
        try:
            self._handle = _SPARE.pop()
        except IndexError:
            self._handle = Handle(_place, Link.new())
        self.link = self._handle.content
        self.link.use(self._socket.fileno())
        self.address = self._handle.address
        try:
            self._socket.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
            self._socket.setsockopt(socket.IPPROTO_UDP, UDP_GRO, gso)
        except OSError:
            gso = False
        if not gso:
            self._disable_gso()
        self._switch: tuple[str, int] | None = None
        self._offered = rings
        self._rings: Rings | None = None
        if ip is not None:
            self._bind(ip)
        self._socket.setblocking(False)

    def _bind(self, ip: str) -> None:
        try:
            self._socket.bind((ip, 0))
        except OSError as error:
            self._socket.close()
            raise OSError(error.errno, f"this host cannot receive at {ip}: {error.strerror}") from None

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def port(self) -> int:
        """This end's port."""
        return int(self._socket.getsockname()[1])

    def connect(self, switch: tuple[str, int]) -> None:
        """Sends to this address and port from now on, and receives only from there. Rings to another address end.

        Raises:
            OSError: there is no route to that address, and the socket was not connected to it before.
        """
        if switch != self._switch:
            self._socket.connect(switch)
            self._switch = switch
            self._close_rings()

    def attach(self) -> None:
        """Replaces the socket by rings if the switch offers some and there are none now. Until the kernel knows the
        switch's MAC address, while the switch is gone, and if there is no room for rings, the socket remains in use.

        Raises:
            OSError: there is no folder of a switch, or the switch has no such port.
        """
        if self._offered is None or self._switch is None or self.link.scratch["rings"][0]:
            return
        folder, port = self._offered
        try:
            attached = ring.attach(folder, port, self._socket)
        except (BlockingIOError, ConnectionError, FileNotFoundError, TimeoutError):
            # The switch may come back.
            return
        except OSError as error:
            if error.errno not in SCARCE:
                raise
            self._offered = None
            return
        if attached is None:
            return
        self._close_rings()
        self._rings, ends = attached
        self._hold(ends)
        self.link.scratch["polled"]["descriptor"][0, 1:] = self._rings.doorbells[1], self._rings.connection.fileno()
        self.link.scratch["rings"] = True

    def send(self, payloads: NDArray[np.uint8], rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        """Sends the first `lengths[i]` bytes of row `rows[i]` of `payloads`, shape (n, bytes), as one datagram for each
        i. Datagrams for which the kernel has no room are lost, as on any link."""
        while error := send(self.link, payloads.ctypes.data, payloads.strides[0], rows, lengths):
            self.failed(error)

    def receive(self, timeout: float) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """Waits at most `timeout` seconds for datagrams. Returns payloads, shape (n, MAX_PAYLOAD), and lengths, shape
        (n,)."""
        payloads = np.empty((MESSAGES * MAX_SEGMENTS, MAX_PAYLOAD), np.uint8)
        lengths, count = np.empty(len(payloads), np.int32), 0
        if wait(self.link, max(0.0, timeout)):
            received = receive(self.link)
            if received < 0:
                self.failed(-received)
            count = _split(self.link, received, payloads, lengths)
        return payloads[:count], lengths[:count]

    def failed(self, error: int) -> None:
        """Handles a system call's errno: disables GSO, so that the caller can try again, or, if it already is, raises
        OSError."""
        if self.link.scratch["max_segments"][0] == 1:
            raise OSError(error, os.strerror(error))
        self._disable_gso()

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            self._socket.close()
            self._close_rings()
            _SPARE.append(self._handle)

    def _close_rings(self) -> None:
        self.link.scratch["rings"] = False
        if self._rings is not None:
            self._rings.close()
            self._rings = None
            self._hold(ring.NONE)

    def _hold(self, ends: Ends) -> None:
        self.link = self.link._replace(ends=ends)
        self._handle.hold(self.link)

    def _disable_gso(self) -> None:
        """Sends single datagrams from now on, without a UDP checksum, as the switch does."""
        self.link.scratch["max_segments"] = 1
        self._socket.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)


_put, link_at = by_address(Link.new())
_SPARE: deque[Handle[Link]] = deque(maxlen=8)
"""The memory of closed transports, for the next ones: to make it takes longer than all else that a transport needs."""


@compiled
def _place(link: Link, address: int) -> None:
    _put(link, address)


@compiled
def monotonic(link: Link) -> float:
    """The same clock as time.monotonic()."""
    libc.clock_gettime(_MONOTONIC, link.at + _TIME)
    time = link.scratch[0].time
    return float(time.seconds + time.nanoseconds * 1e-9)


@compiled
def wait(link: Link, seconds: float) -> bool:
    """Waits at most `seconds` for datagrams or a signal. Returns whether there are datagrams."""
    whole = int(seconds)
    time = link.scratch[0].time
    time.seconds, time.nanoseconds = whole, int((seconds - whole) * 1e9)
    if not link.scratch[0].rings:
        return bool(libc.ppoll(link.at + _POLLED, 1, link.at + _TIME, 0) > 0)
    found = ring.rest(link.ends) or libc.ppoll(link.at + _POLLED, 3, link.at + _TIME, 0) > 0
    ring.wake(link.ends)
    polled = link.scratch[0].polled
    if polled[2].found:
        link.scratch[0].rings = False
    return found


@compiled
def receive(link: Link) -> int:
    """Receives the messages that have arrived, without waiting. Returns their number, or -errno."""
    scratch = link.scratch[0]
    if scratch.rings:
        count = ring.take(link.ends)
        scratch.by_ring = count > 0
        if count or not scratch.polled[0].found:
            return count
        scratch.polled[0].found = 0
    scratch.by_ring = False
    messages = link.incoming.messages
    for i in range(MESSAGES):
        messages[i].control_length = _CONTROL_SIZE
    count = libc.recvmmsg(scratch.polled[0].descriptor, link.incoming.address, MESSAGES, _DONTWAIT, 0)
    return count if count >= 0 else -_fatal_errno()


@compiled
def poll(link: Link, now: float) -> int:
    """As `receive`, but polls for a while if nothing has arrived."""
    until = now + link.scratch[0].spin
    libc.sched_yield()
    received = receive(link)
    if received:
        return received
    while True:
        libc.sched_yield()
        received = receive(link)
        if received:
            link.scratch[0].spin = SPIN
            return received
        if monotonic(link) >= until:
            link.scratch[0].spin /= 2
            return 0


@compiled
def segments(link: Link, number: int) -> tuple[int, int, int]:
    """Returns where a received message starts in memory, its length, and the length of its datagrams, in bytes; the
    last datagram may be shorter."""
    if link.scratch[0].by_ring:
        size = ring.size(link.ends, number)
        return ring.start(link.ends, number), size, max(size, 1)
    message = link.incoming.messages[number]
    size = int(message.length)
    step = int(link.incoming.controls[number].size) if message.control_length else size
    return number * STRIDE, size, max(step, 1)


@compiled
def send(link: Link, base: int, stride: int, rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> int:
    """Sends payloads: row r is at address base + r * stride. Returns 0, or an errno."""
    if link.scratch[0].rings:
        ring.put(link.ends, base, stride, rows, lengths)
        return 0
    sent = 0
    while sent < len(rows):
        taken, count = _gather(link, base, stride, rows[sent:], lengths[sent:])
        if libc.sendmmsg(link.scratch[0].polled[0].descriptor, link.outgoing.address, count, 0) < 0:
            error = _fatal_errno()
            if error:
                return error
        sent += taken
    return 0


@compiled
def _fatal_errno() -> int:
    """The last system call's errno; 0 if it counts as packet loss."""
    error = int(libc.errno()[0])
    return 0 if error in _TRANSIENT else error


@compiled
def _gather(link: Link, base: int, stride: int, rows: NDArray[np.int32],
          lengths: NDArray[np.int32]) -> tuple[int, int]:  # fmt: skip
    """Fills the outgoing messages: consecutive rows of one length share a message, whose last row may be shorter.
    Returns the number of rows that fit, and the number of messages."""
    vectors, messages, controls, _, first_vector = link.outgoing
    count = 0
    inside, size, whole = 0, 0, 0
    for i in range(len(rows)):
        length = lengths[i]
        full = inside >= link.scratch[0].max_segments or whole + length > MAX_GSO_BYTES
        if count == 0 or full or length > size or whole % size:
            if count == len(messages):
                return i, count
            message = messages[count]
            message.vectors = first_vector + 16 * i
            controls[count].size = length
            count += 1
            inside, size, whole = 0, length, 0
        vectors[i].base = base + stride * rows[i]
        vectors[i].length = length
        inside += 1
        whole += length
        messages[count - 1].vector_count = inside
        messages[count - 1].control_length = _CONTROL_SIZE if inside > 1 else 0
    return len(rows), count


@compiled
def _split(link: Link, count: int, payloads: NDArray[np.uint8], lengths: NDArray[np.int32]) -> int:
    """Copies the datagrams of `count` received messages to the rows of `payloads`. Returns their number."""
    done = 0
    memory = link.ends.memory if link.scratch[0].by_ring else link.memory
    for i in range(count):
        begin, size, step = segments(link, i)
        for at in range(0, size, step):
            length = min(step, size - at)
            if done == len(payloads) or length > payloads.shape[1]:
                break
            for k in range(length):
                payloads[done, k] = memory[begin + at + k]
            lengths[done] = length
            done += 1
    return done
