"""UDP in batches: one system call sends or receives many datagrams, straight from and into numpy arrays, and those of
one length travel as one train (Linux' UDP_SEGMENT and UDP_GRO) where the kernel and the interface can do that."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import socket
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from protocol.wire import MAX_PAYLOAD

SO_NO_CHECK = 11
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33
UDP_SEGMENT, UDP_GRO = 103, 104
IP_MTU_DISCOVER, IP_PMTUDISC_DO = 10, 2
ECT_0 = 2
BUFFER = 4 << 20

MESSAGES = 32
"""A system call's."""
MOST = 64
"""Datagrams in a train."""
LONGEST = 65507
"""Bytes of a train: what fits into one IP packet."""

# struct iovec, struct mmsghdr (recvmmsg(2)), and a struct cmsghdr with a train's datagram size, on 64-bit Linux.
_IOVEC = np.dtype([("base", np.uintp), ("length", np.uintp)])
_MESSAGE = np.dtype(
    {
        "names": ["vectors", "count", "control", "control_length", "received"],
        "formats": [np.uintp, np.uintp, np.uintp, np.uintp, np.uint32],
        "offsets": [16, 24, 32, 40, 56],
        "itemsize": 64,
    }
)
_CONTROL = np.dtype(
    {
        "names": ["length", "level", "type", "size"],
        "formats": [np.uint64, np.int32, np.int32, np.uint16],
        "offsets": [0, 8, 12, 16],
        "itemsize": 24,
    }
)

_libc = ctypes.CDLL(None, use_errno=True)


class _Messages:
    """Of one system call, with so many vectors, a control message for each."""

    def __init__(self, vectors: int) -> None:
        self.vectors = np.zeros(vectors, _IOVEC)
        self.messages = np.zeros(MESSAGES, _MESSAGE)
        self.controls = np.zeros(MESSAGES, _CONTROL)
        self.messages["control"] = _addresses(self.controls)


class Transport:
    """A UDP socket that talks to the switch, once it is connected to it."""

    def __init__(self, *, trains: bool = True) -> None:
        """trains: where they are possible."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        _set_buffer(self._socket, SO_RCVBUFFORCE, socket.SO_RCVBUF)
        _set_buffer(self._socket, SO_SNDBUFFORCE, socket.SO_SNDBUF)
        # Queues may mark the packets instead of dropping them.
        self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, ECT_0)
        # Packets that must not become fragments need no identification, and so can be joined in any order.
        self._socket.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
        self._most = MOST
        try:
            self._socket.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
            self._socket.setsockopt(socket.IPPROTO_UDP, UDP_GRO, trains)
        except OSError:
            trains = False
        if not trains:
            self._give_up_trains()
        self._socket.bind(("", 0))
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)

        self._memory = np.zeros((MESSAGES, 1 << 16), np.uint8)
        self._payloads = np.zeros((MESSAGES * MOST, MAX_PAYLOAD), np.uint8)
        self._lengths = np.zeros(MESSAGES * MOST, np.int32)
        self._in = _Messages(MESSAGES)
        self._in.vectors["base"] = _addresses(self._memory)
        self._in.vectors["length"] = self._memory.shape[1]
        self._in.messages["vectors"] = _addresses(self._in.vectors)
        self._in.messages["count"] = 1
        self._out = _Messages(MESSAGES * MOST)
        self._out.controls["length"] = _CONTROL.itemsize - 6
        self._out.controls["level"] = socket.IPPROTO_UDP
        self._out.controls["type"] = UDP_SEGMENT

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def port(self) -> int:
        """This end's port."""
        return int(self._socket.getsockname()[1])

    def connect(self, switch: tuple[str, int]) -> None:
        """Sends to that address and port from now on, and hears nobody else.

        Raises:
            OSError: there is no way to that address.
        """
        self._socket.connect(switch)

    def send(self, payloads: NDArray[np.uint8], rows: NDArray[np.int32], lengths: NDArray[np.int32]) -> None:
        """Sends those rows of `payloads`, shape (n, bytes), each a datagram of so many bytes. What the kernel has no
        room for is lost, as it could be on any link."""
        sent = 0
        while sent < len(rows):
            out = self._out
            taken, count = _join(
                payloads.ctypes.data,
                payloads.strides[0],
                rows[sent:],
                lengths[sent:],
                self._most,
                out.vectors,
                out.vectors.ctypes.data,
                out.messages,
                out.controls,
            )
            try:
                self._call(_libc.sendmmsg, out.messages, count)
            except OSError:
                if self._most == 1:
                    raise
                self._give_up_trains()
            else:
                sent += taken

    def receive(self, timeout: float) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """Waits at most so long (seconds) for datagrams. Returns their payloads, shape (n, MAX_PAYLOAD), and lengths;
        they stand until the next call."""
        count = 0
        if self._poll.poll(max(0.0, timeout) * 1000):
            self._in.messages["control_length"] = _CONTROL.itemsize
            received = self._call(_libc.recvmmsg, self._in.messages, MESSAGES, None)
            count = _part(self._memory, self._in.messages[:received], self._in.controls, self._payloads, self._lengths)
        return self._payloads[:count], self._lengths[:count]

    def close(self) -> None:
        self._socket.close()

    def _give_up_trains(self) -> None:
        """The switch changes payloads and sends no UDP checksums; alone, datagrams need none to it either."""
        self._most = 1
        self._socket.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)

    def _call(self, function: ctypes._NamedFuncPointer, messages: NDArray[np.void], count: int, *more: None) -> int:
        done = int(function(self._socket.fileno(), ctypes.c_void_p(messages.ctypes.data), count, 0, *more))
        if done >= 0:
            return done
        error = ctypes.get_errno()
        # A full queue and an unreachable switch both look like loss: the lanes' deadlines deal with it.
        if error in (errno.EAGAIN, errno.ENOBUFS, errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EINTR):
            return 0
        raise OSError(error, os.strerror(error))


