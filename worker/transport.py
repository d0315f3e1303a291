"""Sends and receives UDP in batches: one system call for many datagrams, straight from and to numpy arrays. Datagrams
of one length travel as one train (Linux' UDP_SEGMENT and UDP_GRO) where the kernel and the interface support it.

Compiled code makes the system calls, so that they can be part of a compiled loop: see pump.py.
"""

from __future__ import annotations

import errno
import os
import socket
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from dropzero.linux.abi import IOVEC, MESSAGE, addresses
from dropzero.protocol.native.compilation import compiled
from dropzero.protocol.native.handles import Handle, by_address
from dropzero.protocol.wire import MAX_PAYLOAD

SO_NO_CHECK = 11
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
UDP_SEGMENT, UDP_GRO = 103, 104
IP_MTU_DISCOVER, IP_PMTUDISC_PROBE = 10, 3
ECT_0 = 2
BUFFER = 4 << 20

MESSAGES = 32
"""Messages in a system call."""
MOST = 64
"""Datagrams in a train."""
LONGEST = 65507
"""Bytes of the longest train: what fits into one IP packet."""
SPIN = 200e-6
"""Seconds to poll before sleeping: waking up takes longer than many datagrams do. Polling in vain halves it."""
ROOM = (1 << 16) + 2 * MAX_PAYLOAD
"""Bytes of memory for a received train, with room for another datagram after its last."""

# A struct cmsghdr with the datagram size of a train, on 64-bit Linux.
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
_OWN = np.dtype(
    [
        # Datagrams in a train.
        ("most", np.int64),
        # Seconds to poll before sleeping.
        ("spin", np.float64),
        # A struct timespec, and a struct pollfd.
        ("time", [("seconds", np.int64), ("nanoseconds", np.int64)]),
        ("polled", [("descriptor", np.int32), ("events", np.int16), ("found", np.int16)]),
    ]
)
_TIME, _POLLED = (int(_OWN.fields[name][1]) for name in ("time", "polled"))  # type: ignore[index]
"""The offsets of the last two."""
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
    # What an ICMP message says, which may be forged.
    errno.ECONNREFUSED,
    errno.EHOSTDOWN,
    errno.ENONET,
    errno.ENOPROTOOPT,
    errno.EOPNOTSUPP,
    errno.EPROTO,
    errno.EACCES,
)
"""Treated as loss, which the lanes' deadlines deal with: a full queue, a link that is down, an unreachable switch."""
_DONTWAIT, _MONOTONIC = int(socket.MSG_DONTWAIT), 1

_int, _unsigned, _address = types.intc, types.uintc, types.uintp
_pointer: Any = types.CPointer
_sendmmsg: Any = types.ExternalFunction("sendmmsg", _int(_int, _address, _unsigned, _int))
_recvmmsg: Any = types.ExternalFunction("recvmmsg", _int(_int, _address, _unsigned, _int, _address))
_ppoll: Any = types.ExternalFunction("ppoll", _int(_address, _address, _address, _address))
_clock_gettime: Any = types.ExternalFunction("clock_gettime", _int(_int, _address))
_sched_yield: Any = types.ExternalFunction("sched_yield", _int())
_errno: Any = types.ExternalFunction("__errno_location", _pointer(_int)())


