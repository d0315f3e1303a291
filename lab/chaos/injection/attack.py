"""Attackers that forge packets: any user of a worker's own host, and another host that sends raw frames."""

from __future__ import annotations

import os
import select
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Self

from dropzero.linux.namespace import inside
from dropzero.topologies.networks.host import Host
from lab.chaos.injection.forgery import Endpoint, Forger, Packet

ETH_P_ALL = 3
NOBODY = 65_534
OBSERVED = 64
"""Packets observed before each volley, at most: valid fields change quickly."""
FORGED = 16
"""Packets that each attacker forges from an observed one."""
LONGEST_FRAME = 1 << 16
OBSERVATION = 0.05
"""Seconds to observe packets before each volley."""


class Attack(ExitStack):
    """A context manager that forges packets from packets observed at the victims."""

    def __init__(self, victims: Sequence[Host], other: Host, seed: int, sent: Counter[str]) -> None:
        """victims: hosts with workers. other: the host that poses as the switch or as a victim. sent: counts forged
        packets, by sender and receiver."""
        super().__init__()
        self.sent = sent
        self._victims, self._other, self._forger = victims, other, Forger(seed)

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            self._views = [resources.enter_context(_raw(host)) for host in self._victims]
            self._users = [resources.enter_context(_user(host)) for host in self._victims]
            self._raw = resources.enter_context(_raw(self._other))
            mac = bytes.fromhex(str(self._other.MAC()).replace(":", ""))
            self._own: Endpoint = mac, socket.inet_aton(str(self._other.IP())), 4242
            self.push(resources.pop_all())
        return self

    def send_volley(self) -> int:
        """Send a volley. Returns its packets: 0 if none were observed."""
        seen = [(at, packet) for at, view in enumerate(self._views) for packet in _recent(view)]
        before = self.sent.total()
        for at, packet in seen:
            for _ in range(FORGED):
                self._count("another host", self._raw.send, self._forger.frame(packet, self._own))
                self._from_own_host(at, packet)
        return self.sent.total() - before

    def _from_own_host(self, at: int, packet: Packet) -> None:
        """Send as a user of the host who knows the worker's secret."""
        payload = self._forger.payload(packet, knows_secret=True)
        for name, (_, ip, port) in (("to the switch", packet.switch), ("to the worker", packet.worker)):
            self._count(f"own host, {name}", self._users[at].sendto, payload, (socket.inet_ntoa(ip), port))

    def _count(self, who: str, send: Callable[..., object], *arguments: object) -> None:
        try:
            send(*arguments)
        except OSError:
            # The packet is too long, or the buffer is full: nothing was sent.
            return
        self.sent[who] += 1


def _raw(host: Host) -> socket.socket:
    with inside(host.pid):
        made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    try:
        made.bind(("eth0", ETH_P_ALL))
    except OSError:
        made.close()
        raise
    made.setblocking(False)
    return made


def _user(host: Host) -> socket.socket:
    """Open a UDP socket as an unprivileged user of the host, if it has other users."""
    with inside(host.pid):
        # The namespaces of an ordinary user have none.
        with suppress(OSError):
            os.seteuid(NOBODY)
        try:
            made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        finally:
            os.seteuid(0)
    made.setblocking(False)
    return made


def _recent(view: socket.socket) -> list[Packet]:
    """Return packets that arrive from now on; discards those in the queue."""
    with suppress(BlockingIOError):
        while True:
            view.recv(LONGEST_FRAME)
    found: list[Packet] = []
    until = time.monotonic() + OBSERVATION
    while len(found) < OBSERVED and (left := until - time.monotonic()) > 0:
        if select.select([view], [], [], left)[0] and (packet := Packet.parse(view.recv(LONGEST_FRAME))) is not None:
            found.append(packet)
    return found
