"""The rings that the switch shares with programs on its hosts (dropzero/linux/ring.py), in addition to its interfaces.

A program asks for rings at a port. Packets that leave by the port for the program's address then go into its ring, all
others to the interface. The rings end when the program hangs up.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import numpy as np

from dropzero.linux.ring import PORT_COUNTS, PORTS, SOCKET, Request, Rings, check, counts, new_doorbell, requested
from dropzero.softswitch.ports.shared import RING, RING_FRAMES

log = logging.getLogger(__name__)

BACKLOG = 64
"""Programs that may wait to be accepted."""


class RingPorts:
    """All rings of a switch. Only for the loop's thread.

    Attributes:
        doorbell: readable when frames have come while the switch slept.
        shared: the rings as native code sees them.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """folder: gets the socket and the counts; None: there are no rings.

        Raises:
            OSError: the folder cannot be written to, others may write to it, or another switch has it.
        """
        self._listener: socket.socket | None = None
        self._asking: dict[int, socket.socket] = {}
        self._granted: dict[int, tuple[Request, Rings]] = {}
        self.doorbell = new_doorbell()
        self.shared = np.zeros(0, RING)
        if folder is None:
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check(folder)
        self._path = folder / SOCKET
        _vacate(self._path)
        self._counts = counts(folder, create=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        try:
            self._listener.bind(str(self._path))
            self._listener.listen(BACKLOG)
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._granted)

    @property
    def sockets(self) -> list[int]:
        """The descriptors to call `serve` for."""
        listener = [] if self._listener is None else [self._listener.fileno()]
        return [*listener, *self._asking, *self._granted]

    def at(self, port: int) -> list[int]:
        """The descriptors of the programs at a port."""
        return [descriptor for descriptor, (wanted, _) in self._granted.items() if wanted.port == port]

    def serve(self, descriptor: int, ports: Collection[int]) -> None:
        """Accepts a program, grants what it asks for, or ends its rings. ports: those of the switch."""
        if descriptor in self._granted:
            wanted, rings = self._granted.pop(descriptor)
            rings.close()
            self._share()
            log.info("Port %d: no more rings for %s", wanted.port, socket.inet_ntoa(wanted.ip))
        elif descriptor in self._asking:
            connection = self._asking.pop(descriptor)
            try:
                wanted = requested(connection)
                if wanted.port not in ports or wanted.port >= PORTS:
                    raise OSError(errno.ENODEV, f"there is no port {wanted.port}")
                if len(self._granted) == RING_FRAMES:
                    raise OSError(errno.ENOSPC, f"{RING_FRAMES} programs have rings, the most that can")
                self._granted[descriptor] = wanted, Rings.grant(connection, self.doorbell)
            except OSError as error:
                log.warning("A program got no rings: %s", error.strerror)
                with suppress(OSError):
                    connection.send(bytes([error.errno or errno.EPROTO]))
                connection.close()
                return
            self._share()
            log.info("Port %d: rings for %s", wanted.port, socket.inet_ntoa(wanted.ip))
        elif self._listener is not None:
            with suppress(OSError):
                connection, _ = self._listener.accept()
                self._asking[connection.fileno()] = connection

    def drain(self) -> None:
        """Empties the doorbell."""
        with suppress(BlockingIOError):
            os.eventfd_read(self.doorbell)

    def close(self) -> None:
        os.close(self.doorbell)
        for connection in self._asking.values():
            connection.close()
        for _, rings in self._granted.values():
            rings.close()
        if self._listener is not None:
            self._listener.close()
            self._path.unlink(missing_ok=True)

    def _share(self) -> None:
        self.shared = np.zeros(len(self._granted), RING)
        for row, (wanted, rings) in zip(self.shared, self._granted.values(), strict=True):
            row["memory"], row["port"] = rings.memory.ctypes.data, wanted.port
            row["ip"], row["udp_port"] = (int.from_bytes(part, "little") for part in (wanted.ip, wanted.udp_port))
            row["doorbell"] = rings.doorbells[1]
            row["counts"] = self._counts.ctypes.data + PORT_COUNTS.itemsize * wanted.port


def _vacate(path: Path) -> None:
    """Removes the socket that a killed switch has left. Raises OSError if a switch listens there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK) as probe:
        # EAGAIN: many programs wait to be accepted.
        if probe.connect_ex(str(path)) in (0, errno.EAGAIN):
            raise OSError(errno.EADDRINUSE, f"another switch offers rings in {path.parent}")
    path.unlink(missing_ok=True)
