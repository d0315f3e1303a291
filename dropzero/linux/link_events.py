"""Reports when network interfaces appear, disappear and change."""

from __future__ import annotations

import socket
from contextlib import suppress

RTMGRP_LINK = 1
_BYTES = 1 << 16


class LinkEvents:
    """Listens to rtnetlink in the current network namespace; wait for it with `select` or `epoll`."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
        self._socket.bind((0, RTMGRP_LINK))

    def fileno(self) -> int:
        """Readable from the first event until drain()."""
        return self._socket.fileno()

    def drain(self) -> None:
        """Discards the events so far. Events may be lost, so check the interfaces instead."""
        # Also ENOBUFS, when events are lost.
        with suppress(OSError):
            while self._socket.recv(_BYTES):
                pass

    def close(self) -> None:
        self._socket.close()
