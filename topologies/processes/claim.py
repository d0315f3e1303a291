"""What only one run may have: a name, a TCP port."""

from __future__ import annotations

import socket


class Claim:
    """A name that nobody else in this network namespace has.

    An abstract Unix socket belongs to the network namespace, as interface names and ports do, and goes with its
    process.
    """

    def __init__(self, name: str) -> None:
        """Claims it.

        Raises:
            OSError: somebody else has it.
        """
        self.name = name
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(f"\0dropzero-{name}")
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Lets others have it."""
        self._socket.close()
