"""Networks described by a file in the format of p4lang's tutorials."""

from __future__ import annotations

from pathlib import Path

from mininet.topo import Topo

from dropzero.topologies.networks.description import Description
from dropzero.topologies.networks.faults import NO_FAULTS, Faults
from dropzero.topologies.networks.kind import PortKind, SwitchKind
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.processes.errors import SetupError

LONGEST_INTERFACE = 15
"""The most characters that Linux allows in an interface's name."""


class Described(EmulatedNetwork):
    """The hosts, switches and links of a file."""

    def __init__(
        self,
        description: Description,
        folder: Path,
        *,
        name: str = "",
        kind: SwitchKind = SwitchKind.AUTO,
        rate: float | None = None,
        trunk_rate: float | None = None,
        pcap: bool = False,
        faults: Faults = NO_FAULTS,
        ports: PortKind = PortKind.VETH,
    ) -> None:
        """Checks the options. Nothing is created yet.

        Args:
            description: the content of the file.
            folder: gets topology.json, logs/ and pcaps/.
            name: of the run; empty: `dz0`, `dz1`, ...
            kind: of the switches.
            rate: of a host's link, in each direction, Mbit/s, unless the file gives one; None: no limit.
            trunk_rate: of a link between switches, in the same way.
            pcap: capture all ports of all switches.
            faults: of all links. A latency in the file replaces a link's delay.
            ports: of the switches to the hosts.

        Raises:
            SetupError: this machine cannot run it.
        """
        delayed = any(wire.delay for wire in description.wires)
        super().__init__(folder, name=name, kind=kind, pcap=pcap, faults=faults, ports=ports, delayed=delayed)
        self.description, self.rate, self.trunk_rate = description, rate, trunk_rate

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
