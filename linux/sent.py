"""Counts what network interfaces have sent."""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

_CLONE_NEWNET = 0x40000000
_BYTES = 1 << 16
# linux/netlink.h, linux/rtnetlink.h, linux/pkt_sched.h, linux/gen_stats.h
_REQUEST_DUMP = 0x301
_ERROR, _DONE = 2, 3
_NEW_DISCIPLINE, _GET_DISCIPLINE = 36, 38
_ROOT = 0xFFFFFFFF
_STATISTICS, _BASIC, _QUEUE = 7, 1, 3
_HEADER = struct.Struct("=LHHLL")
_DISCIPLINE = struct.Struct("=BxxxiLLL")
_ATTRIBUTE = struct.Struct("=HH")


class Sent(NamedTuple):
    """Packets and bytes (Ethernet headers included) that left, and packets that found the queue full."""

    packets: int
    bytes: int
    dropped: int


class SentCounters:
    """The counters of all interfaces in one network namespace, read from their queueing disciplines through rtnetlink.

    Unlike the interfaces' own counters, these count a UDP GSO packet as the packets that it has on the wire.
    """

    def __init__(self, pid: int | None = None) -> None:
        """`pid`: of a process in the namespace; None for this process's. Raises OSError."""
        with _within(pid):
            self._names = dict(socket.if_nameindex())
            # A socket stays in the namespace in which it was made.
            self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)

    def read(self) -> dict[str, Sent]:
        """The counters by interface name. Raises OSError."""
        body = _DISCIPLINE.pack(socket.AF_UNSPEC, 0, 0, 0, 0)
        self._socket.send(_HEADER.pack(_HEADER.size + len(body), _GET_DISCIPLINE, _REQUEST_DUMP, 0, 0) + body)
        found = {}
        for kind, message in self._answer():
            if kind != _NEW_DISCIPLINE:
                continue
            _, index, _, parent, _ = _DISCIPLINE.unpack_from(message)
            if parent == _ROOT and index in self._names:
                found[self._names[index]] = _sent(message[_DISCIPLINE.size :])
        return found

    def _answer(self) -> Iterator[tuple[int, bytes]]:
        """The messages of a dump, each with its kind."""
        while True:
            data = self._socket.recv(_BYTES)
            while data:
                length, kind, *_ = _HEADER.unpack_from(data)
                if kind == _DONE:
                    return
                message = data[_HEADER.size : length]
                if kind == _ERROR:
                    number = -int.from_bytes(message[:4], "little", signed=True)
                    raise OSError(number, os.strerror(number))
                yield kind, message
                data = data[_aligned(length) :]

    def close(self) -> None:
        self._socket.close()


@contextmanager
def _within(pid: int | None) -> Iterator[None]:
    """Has this thread in another process's network namespace for the block."""
    if pid is None:
        yield
        return
    here = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _enter(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _enter(here)
    finally:
        os.close(here)


def _enter(namespace: int) -> None:
    # os.setns is new in Python 3.12.
    if ctypes.CDLL(None, use_errno=True).setns(namespace, _CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, f"cannot enter a network namespace: {os.strerror(number)}")


def _sent(attributes: bytes) -> Sent:
    inner = dict(_attributes(dict(_attributes(attributes)).get(_STATISTICS, b"")))
    count, packets = struct.unpack_from("=QL", inner.get(_BASIC, bytes(12)))
    _, _, dropped = struct.unpack_from("=LLL", inner.get(_QUEUE, bytes(12)))
    return Sent(packets, count, dropped)


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= _ATTRIBUTE.size:
        length, kind = _ATTRIBUTE.unpack_from(data)
        if length < _ATTRIBUTE.size:
            return
        # The highest bits are flags.
        yield kind & 0x3FFF, data[_ATTRIBUTE.size : length]
        data = data[_aligned(length) :]


def _aligned(length: int) -> int:
    return -(-length // 4) * 4
