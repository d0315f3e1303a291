"""Adds and removes ports of a running switch."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.port_status import PortStatus
from dropzero.softswitch.ports.ports import Port


class PortTable:
    """The ports of a switch whose loop is running. Call it from any thread but the loop's."""

    def __init__(self, loop: Loop, status: PortStatus, captures: Path | None = None) -> None:
        """captures: the directory for captures; None for none."""
        self._loop = loop
        self._status = status
        self._captures = captures

    @property
    def interfaces(self) -> dict[int, str]:
        """By port number, including interfaces that do not exist at the moment."""
        return self._status.interfaces

    def add(self, number: int, interface: str) -> None:
        """Opens a port. Raises OSError if the interface cannot be opened."""
        self._loop.add(open_port(number, interface, self._captures))
        self._status.add(number, interface)

    def remove(self, number: int) -> None:
        """Closes a port. Raises KeyError if there is no such port."""
        self._status.remove(number)
        self._loop.remove(number)


def open_port(number: int, interface: str, captures: Path | None) -> Port:
    """Opens a port. Raises OSError, with a message that names the port."""
    try:
        return Port(number, interface, captures)
    except PermissionError:
        raise OSError(errno.EPERM, f"port {number}: packet sockets need root (CAP_NET_RAW)") from None
    except OSError as error:
        if error.filename is not None:
            raise
        missing = not os.path.exists(f"/sys/class/net/{interface}")
        reason = "no such interface" if missing else error.strerror
        raise OSError(error.errno, f"port {number}: {interface}: {reason}") from None
