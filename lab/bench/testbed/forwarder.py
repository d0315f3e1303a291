"""A plain forwarder between packet sockets, the upper bound for a switch made of them.

`python -m lab.bench.testbed.forwarder INTERFACE...` connects the first interface with the second, the third with the
fourth, and so on. It does not look into packets, and forwards GSO packets whole.
"""

from __future__ import annotations

import select
import socket
import sys

import numpy as np

from dropzero.linux.abi import IOVEC, MESSAGE
from dropzero.linux.libc import checked_call, libc
from dropzero.softswitch.ports.ports import Port

BATCH = 64
"""GSO packets in a system call."""
ROOM = 1 << 17
"""Bytes of memory for each of them."""


def main(interfaces: list[str]) -> None:
    """Forward until killed."""
    ports = [Port(number, name) for number, name in enumerate(interfaces)]
    memory = np.zeros((BATCH, ROOM), np.uint8)
    vectors, messages = np.zeros(BATCH, IOVEC), np.zeros(BATCH, MESSAGE)
    vectors["base"] = memory.ctypes.data + ROOM * np.arange(BATCH, dtype=np.uint64)
    messages["vectors"] = vectors.ctypes.data + IOVEC.itemsize * np.arange(BATCH, dtype=np.uint64)
    messages["vector_count"] = 1
    waiting = select.epoll()
    for port in ports:
        waiting.register(port, select.EPOLLIN)
    by_descriptor = {port.fileno(): ports[port.number ^ 1] for port in ports}
    print("ready", flush=True)
    while True:
        for descriptor, _ in waiting.poll():
            vectors["length"] = ROOM
            count = checked_call(libc.recvmmsg, descriptor, messages.ctypes.data, BATCH, socket.MSG_DONTWAIT, None)
            vectors["length"][:count] = messages["length"][:count]
            checked_call(libc.sendmmsg, by_descriptor[descriptor].fileno(), messages.ctypes.data, count, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
