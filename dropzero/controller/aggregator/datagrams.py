"""A UDP socket in place of a switch's ports, so that a host can run the switch program."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.linux.abi import IOVEC, MESSAGE, addresses
from dropzero.linux.buffers import set_buffers
from dropzero.linux.libc import checked_call, libc
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.ports.ports import Port, Ports

BATCH = 256
SO_NO_CHECK = 11
_BUFFER = 16 << 20
_ROW = OUTER_BYTES + MAX_PAYLOAD + 1
"""One byte more than the longest packet, to detect longer ones."""

_ADDRESS = np.dtype([("family", "u2"), ("port", ">u2"), ("ip", ">u4"), ("zero", "u8")])
_OUTER = np.dtype(
    [
        ("ethernet", "u1", 14),
        *(("version", ">u2"), ("length", ">u2"), ("id", ">u4"), ("ttl_protocol", ">u2"), ("checksum", ">u2")),
        *(("source", ">u4"), ("destination", ">u4")),
        *(("source_port", ">u2"), ("destination_port", ">u2"), ("udp_length", ">u2"), ("udp_checksum", ">u2")),
    ]
)

_TRANSIENT = (
    *(errno.EAGAIN, errno.EINTR, errno.ENOBUFS, errno.ENOMEM, errno.EMSGSIZE, errno.ECONNREFUSED),
    *(errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN),
)
"""Errors that count as packet loss, which workers repair: a full queue, a worker that is gone, a link that is down."""


class _Messages:
    """`count` messages with one vector and one address each, as in recvmmsg(2)."""

    def __init__(self, count: int) -> None:
        self.addresses = np.zeros(count, _ADDRESS)
        self.vectors = np.zeros(count, IOVEC)
        self.messages = np.zeros(count, MESSAGE)
        self.addresses["family"] = socket.AF_INET
        self.messages["name"] = addresses(self.addresses)
        self.messages["name_length"] = _ADDRESS.itemsize
        self.messages["vectors"] = addresses(self.vectors)
        self.messages["vector_count"] = 1


class Datagrams(Ports):
    """Passes the socket's datagrams to the switch as packets from port 1, with the header fields that the socket
    reports. Sends the UDP packets that leave the switch, and drops others."""

    def __init__(self, ip: str, port: int) -> None:
        """Binds the socket. Raises OSError if the address is taken or belongs to another host."""
        super().__init__()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        set_buffers(self._socket, _BUFFER, _BUFFER)
        # The switch program sends no UDP checksums either.
        self._socket.setsockopt(socket.SOL_SOCKET, SO_NO_CHECK, 1)
        self._socket.bind((ip, port))
        self._rows = np.zeros((BATCH, _ROW), np.uint8)
        self._outer = np.zeros(BATCH, _OUTER)
        self._outer["ethernet"][:, 12] = 8
        self._outer["version"], self._outer["ttl_protocol"] = 0x4500, 0x4011
        self._outer["destination"], self._outer["destination_port"] = int.from_bytes(socket.inet_aton(ip)), port
        self._in, self._out = _Messages(BATCH), _Messages(BATCH)
        self._in.vectors["base"] = addresses(self._rows) + np.uint64(OUTER_BYTES)
        self._in.vectors["length"] = _ROW - OUTER_BYTES

    def __iter__(self) -> Iterator[Any]:
        yield self

    def fileno(self) -> int:
        return self._socket.fileno()

    def set_timestamps(self, wanted: bool) -> None:
        """Does nothing: the packets of a batch arrive together."""

    def receive(self, ready: list[Port], begin: int = 0) -> Frames:
        """Receives at most BATCH packets, without waiting."""
        self._in.messages["name_length"] = _ADDRESS.itemsize
        count = self._call(libc.recvmmsg, self._in.messages, BATCH, socket.MSG_DONTWAIT, None)
        lengths = self._in.messages["length"][:count].astype(np.int32) + OUTER_BYTES
        outer = self._outer[:count]
        outer["length"], outer["udp_length"] = lengths - 14, lengths - 34
        outer["source"], outer["source_port"] = self._in.addresses["ip"][:count], self._in.addresses["port"][:count]
        outer["checksum"] = 0
        header = outer.view(np.uint8).reshape(count, OUTER_BYTES)[:, 14:34]
        total = np.ascontiguousarray(header).view(">u2").sum(axis=1, dtype=np.uint32)
        total = (total & 0xFFFF) + (total >> 16)
        outer["checksum"] = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        self._rows[:count, :OUTER_BYTES] = outer.view(np.uint8).reshape(count, OUTER_BYTES)
        start = np.arange(count, dtype=np.int64) * _ROW
        whole = lengths < _ROW
        return Frames(self._rows.reshape(-1), start[whole], lengths[whole], np.ones(int(whole.sum()), np.int32))

    def send(self, frames: Frames) -> None:
        """Sends packets. Those for which the kernel has no room are lost, as on any link."""
        udp = frames.length >= OUTER_BYTES
        udp &= frames.data[np.where(udp, frames.start + 23, 0)] == socket.IPPROTO_UDP
        starts, lengths = frames.start[udp], frames.length[udp]
        for first in range(0, len(starts), BATCH):
            start, length = starts[first : first + BATCH], lengths[first : first + BATCH]
            count = len(start)
            outer = frames.data[start[:, None] + np.arange(OUTER_BYTES)].view(_OUTER)[:, 0]
            self._out.addresses["ip"][:count] = outer["destination"]
            self._out.addresses["port"][:count] = outer["destination_port"]
            self._out.vectors["base"][:count] = (start + (frames.data.ctypes.data + OUTER_BYTES)).astype(np.uint64)
            self._out.vectors["length"][:count] = length - OUTER_BYTES
            sent = 0
            while sent < count:
                # The packet at which sendmmsg stops is lost.
                sent += max(1, self._call(libc.sendmmsg, self._out.messages[sent:], count - sent, socket.MSG_DONTWAIT))

    def lost(self, port: Any) -> bool:
        """Returns False: a socket error concerns a single packet."""
        self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        return False

    def close(self) -> None:
        self._socket.close()

    def _call(self, function: Any, messages: NDArray[np.void], *arguments: Any) -> int:
        try:
            return checked_call(function, self.fileno(), messages.ctypes.data, *arguments)
        except OSError as error:
            if error.errno in _TRANSIENT:
                return 0
            raise
