"""The rack of a testbed without a P4 switch: its hosts around a Linux bridge. The kernel limits the rates of all links,
in both directions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mininet.node import Switch
from mininet.topo import Topo

from dropzero.topologies.networks.link import Interface
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.rack import add_host


class Bridge(Switch):  # type: ignore[misc]
    """A Linux bridge in its own namespace, which removes it when it ends."""

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params | {"inNamespace": True})

    def start(self, controllers: Iterable[Any]) -> None:
        """Bridge all its interfaces."""
        self.cmd("ip link add bridge type bridge && ip link set bridge up")
        for intf in self.intfs.values():
            if intf.name != "lo":
                self.cmd(f"ip link set {intf.name} master bridge up")


def lose(end: Interface, probability: float) -> None:
    """Let a link lose packets at random before they arrive at this end."""
    # Classic BPF, because some kernels have no netem: load a random number; unless it is below the limit, continue.
    program = ("32 0 0 4294963256", f"53 0 1 {round(probability * 2**32)}", "6 0 0 4294967295", "6 0 0 2")
    end.tc(f"qdisc add dev {end.name} clsact")
    end.tc(f"filter add dev {end.name} ingress bpf direct-action bytecode '{len(program)},{','.join(program)}'")


class PlainRack(EmulatedNetwork):
    """Hosts h1..hN with 10.0.0.n/24 on a bridge. They have all offloads, so that only the rate limits TCP, unless links
    lose packets: then packets are sent, and lost, one by one."""

    def __init__(self, hosts: int, folder: Path, *, rate: float | None = None, loss: float = 0.0) -> None:
        """`rate`: of each link and direction, Mbit/s; None for no limit. `loss`: the probability that a link loses a
        packet, in each direction."""
        super().__init__(folder, rate=rate)
        self.size, self.loss = hosts, loss

    def describe(self, prefix: str) -> Topo:
        shape = Topo()
        shape.addSwitch("s1")
        for number in range(1, self.size + 1):
            add_host(shape, number, "s1", number, f"{prefix}p{number}", rate=self.rate, offload=not self.loss)
        return shape

    def _start(self) -> None:
        super()._start()
        for switch in self._net.switches:
            switch.start([])
        if self.loss:
            for link in self._net.links:
                for end in (link.intf1, link.intf2):
                    lose(end, self.loss)

    def _make_switch(self, name: str, **params: Any) -> Bridge:
        return Bridge(name, **params)
