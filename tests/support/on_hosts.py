"""Runs programs on the hosts of an emulated rack with a running switch and controller."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dropzero.topologies.networks.kind import PortKind, SwitchKind
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.process import Process, wait
from dropzero.worker.pump import rehearse

SECONDS = 600.0


class Hosts:
    """One or several running racks: hosts, switches and controller."""

    def __init__(self, rack: EmulatedNetwork, loss: float) -> None:
        rehearse()
        self.rack, self.loss = rack, loss
        self._runs = 0

    @property
    def controller(self) -> str:
        return f"unix:{self.rack.controller_socket}"

    def start(self, program: Path, *arguments: str) -> list[Process]:
        """Starts `program.py CONTROLLER JOB SIZE RANK arguments...` on every host."""
        self._runs += 1
        size = len(self.rack.hosts)
        processes = []
        for rank, host in enumerate(self.rack.hosts):
            words = [sys.executable, str(program), self.controller, str(self._runs), str(size), str(rank), *arguments]
            log = self.rack.logs / f"{program.stem}-{self._runs}-{rank}.log"
            processes.append(self.rack.adopt(host.launch(f"{program.stem} {rank}", words, log)))
        return processes

    def run(self, program: Path, *arguments: str) -> list[str]:
        """The same, and waits for the end. Returns the outputs. Fails if one of them does."""
        processes = self.start(program, *arguments)
        for process in processes:
            assert wait([process], SECONDS), f"{process.name} does not end"
            assert process.status == 0, process.failure_report()
        return [process.log.read_text() for process in processes]

    def restart_switch(self) -> None:
        """Kills the switch, and starts it without state."""
        self._kill(self.rack.switches[0].process)
        self.rack.start_switches()

    def restart_controller(self) -> None:
        """Kills and restarts the controller."""
        self._kill(self.rack.controller)
        self.rack.controller_socket.unlink(missing_ok=True)
        self.rack.start_controller(self.loss)

    def _kill(self, process: Process | None) -> None:
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        assert wait([process], SECONDS)
        process.reap()
        self.rack.processes.remove(process)


@contextmanager
def hosts(folder: Path, count: int, kind: str = "softswitch", loss: float = 0.0) -> Iterator[Hosts]:
    """Runs a rack of `count` hosts, whose links lose packets with probability `loss`.

    kind: of the switch; `shm` is the embedded switch with ports in shared memory.
    """
    ports = PortKind.SHM if kind == "shm" else PortKind.VETH
    kind = "softswitch" if kind == "shm" else kind
    with running(Rack(count, folder, kind=SwitchKind(kind), ports=ports), loss) as started:
        yield started


@contextmanager
def running(network: EmulatedNetwork, loss: float = 0.0) -> Iterator[Hosts]:
    """Runs a network whose links lose packets with probability `loss`."""
    with network as rack:
        rack.start_switches()
        rack.start_controller(loss)
        yield Hosts(rack, loss)
