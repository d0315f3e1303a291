"""UDP in batches: one system call sends or receives many datagrams, straight from and into numpy arrays."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import socket

import numpy as np
from numpy.typing import NDArray

from protocol.wire import MAX_PAYLOAD

BATCH = 64
SO_NO_CHECK = 11

# struct iovec and struct mmsghdr (recvmmsg(2)) on 64-bit Linux.
_IOVEC = np.dtype([("base", np.uintp), ("length", np.uintp)])
_MESSAGE = np.dtype(
    {
        "names": ["vectors", "count", "received"],
        "formats": [np.uintp, np.uintp, np.uint32],
        "offsets": [16, 24, 56],
        "itemsize": 64,
    }
)

_libc = ctypes.CDLL(None, use_errno=True)


def _messages(count: int) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """`count` messages of one vector each."""
    vectors, messages = np.zeros(count, _IOVEC), np.zeros(count, _MESSAGE)
    messages["vectors"] = vectors.ctypes.data + np.arange(count, dtype=np.uintp) * np.uintp(_IOVEC.itemsize)
    messages["count"] = 1
    return vectors, messages


class Transport:
    """A UDP socket that talks to the switch, once it is connected to it."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        # The switch changes the payload and sends no UDP checksum; there is none to send it either.
        self._socket.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)
        self._socket.bind(("", 0))
        self._socket.setblocking(False)
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self.payloads = np.zeros((BATCH, MAX_PAYLOAD), np.uint8)
        self._in_vectors, self._in_messages = _messages(BATCH)
        self._in_vectors["base"] = self.payloads.ctypes.data + np.arange(BATCH) * MAX_PAYLOAD
        self._in_vectors["length"] = MAX_PAYLOAD
        self._out_vectors, self._out_messages = _messages(BATCH)

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
        for first in range(0, len(rows), BATCH):
            batch = rows[first : first + BATCH]
            vectors = self._out_vectors[: len(batch)]
            vectors["base"] = payloads.ctypes.data + batch.astype(np.uintp) * np.uintp(payloads.strides[0])
            vectors["length"] = lengths[first : first + BATCH]
            self._call(_libc.sendmmsg, self._out_messages, len(batch))

    def receive(self, timeout: float) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """Waits at most so long (seconds) for datagrams. Returns their payloads, shape (n, MAX_PAYLOAD), and lengths;
        the payloads stand until the next call."""
        if not self._poll.poll(max(0.0, timeout) * 1000):
            return self.payloads[:0], np.zeros(0, np.int32)
        count = self._call(_libc.recvmmsg, self._in_messages, BATCH, None)
        return self.payloads[:count], self._in_messages["received"][:count].astype(np.int32)

    def close(self) -> None:
        self._socket.close()

    def _call(self, function: ctypes._NamedFuncPointer, messages: NDArray[np.void], count: int, *more: None) -> int:
        done = int(function(self._socket.fileno(), ctypes.c_void_p(messages.ctypes.data), count, 0, *more))
        if done >= 0:
            return done
        error = ctypes.get_errno()
        # A full queue and an unreachable switch both look like loss: the lanes' deadlines deal with it.
        if error in (errno.EAGAIN, errno.ENOBUFS, errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.EINTR):
            return 0
        raise OSError(error, os.strerror(error))
