"""The system under test: a running network with faults in every part. Its controller is behind proxies and has its own
clock; its files are on a small disk."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from dropzero.controller.jobs.slots import SLOTS
from dropzero.membership.operator_client import Operator
from dropzero.topologies.networks.host import Host
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.orchestration.bring_up import network_of
from dropzero.topologies.orchestration.plan import Hosts, NetworkPlan
from dropzero.topologies.processes.process import Process, until, wait
from dropzero.worker.pump import rehearse
from lab.chaos.injection.disk import Disk
from lab.chaos.injection.proxy import Proxy
from lab.chaos.stage.events import Events
from lab.chaos.stage.leftovers import Leftovers
from lab.chaos.stage.schedule import Stage

READY = 60.0
"""Seconds within which the controller must be ready."""


class SystemUnderTest(ExitStack):
    """A context manager around the running network."""

    def __init__(
        self, stage: Stage, out: Path, events: Events, leftovers: Leftovers, *, aggregator: bool = False
    ) -> None:
        """out: folder that gets the logs at the end. aggregator: whether the last host runs one."""
        super().__init__()
        self.stage, self.events = stage, events
        self._out, self._leftovers, self._aggregator = out, leftovers, aggregator

    def __enter__(self) -> Self:
        stage = self.stage
        with ExitStack() as resources:
            self.folder = Path(resources.enter_context(TemporaryDirectory(prefix="chaos-")))
            self.disk = resources.enter_context(Disk(self.folder / "disk"))
            resources.callback(self._keep_logs)
            hosts, out = Hosts(stage.hosts, stage.racks), self.disk.folder
            plan = NetworkPlan(hosts, faults=stage.links, switch=SwitchKind.SOFTSWITCH, ports=stage.ports, out=out)
            self.network = resources.enter_context(network_of(plan))
            self._leftovers.note(self.network)
            self.network.start_switches()
            rehearse()
            self.clock = self.folder / "clock"
            here, switches = "127.0.0.1", self.network.switches
            self.to_switches = {each.name: Proxy((here, each.grpc_port), (here, 0)) for each in switches}
            door = self.folder / "door.sock"
            self._leftovers.files.add(door)
            self.to_controller = Proxy(str(self.network.controller_socket), str(door))
            for proxy in (*self.to_switches.values(), self.to_controller):
                resources.callback(proxy.close)
            self.address = f"unix:{door}"
            if self._aggregator:
                self._start_aggregator()
            self.start_controller()
            self.push(resources.pop_all())
        return self

    def _keep_logs(self) -> None:
        self.disk.clear()
        shutil.copytree(self.disk.folder, self._out, dirs_exist_ok=True)

    # ---- hosts

    @property
    def hosts(self) -> list[Host]:
        """The hosts by rank, from all racks in turn, so that a small job spans several racks."""
        racks = self.network.racks
        return [hosts[at] for at in range(len(racks[0])) for hosts in racks]

    @staticmethod
    def host_link(host: Host, *change: str) -> None:
        """Change a host's own end of its link: `down`, or `mtu 576`."""
        host.cmd("ip", "link", "set", "dev", "eth0", *change)

    def port_link(self, host: Host, *change: str) -> None:
        self.network.switches[0].cmd("ip", "link", "set", "dev", host.intf("eth0").link.intf2.name, *change)

    # ---- switches and controller

    def kill_controller(self) -> None:
        self.kill(self.network.controller)
        self.network.controller_socket.unlink(missing_ok=True)

    def start_controller(self) -> None:
        """Start the controller, and wait until workers can join. Raises RunError."""
        network = self.network
        at = f"{self.hosts[-1].IP()}={self._aggregator_address}"
        proxies = {name: f"127.0.0.1:{proxy.port}" for name, proxy in self.to_switches.items()}
        command = [
            *(sys.executable, "-m", "lab.chaos.injection.clock", str(self.clock), "dropzero"),
            *network.serve(proxies),
            *("--uplink-loss", str(self.stage.loss), "--downlink-loss", str(self.stage.loss)),
            *("--patience", str(self.stage.patience)),
            *("--max-lanes-per-job", str(SLOTS)),
            *(("--aggregator", at) if self._aggregator else ()),
        ]
        log = network.logs / "controller.log"
        if log.exists():
            log.rename(log.with_name(f"controller-{log.stat().st_mtime_ns}.log"))
        controller = network.controller = network.adopt(Process("the controller", command, log))
        until(lambda: "ready: " in log.read_text(), controller, READY, "the controller takes no joins")

    @property
    def _aggregator_address(self) -> str:
        return f"unix:{self.folder}/aggregator.sock"

    def _start_aggregator(self) -> None:
        host, listen = self.hosts[-1], self._aggregator_address
        command = [sys.executable, "-m", "dropzero", "aggregator", str(host.IP()), "--listen", listen]
        log = self.network.logs / "aggregator.log"
        aggregator = self.network.adopt(host.launch("the aggregator", command, log))
        until(lambda: "ready: " in log.read_text(), aggregator, READY, "the aggregator does not listen")

    def set_loss(self, probability: float) -> None:
        with Operator(f"unix:{self.network.controller_socket}", timeout=20) as operator:
            operator.set_loss(probability, probability)

    def kill(self, process: Process | None) -> None:
        """Kill a switch or the controller."""
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        wait([process], READY)
        process.reap()
        self.network.processes.remove(process)

    def dead(self) -> list[Process]:
        """Return the switches and the controller that ended unexpectedly."""
        parts = [switch.process for switch in self.network.switches] + [self.network.controller]
        return [part for part in parts if part in self.network.processes and part.status is not None]
