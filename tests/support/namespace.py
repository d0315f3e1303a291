"""A network namespace with pairs of interfaces: one end is a switch port, the other the test's host."""

from __future__ import annotations

import select
import socket
import subprocess
import time
from contextlib import AbstractContextManager

from dropzero.linux.buffers import set_buffers
from dropzero.linux.namespace import inside

SOL_PACKET = 263
PACKET_IGNORE_OUTGOING = 23
ETH_P_ALL = 3
SECONDS = 600.0


class Namespace:
    """`sw1`, `sw2`, ... are the switch's ends, `h1`, `h2`, ... the hosts'. Needs root."""

    def __init__(self, name: str, pairs: int) -> None:
        self.name = name
        self._hosts: list[Host] = []
        self._run("ip", "netns", "add", name)
        for number in range(1, pairs + 1):
            self.add_pair(number)

    def add_pair(self, number: int) -> None:
        self.ip("link", "add", f"sw{number}", "type", "veth", "peer", "name", f"h{number}")
        for interface in (f"sw{number}", f"h{number}"):
            # Without IPv6, the kernel sends no packets of its own.
            self.command("sh", "-c", f"echo 1 >/proc/sys/net/ipv6/conf/{interface}/disable_ipv6")
            self.command("ethtool", "-K", interface, "tx", "off")
            self.ip("link", "set", interface, "up")
        for interface in (f"sw{number}", f"h{number}"):
            # The kernel notices later that both are up, and drops packets until then.
            self.command("sh", "-c", f"until grep -q up /sys/class/net/{interface}/operstate; do sleep 0.01; done")

    def ip(self, *arguments: str) -> None:
        self._run("ip", "-n", self.name, *arguments)

    def command(self, *arguments: str) -> None:
        self._run("ip", "netns", "exec", self.name, *arguments)

    def inside(self) -> AbstractContextManager[None]:
        """A context in which this thread makes sockets in the namespace."""
        return inside(f"/run/netns/{self.name}")

    def host(self, number: int) -> Host:
        """A host's end, open until the namespace is closed."""
        with self.inside():
            self._hosts.append(Host(f"h{number}"))
        return self._hosts[-1]

    def close(self) -> None:
        for host in self._hosts:
            host.close()
        self._run("ip", "netns", "del", self.name)

    def _run(self, *command: str) -> None:
        subprocess.run(command, check=True, capture_output=True)


class Host:
    """Raw packets at a host's end."""

    def __init__(self, interface: str) -> None:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self._socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        set_buffers(self._socket, 16 << 20, 16 << 20)
        self._socket.bind((interface, ETH_P_ALL))

    def send(self, packet: bytes) -> None:
        self._socket.send(packet)

    def receive(self, count: int = 1) -> list[bytes]:
        """The next packets; fewer if no more arrive."""
        packets: list[bytes] = []
        deadline = time.monotonic() + SECONDS
        while len(packets) < count:
            ready, _, _ = select.select([self._socket], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                break
            packets.append(self._socket.recv(1 << 17))
        return packets

    def receive_now(self) -> list[bytes]:
        """The next packet if it comes in no time."""
        ready, _, _ = select.select([self._socket], [], [], 0.05)
        return [self._socket.recv(1 << 17)] if ready else []

    def pending(self) -> bool:
        """Whether a packet is waiting."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def close(self) -> None:
        self._socket.close()
