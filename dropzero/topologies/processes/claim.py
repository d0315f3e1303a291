"""Claims on resources that only one run may use: a name, a TCP port."""

from __future__ import annotations

import socket


class Claim:
    """A name that no other process in this network namespace has claimed.

    It is an abstract Unix socket, which belongs to the network namespace, as interface names and ports do, and vanishes
    with its process.
    """

    def __init__(self, name: str) -> None:
        """Claims `name`.

        Raises:
            OSError: another process has claimed it.
        """
        self.name = name
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(f"\0dropzero-{name}")
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Frees the name."""
        self._socket.close()
