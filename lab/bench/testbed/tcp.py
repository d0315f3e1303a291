"""TCP from one emulated host to another, with nothing to install on them."""

from __future__ import annotations

import select
import socket
import time
from struct import pack

from dropzero.linux.namespace import inside
from dropzero.topologies.networks.host import Host

PIECE = 128 << 10
"""Bytes of one write, as many as iperf's."""
CONNECT_SECONDS = 5.0
"""Time for three attempts of Linux to connect, which are 1 and 2 seconds apart."""
SILENCE = 0.05
"""Seconds without data after which all are taken to have left the switch."""


def throughput(sender: Host, receiver: Host, seconds: float) -> float:
    """Send as much as TCP takes. Returns the bits per second that arrived: 0 without a connection."""
    with inside(receiver.pid):
        listener = socket.create_server((receiver.IP(), 0))
    with inside(sender.pid):
        source = socket.socket()
    with listener, source:
        source.settimeout(CONNECT_SECONDS)
        listener.settimeout(CONNECT_SECONDS)
        try:
            source.connect(listener.getsockname())
            sink, _ = listener.accept()
        except TimeoutError:
            return 0.0
        with sink:
            return _transfer(source, sink, seconds)


def _transfer(source: socket.socket, sink: socket.socket, seconds: float) -> float:
    source.setblocking(False)
    # No data is sent after the end.
    source.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
    content, buffer = memoryview(bytes(PIECE)), memoryview(bytearray(PIECE))
    came = 0
    begin = now = time.perf_counter()
    while now - begin < seconds:
        readable, writable, _ = select.select([sink], [source], [], seconds)
        if writable:
            source.send(content)
        if readable:
            came += sink.recv_into(buffer)
        now = time.perf_counter()
    source.close()
    while select.select([sink], [], [], SILENCE)[0]:
        try:
            if not sink.recv_into(buffer):
                break
        except ConnectionResetError:
            break
    return 8 * came / (now - begin)
