"""Says when network interfaces come, go and change."""

from __future__ import annotations

import socket
from contextlib import suppress

NETLINK_ROUTE = 0
RTMGRP_LINK = 1
_BYTES = 1 << 16


class LinkEvents:
    """Listens to rtnetlink in the network namespace that it is made in; to wait for in `select` or `epoll`."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, NETLINK_ROUTE)
        self._socket.bind((0, RTMGRP_LINK))

    def fileno(self) -> int:
        """Readable from the first event until drain()."""
        return self._socket.fileno()

    def drain(self) -> None:
        """Forgets the events so far. Which they were says less than to look at the interfaces: some may be lost."""
        # Also ENOBUFS, when some are.
        with suppress(OSError):
            while self._socket.recv(_BYTES):
                pass

    def close(self) -> None:
        self._socket.close()
