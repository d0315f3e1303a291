"""Networks described by a file in the format of p4lang's tutorials."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from mininet.topo import Topo

from dropzero.topologies.networks.description import Description
from dropzero.topologies.networks.network import EmulatedNetwork, Options
from dropzero.topologies.processes.errors import SetupError

LONGEST_INTERFACE = 15
"""The most characters that Linux allows in an interface's name."""


class Described(EmulatedNetwork):
    """The hosts, switches and links of a file."""

    def __init__(self, description: Description, folder: Path, **options: Unpack[Options]) -> None:
        """Rates and latencies in the description replace those of the options. Raises SetupError if this machine cannot
        run it."""
        super().__init__(folder, **options, delayed=any(wire.delay for wire in description.wires))
        self.description = description

    def describe(self, prefix: str) -> Topo:
        shape = Topo()
        for number, switch in enumerate(self.description.switches, 1):
            # By default, Mininet takes the number from the name, and refuses names without one.
            shape.addSwitch(switch, dpid=f"{number:x}")
        for name, host in self.description.hosts.items():
            # Other hosts may be in another subnet; all are reached directly over this link.
            shape.addHost(name, ip=host["ip"], mac=host["mac"], defaultRoute="dev eth0")
        for wire in self.description.wires:
            (low, low_port), (high, high_port) = wire.lower, wire.upper
            on_host = not low_port
            names = ["eth0" if on_host else f"{prefix}{low}-eth{low_port}", f"{prefix}{high}-eth{high_port}"]
            for each in names:
                if len(each) > LONGEST_INTERFACE:
                    raise SetupError(f"{each} is too long for an interface: shorten the name of the run or the switch")
            rate = wire.rate or (self.rate if on_host else self.trunk_rate)
            shape.addLink(
                low,
                high,
                port1=None if on_host else low_port,
                port2=high_port,
                rate=rate,
                delay=wire.delay,
                udp_gso=self.udp_gso,
                intfName1=names[0],
                intfName2=names[1],
                **({} if on_host else {"jobs": len(self.description.hosts)}),
            )
        return shape