class Messages(NamedTuple):
    """The messages of one system call, their vectors, a control message for each, and the address of the first."""

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
    """A socket, and the memory that its system calls use."""

    descriptor: int
    own: NDArray[np.void]
    """Shape (1,): see _OWN."""
    at: int
    """The address of `own`."""
    memory: NDArray[np.uint8]
    """Shape (MESSAGES * ROOM,): one received train in each ROOM."""
    incoming: Messages
    outgoing: Messages
    rows: NDArray[np.int32]
    lengths: NDArray[np.int32]
    """Of packets to send, for callers that need to collect them."""

    @classmethod
    def of(cls, descriptor: int) -> Link:
        memory = np.zeros(MESSAGES * ROOM, np.uint8)
        incoming, outgoing = Messages.new(MESSAGES), Messages.new(MESSAGES * MOST)
        incoming.vectors["base"] = memory.ctypes.data + ROOM * np.arange(MESSAGES, dtype=np.uintp)
        incoming.vectors["length"] = LONGEST
        incoming.messages["vectors"] = addresses(incoming.vectors)
        incoming.messages["vector_count"] = 1
        outgoing.controls["length"] = _CONTROL.itemsize - 6
        outgoing.controls["level"] = socket.IPPROTO_UDP
        outgoing.controls["type"] = UDP_SEGMENT
        own = np.array([(MOST, 0.0, (0, 0), (descriptor, _POLLIN, 0))], _OWN)
        return cls(descriptor, own, own.ctypes.data, memory, incoming, outgoing, *np.zeros((2, 1 << 16), np.int32))


class Transport:
    """A UDP socket to the switch.

    Attributes:
        link: what compiled code works on.
        address: where compiled code finds the link, by `link_at`.
    """

    def __init__(self, *, trains: bool = True) -> None:
        """`trains`: use trains where the system supports them."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        _set_buffer(self._socket, SO_RCVBUFFORCE, socket.SO_RCVBUF)
        _set_buffer(self._socket, SO_SNDBUFFORCE, socket.SO_SNDBUF)
        # Queues may mark the packets instead of dropping them.
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, ECT_0)
        # Packets that are never fragmented need no identification, and so can be joined in any order. Only the device's
        # MTU limits them: anybody could forge an ICMP message that says less.
        self._socket.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
        self.link = Link.of(self._socket.fileno())
        self._handle = Handle(_place, _SIZE, self.link)
        self.address = self._handle.address
        try:
            self._socket.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
            self._socket.setsockopt(socket.IPPROTO_UDP, UDP_GRO, trains)
        except OSError:
            trains = False
        if not trains:
            self._give_up_trains()
        self._switch: tuple[str, int] | None = None
        self._socket.bind(("", 0))
        self._socket.setblocking(False)
        self._payloads = np.zeros((MESSAGES * MOST, MAX_PAYLOAD), np.uint8)
        self._lengths = np.zeros(MESSAGES * MOST, np.int32)

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def port(self) -> int:
        """This end's port."""
        return int(self._socket.getsockname()[1])

    def connect(self, switch: tuple[str, int]) -> None:
        """Sends to this address and port from now on, and receives only from there.

        Raises:
            OSError: there is no route to that address, and the socket was not connected to it before.
        """
        if switch != self._switch:
            self._socket.connect(switch)
            self._switch = switch

    def send(self, payloads: NDArray[np.uint8], rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        """Sends the first `lengths[i]` bytes of row `rows[i]` of `payloads`, shape (n, bytes), as a datagram each. What
        the kernel has no room for is lost, as on any link."""
        while error := send(self.link, payloads.ctypes.data, payloads.strides[0], rows, lengths):
            self.failed(error)

    def receive(self, timeout: float) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """Waits at most `timeout` seconds for datagrams. Returns payloads, shape (n, MAX_PAYLOAD), and lengths, shape
        (n,), both valid until the next call."""
        count = 0
        if wait(self.link, max(0.0, timeout)):
            received = receive(self.link)
            if received < 0:
                self.failed(-received)
            count = _part(self.link, received, self._payloads, self._lengths)
        return self._payloads[:count], self._lengths[:count]

    def failed(self, error: int) -> None:
        """Handles a system call's errno: gives up trains, to try again without; raises OSError if there were none."""
        if self.link.own["most"][0] == 1:
            raise OSError(error, os.strerror(error))
        self._give_up_trains()

    def close(self) -> None:
        self._socket.close()

    def _give_up_trains(self) -> None:
        """Sends single datagrams from now on, without a UDP checksum, like the switch, which changes payloads."""
        self.link.own["most"] = 1
        self._socket.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)


