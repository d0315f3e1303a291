"""The Thrift port: it listens, for those that wait for it, and refuses every call in Thrift's own terms."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

import pytest

from softswitch.thrift import ANSWER, Thrift


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    """To a Thrift port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    thrift = Thrift(port)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connected:
            yield connected
    finally:
        thrift.close()


def call(name: bytes, arguments: bytes) -> bytes:
    """Of Thrift's binary protocol, number 7."""
    return struct.pack(f">Ii{len(name)}si", 0x80010001, len(name), name, 7) + arguments + b"\0"


def exception(connection: socket.socket, name: bytes) -> tuple[str, int]:
    """The message and the type of the exception that answers a call of that name."""
    with connection.makefile("rb") as stream:
        version, length = struct.unpack(">Ii", stream.read(8))
        assert (version, stream.read(length), stream.read(4)) == (0x80010003, name, struct.pack(">i", 7))
        _, _, size = struct.unpack(">bhi", stream.read(7))
        message = stream.read(size).decode()
        _, _, kind, stop = struct.unpack(">bhib", stream.read(8))
        assert stop == 0
        return message, kind


@pytest.mark.parametrize(
    "arguments",
    [
        b"",
        b"\x08\x00\x01" + bytes(4) + b"\x0b\x00\x02\x00\x00\x00\x03abc",
        # A list of two structs, each with a map of strings to booleans.
        b"\x0f\x00\x01\x0c\x00\x00\x00\x02" + 2 * b"\x0d\x00\x01\x0b\x02\x00\x00\x00\x01\x00\x00\x00\x01k\x01\x00",
    ],
    ids=["nothing", "scalars", "containers"],
)
def test_every_call_is_refused(connection: socket.socket, arguments: bytes) -> None:
    for name in (b"standard:bm_register_read", b"bm_mgmt_get_info"):
        connection.sendall(call(name, arguments))
        assert exception(connection, name) == (ANSWER, 1)


@pytest.mark.parametrize(
    "content",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x80\x01\x00\x01\x7f\xff\xff\xff",
        call(b"x", b"\x0c\x00\x01" * 100),
        call(b"x", b"\x7f\x00\x01"),
    ],
    ids=["other protocol", "too long", "too deep", "unknown type"],
)
def test_what_is_no_call_ends_the_connection(connection: socket.socket, content: bytes) -> None:
    connection.sendall(content)
    # Reset, where there was more to read.
    with suppress(ConnectionResetError):
        assert connection.recv(1) == b""


def test_a_port_in_use_is_refused_by_name() -> None:
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"--thrift-port {port}: Address already in use"):
            Thrift(port)
