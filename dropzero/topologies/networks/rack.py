"""Racks: one P4 switch, and a link to each host."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from mininet.topo import Topo

from dropzero.topologies.networks.description import MAX_HOSTS
from dropzero.topologies.networks.network import EmulatedNetwork, Options
from dropzero.topologies.networks.switch import P4Switch
from dropzero.topologies.processes.errors import SetupError


def add_host(shape: Topo, number: int, switch: str, port: int, end: str, **link: Any) -> None:
    """Adds host h<number>, 10.0.0.<number>/24, at a port of a switch. end: the name of its interface there."""
    shape.addHost(f"h{number}", ip=f"10.0.0.{number}/24", mac=f"08:00:00:00:00:{number:02x}")
    shape.addLink(f"h{number}", switch, port2=port, intfName1="eth0", intfName2=end, **link)


class Rack(EmulatedNetwork):
    """Hosts h1..hN with 10.0.0.n/24, at ports 1..N of the switch s1."""

    def __init__(self, hosts: int, folder: Path, **options: Unpack[Options]) -> None:
        """Raises SetupError if this machine cannot run it, or there are too many hosts."""
        if not 1 <= hosts <= MAX_HOSTS:
            raise SetupError(f"a rack has 1 to {MAX_HOSTS} hosts, not {hosts}")
        super().__init__(folder, **options)
        self.size = hosts

    def describe(self, prefix: str) -> Topo:
        shape = Topo()
        shape.addSwitch("s1")
        for number in range(1, self.size + 1):
            add_host(shape, number, "s1", number, f"{prefix}s1-eth{number}", rate=self.rate, udp_gso=self.udp_gso)
        return shape

    @property
    def switch(self) -> P4Switch:
        """The switch s1."""
        return self.switches[0]
