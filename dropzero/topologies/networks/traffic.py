"""What the links of a network carry."""

from __future__ import annotations

import operator
from contextlib import ExitStack
from typing import Any

from dropzero.linux.netlink import Sent, SentCounters
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.switch import P4Switch


class Traffic:
    """Counts what each link of a network carries, until `close`."""

    def __init__(self, network: EmulatedNetwork) -> None:
        """Counts from now on. Raises OSError."""
        self._network = network
        self._ends = []
        with ExitStack() as opened:
            # Switches are in this process's network namespace, each host in its own.
            counters = {None: SentCounters()} | {host: SentCounters(host.pid) for host in network.hosts}
            for each in counters.values():
                opened.callback(each.close)
            for ends in network.links:
                self._ends.append([(counters.get(end.node, counters[None]), end) for end in ends])
            self._before = self._sent()
            self.close = opened.pop_all().close

    def read(self) -> list[list[int | None]]:
        """For each link, as in a sample of the page (dropzero.page.samples)."""
        found = []
        for ends, before, now in zip(self._network.links, self._before, self._sent(), strict=True):
            up, down = (Sent(*map(operator.sub, *counts)) for counts in zip(now, before, strict=True))
            packets = [
                None if self._uses_udp_gso(end) else sent.packets for end, sent in zip(ends, (up, down), strict=True)
            ]
            found.append([packets[0], up.bytes, packets[1], down.bytes, up.dropped + down.dropped])
        return found

    def _sent(self) -> list[list[Sent]]:
        """What has been sent through each end of each link so far."""
        counts = {counters: counters.read() for ends in self._ends for counters, _ in ends}
        return [
            [Sent(*map(operator.add, counts[counters][end.name], end.sent_by_rings())) for counters, end in ends]
            for ends in self._ends
        ]

    def _uses_udp_gso(self, end: Any) -> bool:
        """Whether GSO packets leave here through a packet socket: the kernel counts their bytes, not their packets."""
        return self._network.udp_gso and isinstance(end.node, P4Switch)
