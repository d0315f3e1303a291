"""Worker 1 breaks off as soon as it has the result of call 1, which the others do not hear until then. Each worker
prints the contributors and the result of every call."""

from __future__ import annotations

import ctypes
import socket
import struct
import sys
import threading
import time
from pathlib import Path

import numpy as np

import dropzero
from dropzero.protocol.wire import Kind

SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
# Opcodes of struct sock_filter: a packet begins with its UDP header.
LOAD_BYTE, AND, EQUALS, RETURN = 0x30, 0x54, 0x15, 0x06
LAST_RESULT = [
    (LOAD_BYTE, 0, 0, 8),
    (AND, 0, 0, 7),
    (EQUALS, 0, 3, Kind.RESULT),
    # The mask: the results of earlier rounds have no data.
    (LOAD_BYTE, 0, 0, 9),
    (EQUALS, 1, 0, 0),
    (RETURN, 0, 0, 0),
    (RETURN, 0, 0, 0xFFFF),
]
"""Drops results with data."""


def deafen(to: socket.socket, until: Path) -> None:
    """Lets a socket hear no result with data until shortly after there is such a file."""
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in LAST_RESULT))
    to.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(LAST_RESULT), ctypes.addressof(program)))

    def wait() -> None:
        while not until.exists():
            time.sleep(0.001)
        # Time in which the controller would remove a worker, if it were not patient.
        time.sleep(0.1)
        to.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    controller, job, size, rank = sys.argv[1], *map(int, sys.argv[2:5])
    gone = Path(sys.argv[5]) / "gone"
    try:
        with dropzero.connect(controller, job, size, rank=rank) as network:
            for call in range(3):
                if rank != 1 and call == 1:
                    deafen(network._caller._transport._socket, gone)
                total = network.all_reduce(np.full(32, 10**rank, np.int32))
                print(network.contributors, set(total.tolist()))
                if (rank, call) == (1, 1):
                    raise InterruptedError
    except InterruptedError:
        gone.touch()


if __name__ == "__main__":
    main()
