"""Watches which ports are up, from the state of their interfaces."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import socket
import struct
import threading
from collections.abc import Mapping

from dropzero.linux.netlink import LinkEvents
from dropzero.softswitch.engine.switch import Switch

log = logging.getLogger(__name__)

# <linux/sockios.h> and <linux/if.h>
SIOCGIFFLAGS = 0x8913
IFF_RUNNING = 0x40
IFREQ = struct.Struct("16sH22x")


class PortStatus:
    """Sets the status of a switch's ports. As in BMv2, a port is up if its interface is running: its operational state
    is "up" or "unknown". A port whose interface does not exist is down."""

    def __init__(self, switch: Switch, interfaces: Mapping[int, str]) -> None:
        """interfaces: by port number, in the current network namespace."""
        self._switch = switch
        self._interfaces = dict(interfaces)
        # Other threads add and remove interfaces.
        self._lock = threading.RLock()
        self._links = LinkEvents()
        self._probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def fileno(self) -> int:
        """Readable when interfaces have changed since look()."""
        return self._links.fileno()

    @property
    def interfaces(self) -> dict[int, str]:
        """By port number."""
        with self._lock:
            return dict(self._interfaces)

    def add(self, number: int, interface: str) -> None:
        """Watches one more interface."""
        with self._lock:
            self._interfaces[number] = interface
            self._look_at(number, interface)

    def remove(self, number: int) -> None:
        """Stops watching a port, which then counts as down. Raises KeyError if it is not watched."""
        with self._lock:
            del self._interfaces[number]
            self._switch.set_port_status(number, False)

    def attach(self) -> None:
        """Looks now, and from then on whenever an interface changes. Call it in the event loop that is to look."""
        asyncio.get_running_loop().add_reader(self, self.look)
        self.look()

    def look(self) -> None:
        """Tells the switch which ports have changed."""
        self._links.drain()
        with self._lock:
            for number, interface in self._interfaces.items():
                self._look_at(number, interface)

    def close(self) -> None:
        """Call it after the event loop has ended."""
        self._links.close()
        self._probe.close()

    def _look_at(self, number: int, interface: str) -> None:
        up = self._runs(interface)
        if up == (number in self._switch.ports_down):
            log.info("Port %d (%s) is %s", number, interface, "up" if up else "down")
            self._switch.set_port_status(number, up)

    def _runs(self, interface: str) -> bool:
        try:
            answer = fcntl.ioctl(self._probe, SIOCGIFFLAGS, IFREQ.pack(interface.encode(), 0))
        except OSError:
            return False
        _, flags = IFREQ.unpack(answer)
        return bool(flags & IFF_RUNNING)
