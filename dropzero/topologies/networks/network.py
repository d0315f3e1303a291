"""Emulated networks of P4 switches and hosts, of any shape."""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypedDict

from mininet.cli import CLI
from mininet.link import Link
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.topo import Topo
from mininet.util import natural

from dropzero.files import COMPILED
from dropzero.topologies.networks.faults import NO_FAULTS, Faults
from dropzero.topologies.networks.host import Host, clear
from dropzero.topologies.networks.kind import BMV2, PortKind, SwitchKind
from dropzero.topologies.networks.link import MARKED_AFTER, SHORT_ROUND_TRIP, Interface, in_flight
from dropzero.topologies.networks.switch import START_TIMEOUT, P4Switch
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.processes.process import Process, search_path, stop, until
from dropzero.topologies.processes.signals import typed, undisturbed
from dropzero.topologies.registry.choice import VARIABLE
from dropzero.topologies.registry.state import State, clean_crashed, unused
from dropzero.worker.environment import RINGS_VARIABLE


class Options(TypedDict, total=False):
    """What every network can be given: see EmulatedNetwork."""

    name: str
    kind: SwitchKind
    rate: float | None
    trunk_rate: float | None
    pcap: bool
    faults: Faults
    ports: PortKind
    queues: bool


class EmulatedNetwork(ABC):
    """A context manager that builds a network, and removes all of it however its block ends."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str = "",
        kind: SwitchKind = SwitchKind.AUTO,
        rate: float | None = None,
        trunk_rate: float | None = None,
        pcap: bool = False,
        faults: Faults = NO_FAULTS,
        ports: PortKind = PortKind.VETH,
        queues: bool = True,
        delayed: bool = False,
    ) -> None:
        """Checks the options. Nothing is created yet.

        Args:
            folder: gets topology.json, hosts, logs/ and pcaps/.
            name: of the run; empty: `dz0`, `dz1`, ...
            kind: of the switches. AUTO picks the embedded switch when faults or rings are requested, which BMv2 lacks.
            rate: of a host's link, in each direction, Mbit/s; None: no limit.
            trunk_rate: of a link between switches, in the same way.
            pcap: capture all ports of the switches.
            faults: of all links.
            ports: of the switches to the hosts.
            queues: whether embedded switches limit the rates of their ports themselves; otherwise the kernel does.
            delayed: some links have delays of their own.

        Raises:
            SetupError: this machine cannot run it.
        """
        troubled = bool(faults) or delayed
        embedded = kind is SwitchKind.AUTO and (troubled or ports is PortKind.SHM)
        self.kind = SwitchKind.SOFTSWITCH if embedded else kind.resolve()
        if troubled and self.kind is SwitchKind.BMV2:
            raise SetupError("BMv2 cannot delay, duplicate or reorder packets; --switch=softswitch can")
        if ports is PortKind.SHM and self.kind is SwitchKind.BMV2:
            raise SetupError("BMv2 has no ports in shared memory; --switch=softswitch has")
        self.rate, self.trunk_rate = rate, trunk_rate
        self.faults = faults
        self.ports, self.queues = ports, queues
        self.udp_gso = self.kind.supports_udp_gso
        self.folder = folder
        self._wanted_name = name
        self.logs = folder / "logs"
        self.pcaps = folder / "pcaps" if pcap else None
        self.processes: list[Process] = []
        self.controller: Process | None = None

    @abstractmethod
    def describe(self, prefix: str) -> Topo:
        """Returns the shape. Names of the switches' interfaces, which the whole machine sees, start with `prefix`.

        Links offload only UDP GSO, and only if `udp_gso` is set: both ends must support it, and BMv2 does not.
        """

    def __enter__(self) -> Self:
        clean_crashed()
        self._net: Any = None
        self._claim, start = unused(self._wanted_name)
        owner = Identity.of("owner", os.getpid())
        self._state = State(self.name, owner, interface_prefix=start, folder=str(self.folder.absolute()))
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def _start(self) -> None:
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SetupError(f"cannot write to {self.folder}: {error.strerror}") from error
        self._state.begin()
        prefix = self._state.interface_prefix
        shape = self.describe(prefix)
        if self.ports is PortKind.SHM and any(link.get("rate") for *_, link in shape.links(withInfo=True)):
            raise SetupError("ports in shared memory have no rate: leave out --ports=shm, or the rates of links")
        self._switches = shape.switches()
        names = [link[end] for *_, link in shape.links(withInfo=True) for end in ("intfName1", "intfName2")]
        self._state.add_interfaces(*(name for name in names if name.startswith(prefix)))
        setLogLevel("error")
        self._net = Mininet(
            topo=shape,
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
        self._state.nodes = [*(host.name for host in self.hosts), *(switch.name for switch in self.switches)]
        self._state.switches = {switch.name: switch.address for switch in self.switches if isinstance(switch, P4Switch)}
        self._state.rings = {host.name: host.rings for host in self.hosts if host.rings}
        self._state.save()
        self.topology.write_text(json.dumps(self._in_tutorials_form(shape), indent=2) + "\n")
        known = self.folder / "hosts"
        # IPv6 sockets, such as PyTorch's, look up IPv4 addresses in their IPv6 form.
        names = [f"{form}{host.IP()} {host.name}\n" for form in ("", "::ffff:") for host in self.hosts]
        known.write_text("".join(["127.0.0.1 localhost\n", *names]))
        for host in self.hosts:
            host.know(known)

    def _make_switch(self, name: str, **params: Any) -> P4Switch:
        """Creates a switch. Device ids count from 0 in the order of the names, as in the controller."""
        device = self._switches.index(name)
        return P4Switch(
            name,
            kind=self.kind,
            logs=self.logs,
            pcap=self.pcaps,
            faults=self.faults,
            rings=self._state.rings_of(name) if self.ports is PortKind.SHM else None,
            device=device,
            queues=self.queues,
            **params,
        )

    def _in_tutorials_form(self, shape: Topo) -> dict[str, Any]:
        """Describes the network in the format of p4lang's tutorials."""

        def end(node: str, port: int) -> str:
            return f"{node}-p{port}" if shape.isSwitch(node) else node

        return {
            "hosts": {
                host.name: {"ip": f"{host.IP()}/{host.intf('eth0').prefixLen}", "mac": host.MAC()}
                for host in self.hosts
            },
            "switches": {switch.name: {} for switch in self.switches},
            "links": [
                [end(link["node1"], link["port1"]), end(link["node2"], link["port2"])]
                for *_, link in shape.links(sort=True, withInfo=True)
            ],
        }

    def _stop(self) -> None:
        with undisturbed():
            try:
                self._state.end_guests()
                stop(self.processes)
                if self._net is not None:
                    clear(self.hosts)
                    for node in (*self._net.hosts, *self._net.switches):
                        # A signal may have come while its shell ran a command.
                        node.waiting = False
                    self._net.stop()
            finally:
                self._state.clean()
                self._claim.release()

    @property
    def name(self) -> str:
        """The run's name."""
        return self._claim.name

    @property
    def guests(self) -> list[Identity]:
        """The processes started by hand that still run."""
        return self._state.guests

    @property
    def topology(self) -> Path:
        """The path of topology.json."""
        return self.folder / "topology.json"

    @property
    def controller_socket(self) -> Path:
        """The path of the controller's socket."""
        return Path(self._state.controller.removeprefix("unix:"))

    @property
    def hosts(self) -> list[Host]:
        """By name: h1, h2, ..."""
        return sorted(self._net.hosts, key=_order)

    @property
    def switches(self) -> list[P4Switch]:
        """By name: s1, s2, ..."""
        return sorted(self._net.switches, key=_order)

    @property
    def links(self) -> list[tuple[Any, Any]]:
        """The interfaces at the lower and the upper end of each link."""
        return [(link.intf1, link.intf2) for link in self._net.links]

    @property
    def racks(self) -> list[list[Host]]:
        """The hosts of each switch that has hosts."""
        on = [[host for host in self.hosts if _peer(host).node is switch] for switch in self.switches]
        return [hosts for hosts in on if hosts]

    def start_switches(self, switches: Sequence[P4Switch] = ()) -> list[Process]:
        """Starts the programs of all switches, or of these, and waits for their P4Runtime ports. Raises RunError if a
        program did not start."""
        processes = []
        for switch in switches or self.switches:
            switch.start([])
            assert switch.process is not None
            processes.append(self.adopt(switch.process))
        for switch in switches or self.switches:
            switch.await_ready()
        return processes

    def start_controller(self, loss: float = 0.0, *, compiled: Path = COMPILED) -> Process:
        """Starts the controller and waits until workers can join.

        Args:
            loss: probability that a link loses a packet, in each direction.
            compiled: the folder of the compiled program for the switches.

        Raises:
            RunError: it did not start.
        """
        command = [
            *(sys.executable, "-m", "dropzero", *self.serve()),
            *("--uplink-loss", str(loss), "--downlink-loss", str(loss)),
            *("--mark-from", str(self._mark_from)),
            *("--json", str(compiled / "dropzero.json"), "--p4info", str(compiled / "dropzero.p4info.txtpb")),
        ]
        self.controller = self.adopt(Process("the controller", command, self.logs / "controller.log"))
        until(self._accepts_joins, self.controller, START_TIMEOUT, "the controller accepts no joins")
        return self.controller

    @property
    def _mark_from(self) -> int:
        """The queue length from which packets are marked; 0 (never) if links have no rate."""
        rates = [port.rate for switch in self.switches for port in switch.interfaces.values() if port.rate]
        return MARKED_AFTER + in_flight(min(rates), SHORT_ROUND_TRIP) if rates else 0

    def serve(self, switches: Mapping[str, str] | None = None) -> list[str]:
        """Returns the controller's command line. switches: P4Runtime addresses by name, instead of the switches'
        own."""
        addresses = switches or self._state.switches
        named = addresses.values() if len(addresses) == 1 else map("=".join, addresses.items())
        given = [word for each in named for word in ("--switch", each)]
        return ["controller", "serve", "--topology", str(self.topology), *given, "--listen", self._state.controller]

    def _accepts_joins(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.controller_socket)) == 0

    def by_hand(self, loss: float = 0.0) -> list[list[str]]:
        """Returns the commands that start switches, controller and workers in other terminals. These processes end with
        the network. loss: probability that a link loses a packet."""
        run = ["dropzero", "exec", "--run", self.name]
        worker = ["worker", "--controller", self._state.controller, "--workers", str(len(self.hosts))]
        worker += ["--out", str(self.folder)]
        program = [BMV2] if self.kind is SwitchKind.BMV2 else ["dropzero", "switch"]
        lossy = ["--uplink-loss", str(loss), "--downlink-loss", str(loss)] if loss else []
        return [
            *([*run, switch.name, *program, *switch.arguments] for switch in self.switches),
            [*run, self.switches[0].name, "dropzero", *self.serve(), *lossy],
            *([*run, host.name, "dropzero", *worker] for host in self.hosts),
        ]

    def prompt(self) -> None:
        """Shows Mininet's prompt until Ctrl-D or `exit`. Commands on hosts use this environment's programs and this
        run."""
        for host in self.hosts:
            rings = f"{RINGS_VARIABLE}={host.rings or ''}"
            host.cmd(f"export {VARIABLE}={self.name} PATH={shlex.quote(search_path())} {rings}")
        setLogLevel("output")
        with typed():
            CLI(self._net)

    def adopt(self, process: Process) -> Process:
        """Makes a process end with the network. Returns the process."""
        self.processes.append(process)
        self._state.add_process(process.name, process.pid)
        return process

    def uplink_bytes(self, hosts: Iterable[Host] | None = None) -> int:
        """Returns the bytes that all hosts, or these, have sent so far, with Ethernet headers."""
        return sum(host.intf("eth0").sent_bytes() for host in (self.hosts if hosts is None else hosts))

    def downlink_bytes(self, hosts: Iterable[Host] | None = None) -> int:
        """Returns the bytes that switches have sent to all hosts, or to these, so far, with Ethernet headers."""
        return sum(_peer(host).sent_bytes() for host in (self.hosts if hosts is None else hosts))

    def trunk_bytes(self) -> dict[str, int]:
        """Returns, by switch, the bytes that it has sent to its parent so far, with Ethernet headers."""
        return {low.node.name: low.sent_bytes() for low, _ in self.links if isinstance(low.node, P4Switch)}


def _order(node: Any) -> Any:
    return natural(node.name)


def _peer(host: Host) -> Any:
    """Returns the switch's end of a host's link."""
    return host.intf("eth0").link.intf2