def _set_buffer(udp: socket.socket, forced: int, asked: int) -> None:
    """Sets a buffer of BUFFER bytes, or the largest that the administrator allows."""
    try:
        udp.setsockopt(socket.SOL_SOCKET, forced, BUFFER)
    except PermissionError:
        udp.setsockopt(socket.SOL_SOCKET, asked, BUFFER)


_put, link_at, _SIZE = by_address(Link.of(0))


@compiled
def _place(link: Link, address: int) -> None:
    _put(link, address)


@compiled
def monotonic(link: Link) -> float:
    """As time.monotonic()."""
    _clock_gettime(_MONOTONIC, link.at + _TIME)
    time = link.own[0].time
    return float(time.seconds + time.nanoseconds * 1e-9)


@compiled
def wait(link: Link, seconds: float) -> bool:
    """Waits at most `seconds` for datagrams or a signal. Returns whether there are datagrams."""
    whole = int(seconds)
    time = link.own[0].time
    time.seconds, time.nanoseconds = whole, int((seconds - whole) * 1e9)
    return bool(_ppoll(link.at + _POLLED, 1, link.at + _TIME, 0) > 0)


@compiled
def receive(link: Link) -> int:
    """Receives what has arrived, without waiting. Returns the number of messages, or -errno."""
    messages = link.incoming.messages
    for i in range(MESSAGES):
        messages[i].control_length = _CONTROL_SIZE
    count = _recvmmsg(link.descriptor, link.incoming.address, MESSAGES, _DONTWAIT, 0)
    return count if count >= 0 else -_serious()


@compiled
def look(link: Link, now: float) -> int:
    """Receives what has arrived, or arrives while it polls. Returns as `receive`."""
    until = now + link.own[0].spin
    _sched_yield()
    received = receive(link)
    if received:
        return received
    while True:
        _sched_yield()
        received = receive(link)
        if received:
            link.own[0].spin = SPIN
            return received
        if monotonic(link) >= until:
            link.own[0].spin /= 2
            return 0


@compiled
def train(link: Link, number: int) -> tuple[int, int, int]:
    """A received message: its start in memory, its bytes, and those of each of its datagrams but the last."""
    message = link.incoming.messages[number]
    size = int(message.length)
    step = int(link.incoming.controls[number].size) if message.control_length else size
    return number * ROOM, size, max(step, 1)


@compiled
def send(link: Link, base: int, stride: int, rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> int:
    """Sends payloads that lie `stride` bytes apart from address `base` on. Returns 0, or an errno."""
    sent = 0
    while sent < len(rows):
        taken, count = _join(link, base, stride, rows[sent:], lengths[sent:])
        if _sendmmsg(link.descriptor, link.outgoing.address, count, 0) < 0:
            error = _serious()
            if error:
                return error
        sent += taken
    return 0


@compiled
def _serious() -> int:
    """The last system call's errno, or 0 if it counts as loss."""
    error = int(_errno()[0])
    return 0 if error in _TRANSIENT else error


@compiled
def _join(link: Link, base: int, stride: int, rows: NDArray[np.int32],
          lengths: NDArray[np.int32]) -> tuple[int, int]:  # fmt: skip
    """Joins rows to messages: trains of consecutive rows of one length; a train's last row may be shorter. Returns the
    number of rows that fitted, and the number of messages."""
    vectors, messages, controls, _, first_vector = link.outgoing
    count = 0
    inside, size, whole = 0, 0, 0
    for i in range(len(rows)):
        length = lengths[i]
        if count == 0 or inside >= link.own[0].most or length > size or whole % size or whole + length > LONGEST:
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
def _part(link: Link, count: int, payloads: NDArray[np.uint8], lengths: NDArray[np.int32]) -> int:
    """Copies the datagrams of `count` messages to the rows of `payloads`. Returns how many."""
    done = 0
    for i in range(count):
        begin, size, step = train(link, i)
        for at in range(0, size, step):
            length = min(step, size - at)
            if done == len(payloads) or length > payloads.shape[1]:
                break
            for k in range(length):
                payloads[done, k] = link.memory[begin + at + k]
            lengths[done] = length
            done += 1
    return done
