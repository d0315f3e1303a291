"""A Thrift port that says no. BMv2 has a second control plane there, and launchers wait until it listens; this switch
has P4Runtime only, and tells a Thrift client so, whatever it calls."""

from __future__ import annotations

import logging
import socketserver
import struct
import threading
from typing import Protocol

log = logging.getLogger(__name__)

# Of Thrift's binary protocol.
VERSION, VERSION_MASK = 0x80010000, 0xFFFF0000
EXCEPTION, UNKNOWN_METHOD = 3, 1
STOP, STRING, STRUCT, MAP, SET, LIST, I32 = 0, 11, 12, 13, 14, 15, 8
SIZES = {2: 1, 3: 1, 4: 8, 6: 2, I32: 4, 10: 8}
LONGEST = 1 << 20
DEEPEST = 16
ANSWER = "this switch has no Thrift, use P4Runtime"


class Readable(Protocol):
    def read(self, count: int, /) -> bytes: ...


class Malformed(Exception):
    """What a client sent is no call."""


class Thrift:
    """Listens at a TCP port from when it is made until close(). Raises OSError when it cannot."""

    def __init__(self, port: int) -> None:
        try:
            self._server = _Server(("", port), _Connection)
        except OSError as error:
            raise OSError(error.errno, f"--thrift-port {port}: {error.strerror}") from None
        self._thread = threading.Thread(target=self._server.serve_forever, name="thrift", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False


class _Connection(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        try:
            while True:
                name, sequence = _read_call(self.rfile)
                self.wfile.write(_refused(name, sequence))
        except (Malformed, OSError):
            return


def _read_call(stream: Readable) -> tuple[bytes, int]:
    """The name of what is called, and the number of the call; its arguments are passed over."""
    version = _number(stream, ">I")
    if version & VERSION_MASK != VERSION:
        raise Malformed
    name = _bytes(stream)
    sequence = _number(stream, ">i")
    _skip(stream, STRUCT, 0)
    return name, sequence


def _refused(name: bytes, sequence: int) -> bytes:
    message = ANSWER.encode()
    return (
        struct.pack(f">Ii{len(name)}si", VERSION | EXCEPTION, len(name), name, sequence)
        + struct.pack(f">bhi{len(message)}s", STRING, 1, len(message), message)
        + struct.pack(">bhib", I32, 2, UNKNOWN_METHOD, STOP)
    )


def _skip(stream: Readable, kind: int, depth: int) -> None:
    if depth > DEEPEST:
        raise Malformed
    if kind in SIZES:
        _exactly(stream, SIZES[kind])
    elif kind == STRING:
        _bytes(stream)
    elif kind == STRUCT:
        while (field := _number(stream, ">B")) != STOP:
            _exactly(stream, 2)
            _skip(stream, field, depth + 1)
    elif kind in (LIST, SET, MAP):
        kinds = [_number(stream, ">B") for _ in range(2 if kind == MAP else 1)]
        for _ in range(_length(stream)):
            for each in kinds:
                _skip(stream, each, depth + 1)
    else:
        raise Malformed


def _bytes(stream: Readable) -> bytes:
    return _exactly(stream, _length(stream))


def _length(stream: Readable) -> int:
    length = _number(stream, ">i")
    if not 0 <= length <= LONGEST:
        raise Malformed
    return length


def _number(stream: Readable, form: str) -> int:
    (number,) = struct.unpack(form, _exactly(stream, struct.calcsize(form)))
    return int(number)


def _exactly(stream: Readable, count: int) -> bytes:
    content = stream.read(count)
    if len(content) < count:
        raise Malformed
    return content