def _set_buffer(udp: socket.socket, forced: int, asked: int) -> None:
    """As much as we want, or else as the administrator allows."""
    try:
        udp.setsockopt(socket.SOL_SOCKET, forced, BUFFER)
    except PermissionError:
        udp.setsockopt(socket.SOL_SOCKET, asked, BUFFER)


def _addresses(array: NDArray[Any]) -> NDArray[np.uintp]:
    """(n,) where each row lies in memory."""
    return array.ctypes.data + np.arange(len(array), dtype=np.uintp) * np.uintp(array.strides[0])


@njit(cache=True, nogil=True)
def _join(base: int, stride: int, rows: NDArray[np.int32], lengths: NDArray[np.int32], most: int,
          vectors: NDArray[np.void], first_vector: int, messages: NDArray[np.void],
          controls: NDArray[np.void]) -> tuple[int, int]:  # fmt: skip
    """Makes messages of rows that lie `stride` bytes apart: trains of neighbours of one length, of which the last may
    be shorter. Returns how many rows there was room for, and how many messages."""
    count = 0
    inside, size, whole = 0, 0, 0
    for i in range(len(rows)):
        length = lengths[i]
        if count == 0 or inside >= most or length > size or whole % size or whole + length > LONGEST:
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
        messages[count - 1].count = inside
        messages[count - 1].control_length = 24 if inside > 1 else 0
    return len(rows), count


@njit(cache=True, nogil=True)
def _part(memory: NDArray[np.uint8], messages: NDArray[np.void], controls: NDArray[np.void],
          payloads: NDArray[np.uint8], lengths: NDArray[np.int32]) -> int:  # fmt: skip
    """Copies the datagrams of messages, one in each row of memory, to the rows of payloads. Returns how many."""
    count = 0
    for i in range(len(messages)):
        size = int(messages[i].received)
        step = int(controls[i].size) if messages[i].control_length else size
        for at in range(0, size, max(step, 1)):
            length = min(step, size - at)
            if count == len(payloads) or length > payloads.shape[1]:
                break
            payloads[count, :length] = memory[i, at : at + length]
            lengths[count] = length
            count += 1
    return count
