"""Claims on resources that only one run may use: a name, a TCP port."""

from __future__ import annotations

import socket


class Claim:
    """Names that no other process in this network namespace has claimed.

    Each is an abstract Unix socket, which belongs to the network namespace, as interface names and ports do, and
    vanishes with its process.
    """

    def __init__(self, *names: str) -> None:
        """Claims all names, or none. Raises OSError if another process has claimed one of them."""
        self.name = names[0]
        self._sockets: list[socket.socket] = []
        try:
            for name in names:
                self._sockets.append(socket.socket(socket.AF_UNIX))
                self._sockets[-1].bind(f"\0dropzero-{name}")
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Frees the names."""
        for each in self._sockets:
            each.close()
