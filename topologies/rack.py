"""A rack: one P4 switch, and hosts each on a link of its own."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from mininet.link import Link
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.topo import Topo

from topologies.errors import RunError, SetupError
from topologies.host import Host
from topologies.kind import Kind
from topologies.link import Interface
from topologies.process import Process, stop, until
from topologies.signals import undisturbed
from topologies.state import Claim, Identity, State, clean_crashed
from topologies.switch import P4Switch

MAX_HOSTS = 32
CONTROLLER_TIMEOUT = 60.0


class RackTopo(Topo):  # type: ignore[misc]
    """Hosts h1..hN with 10.0.0.n/24, at ports 1..N of the switch s1."""

    def build(self, hosts: int, prefix: str, rate: float | None, offload: bool) -> None:
        """Describes the rack.

        Args:
            hosts: how many.
            prefix: goes in front of the names of the switch's interfaces, which all of the machine can see.
            rate: of each link and direction, Mbit/s; None for no limit.
            offload: leave checksums to the switch.
        """
        self.addSwitch("s1")
        for number in range(1, hosts + 1):
            mac = f"08:00:00:00:00:{number:02x}"
            self.addHost(f"h{number}", ip=f"10.0.0.{number}/24", mac=mac)
            self.addLink(
                f"h{number}",
                "s1",
                port2=number,
                intfName1="eth0",
                intfName2=f"{prefix}s1-eth{number}",
                rate=rate,
                offload=offload,
            )


class Rack:
    """A running network, a context manager: however the block ends, nothing of it stays on the machine."""

    def __init__(
        self,
        hosts: int,
        folder: Path,
        *,
        kind: Kind = Kind.AUTO,
        rate: float | None = None,
        pcap: bool = False,
    ) -> None:
        """Checks what can be checked before anything is made.

        Args:
            hosts: 1 to 32.
            folder: gets topology.json, logs/ and pcaps/.
            kind: of the switch.
            rate: of each link and direction, Mbit/s; None for no limit.
            pcap: capture every port of the switch.

        Raises:
            SetupError: this cannot be done here.
        """
        if not 1 <= hosts <= MAX_HOSTS:
            raise SetupError(f"a rack has 1 to {MAX_HOSTS} hosts, not {hosts}")
        self.kind = kind.resolve()
        self.size = hosts
        self.rate = rate
        self.folder = folder
        self.logs = folder / "logs"
        self.pcaps = folder / "pcaps" if pcap else None
        self.processes: list[Process] = []

    def __enter__(self) -> Rack:
        clean_crashed()
        self._net: Any = None
        self._claim = Claim()
        self._state = State(self._claim.prefix, Identity.of("owner", os.getpid()))
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

    def _start(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        prefix = self._claim.prefix
        self._state.add_interfaces(*(f"{prefix}s1-eth{number}" for number in range(1, self.size + 1)))
        setLogLevel("error")
        # Only what both ends know of checksum offloading may use it; BMv2 does not.
        topology = RackTopo(hosts=self.size, prefix=prefix, rate=self.rate, offload=False)
        self._net = Mininet(
            topo=topology,
            host=Host,
            switch=self._make_switch,
            link=Link,
            intf=Interface,
            controller=None,
            build=False,
        )
        try:
            self._net.build()
        except Exception as error:
            raise RunError(f"Mininet could not build the network: {error}") from error
        for node in (*self._net.hosts, *self._net.switches):
            self._state.add_process(node.name, node.pid)
        self._state.hosts = {host.name: host.pid for host in self._net.hosts}
        self._state.save()
        self.topology.write_text(json.dumps(self._describe(), indent=2) + "\n")

    def _make_switch(self, name: str, **params: Any) -> P4Switch:
        number = self._claim.number
        return P4Switch(name, kind=self.kind, logs=self.logs, pcap=self.pcaps, first_port=number, **params)

    def _describe(self) -> dict[str, Any]:
        """The network in the form of p4lang's tutorials."""
        return {
            "hosts": {host.name: {"ip": f"{host.IP()}/24", "mac": host.MAC()} for host in self._net.hosts},
            "switches": {"s1": {}},
            "links": [[f"h{number}", f"s1-p{number}"] for number in range(1, self.size + 1)],
        }

    def _stop(self) -> None:
        with undisturbed():
            try:
                stop(self.processes)
                if self._net is not None:
                    self._net.stop()
            finally:
                self._state.clean()
                self._claim.release()

    @property
    def topology(self) -> Path:
        """The file topology.json."""
        return self.folder / "topology.json"

    @property
    def controller_socket(self) -> Path:
        """Where a controller may listen: a short path, for the kernel takes no long ones, that hosts can reach too."""
        return self._state.path.with_suffix(".sock")

    @property
    def hosts(self) -> list[Host]:
        """h1, h2, ..."""
        return list(self._net.hosts)

    @property
    def switch(self) -> P4Switch:
        """s1."""
        switch: P4Switch = self._net.switches[0]
        return switch

    def start_switch(self) -> Process:
        """Starts the switch's program and waits for its P4Runtime port.

        Raises:
            RunError: it did not come up.
        """
        self.switch.start([])
        assert self.switch.process is not None
        self.adopt(self.switch.process)
        self.switch.await_ready()
        return self.switch.process

    def start_controller(self, loss: float = 0.0) -> Process:
        """Starts the controller and waits until it takes joins.

        Args:
            loss: probability that a link loses a packet, in each direction.

        Raises:
            RunError: it did not come up.
        """
        command = [
            *(sys.executable, "-m", "dropzero", "controller", "serve"),
            *("--topology", str(self.topology), "--listen", f"unix:{self.controller_socket}"),
            *("--switch", self.switch.address, "--device-id", str(self.switch.device)),
            *("--uplink-loss", str(loss), "--downlink-loss", str(loss)),
        ]
        process = self.adopt(Process("the controller", command, self.logs / "controller.log"))
        until(self._takes_joins, process, CONTROLLER_TIMEOUT, "the controller takes no joins")
        return process

    def _takes_joins(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.controller_socket)) == 0

    def by_hand(self) -> list[list[str]]:
        """The commands that start the switch, the controller and the workers in other terminals."""
        controller = f"unix:{self.controller_socket}"
        worker = ["dropzero", "worker", "--controller", controller, "--workers", str(self.size)]
        return [
            ["dropzero", "switch", *self.switch.arguments],
            [
                *("dropzero", "controller", "serve", "--topology", str(self.topology)),
                *("--switch", self.switch.address, "--listen", controller),
            ],
            *(["dropzero", "exec", host.name, *worker] for host in self.hosts),
        ]

    def adopt(self, process: Process) -> Process:
        """A process that is to end with the network."""
        self.processes.append(process)
        self._state.add_process(process.name, process.pid)
        return process

    def uplink_bytes(self) -> int:
        """Bytes that the hosts have put on the wire so far, headers included."""
        return sum(host.intf("eth0").sent_bytes() for host in self._net.hosts)

    def downlink_bytes(self) -> int:
        """Bytes that the switch has put on the wire so far, headers included."""
        return sum(intf.sent_bytes() for intf in self.switch.intfList() if intf.name != "lo")
