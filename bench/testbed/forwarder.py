"""Two pairs of interfaces tied together by packet sockets, trains and all: what a switch could at most do here.

As `python -m bench.testbed.forwarder INTERFACE...`: what comes in by the first leaves by the second, and the other way
round, and so for each further two. Nothing is looked at, and a train goes on as it came.
"""

from __future__ import annotations

import select
import socket
import sys

import numpy as np

from dropzero.softswitch.ports import Port
from dropzero.softswitch.vectors import IOVEC, MESSAGE, checked_call, libc

SLOTS = 64
ROOM = 1 << 17


def main(interfaces: list[str]) -> None:
    """Until it is killed."""
    ports = [Port(number, name) for number, name in enumerate(interfaces)]
    memory = np.zeros((SLOTS, ROOM), np.uint8)
    vectors, messages = np.zeros(SLOTS, IOVEC), np.zeros(SLOTS, MESSAGE)
    vectors["base"] = memory.ctypes.data + ROOM * np.arange(SLOTS, dtype=np.uint64)
    messages["vectors"] = vectors.ctypes.data + IOVEC.itemsize * np.arange(SLOTS, dtype=np.uint64)
    messages["vector_count"] = 1
    waiting = select.epoll()
    for port in ports:
        waiting.register(port, select.EPOLLIN)
    by_descriptor = {port.fileno(): ports[port.number ^ 1] for port in ports}
    print("ready", flush=True)
    while True:
        for descriptor, _ in waiting.poll():
            vectors["length"] = ROOM
            count = checked_call(libc.recvmmsg, descriptor, messages.ctypes.data, SLOTS, socket.MSG_DONTWAIT, None)
            vectors["length"][:count] = messages["length"][:count]
            checked_call(libc.sendmmsg, by_descriptor[descriptor].fileno(), messages.ctypes.data, count, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
