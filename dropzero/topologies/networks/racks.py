"""Several racks: leaf switches with hosts, joined by a spine."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from mininet.topo import Topo

from dropzero.topologies.networks.description import MAX_HOSTS
from dropzero.topologies.networks.network import EmulatedNetwork, Options
from dropzero.topologies.networks.rack import add_host
from dropzero.topologies.processes.errors import SetupError

MAX_RACKS = 13


class Racks(EmulatedNetwork):
    """R leaves s1..sR with N hosts each at ports 1..N, and spines from s<R+1> on, by default one. Hosts are numbered
    leaf by leaf. Port N + j of each leaf leads to spine j, whose port i leads to leaf i."""

    def __init__(
        self,
        racks: int,
        hosts: int,
        folder: Path,
        *,
        spines: int = 1,
        slow_spine: float = 1.0,
        trunk_loss: float = 0.0,
        **options: Unpack[Options],
    ) -> None:
        """Checks the options.

        Args:
            hosts: in each rack.
            slow_spine: share of `trunk_rate` that the last of several spines' links have.
            trunk_loss: probability that a link between embedded switches loses a packet.

        Raises:
            SetupError: this machine cannot run it, or the sizes are out of range.
        """
        if not 2 <= racks <= MAX_RACKS or hosts < 1 or racks * hosts > MAX_HOSTS:
            raise SetupError(
                f"2 to {MAX_RACKS} racks with at most {MAX_HOSTS} hosts in all are possible, not {racks} of {hosts}"
            )
        super().__init__(folder, **options)
        self.count = racks
        self.size = hosts
        self.spines, self.slow_spine, self.trunk_loss = spines, slow_spine, trunk_loss

    def describe(self, prefix: str) -> Topo:
        shape = Topo()
        for number in range(1, self.count + self.spines + 1):
            shape.addSwitch(f"s{number}")
        for rack in range(1, self.count + 1):
            leaf = f"s{rack}"
            for port in range(1, self.size + 1):
                end, host = f"{prefix}{leaf}-eth{port}", (rack - 1) * self.size + port
                add_host(shape, host, leaf, port, end, rate=self.rate, udp_gso=self.udp_gso)
            for number in range(1, self.spines + 1):
                spine, up = f"s{self.count + number}", self.size + number
                names = {"intfName1": f"{prefix}{leaf}-eth{up}", "intfName2": f"{prefix}{spine}-eth{rack}"}
                rate = self.trunk_rate
                if rate is not None and number == self.spines > 1:
                    rate *= self.slow_spine
                limits = {"rate": rate, "loss": self.trunk_loss, "jobs": self.size}
                shape.addLink(leaf, spine, port1=up, port2=rack, udp_gso=self.udp_gso, **limits, **names)
        return shape
