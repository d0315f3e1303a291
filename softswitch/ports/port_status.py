"""Which ports are up, by what Linux says of their interfaces."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import socket
import struct
import threading
from collections.abc import Mapping

from dropzero.linux.link_events import LinkEvents
from dropzero.softswitch.engine.switch import Switch

log = logging.getLogger(__name__)

# Of <linux/sockios.h> and <linux/if.h>.
SIOCGIFFLAGS = 0x8913
IFF_RUNNING = 0x40
IFREQ = struct.Struct("16sH22x")


class PortStatus:
    """Tells a switch when an interface begins or ceases to run, which is when its operational state is "up" or
    "unknown", as BMv2 sees it. One that is not there is down."""

    def __init__(self, switch: Switch, interfaces: Mapping[int, str]) -> None:
        """interfaces: by port number, in the network namespace that this is called in."""
        self._switch = switch
        self._interfaces = dict(interfaces)
        # Other threads add and remove interfaces.
        self._lock = threading.RLock()
        self._links = LinkEvents()
        self._probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def fileno(self) -> int:
        """Readable when look() has something to see."""
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
        """Tells the switch that a port is down for good. Raises KeyError if there is none."""
        with self._lock:
            del self._interfaces[number]
            self._switch.set_port_status(number, False)

    def attach(self) -> None:
        """Looks now, and has an event loop look from now on. Called in that."""
        asyncio.get_running_loop().add_reader(self, self.look)
        self.look()

    def look(self) -> None:
        """Tells the switch what has changed."""
        self._links.drain()
        with self._lock:
            for number, interface in self._interfaces.items():
                self._look_at(number, interface)

    def close(self) -> None:
        """After the event loop has ended."""
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
