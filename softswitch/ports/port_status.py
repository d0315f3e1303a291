"""Which ports are up, by what Linux says of their interfaces."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import socket
import struct
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
        self._interfaces = interfaces
        self._links = LinkEvents()
        self._probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def fileno(self) -> int:
        """Readable when look() has something to see."""
        return self._links.fileno()

    def attach(self) -> None:
        """Looks now, and has an event loop look from now on. Called in that."""
        asyncio.get_running_loop().add_reader(self, self.look)
        self.look()

    def look(self) -> None:
        """Tells the switch what has changed."""
        self._links.drain()
        for number, interface in self._interfaces.items():
            up = self._runs(interface)
            if up == (number in self._switch.ports_down):
                log.info("Port %d (%s) is %s", number, interface, "up" if up else "down")
                self._switch.set_port_status(number, up)

    def close(self) -> None:
        """After the event loop has ended."""
        self._links.close()
        self._probe.close()

    def _runs(self, interface: str) -> bool:
        try:
            answer = fcntl.ioctl(self._probe, SIOCGIFFLAGS, IFREQ.pack(interface.encode(), 0))
        except OSError:
            return False
        _, flags = IFREQ.unpack(answer)
        return bool(flags & IFF_RUNNING)
