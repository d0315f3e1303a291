"""Programs on the hosts of an emulated rack with a job's network around them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.network import EmulatedNetwork
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.process import Process, wait
from dropzero.worker.pump import rehearse

SECONDS = 60.0


class Hosts:
    """A running rack, or several: hosts, switches and controller."""

    def __init__(self, rack: EmulatedNetwork, loss: float) -> None:
        rehearse()
        self.rack, self.loss = rack, loss
        self._runs = 0

    @property
    def controller(self) -> str:
        return f"unix:{self.rack.controller_socket}"

    def start(self, program: Path, *arguments: str) -> list[Process]:
        """Starts a Python program on every host, as `program.py CONTROLLER JOB SIZE RANK arguments...`."""
        self._runs += 1
        size = len(self.rack.hosts)
        processes = []
        for rank, host in enumerate(self.rack.hosts):
            words = [sys.executable, str(program), self.controller, str(self._runs), str(size), str(rank), *arguments]
            log = self.rack.logs / f"{program.stem}-{self._runs}-{rank}.log"
            processes.append(self.rack.adopt(host.launch(f"{program.stem} {rank}", words, log)))
        return processes

    def run(self, program: Path, *arguments: str) -> list[str]:
        """The same, to its end; what each wrote. Fails when one did."""
        processes = self.start(program, *arguments)
        for process in processes:
            assert wait([process], SECONDS), f"{process.name} does not end"
            assert process.status == 0, process.failure_report()
        return [process.log.read_text() for process in processes]

    def restart_switch(self) -> None:
        """Kills the switch, and starts it with nothing that it knew."""
        self._kill(self.rack.switches[0].process)
        self.rack.start_switches()

    def restart_controller(self) -> None:
        """Kills the controller, and starts it anew."""
        self._kill(self.rack.controller)
        self.rack.controller_socket.unlink(missing_ok=True)
        self.rack.start_controller(self.loss)

    def _kill(self, process: Process | None) -> None:
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        assert wait([process], SECONDS)
        self.rack.processes.remove(process)


@contextmanager
def hosts(folder: Path, count: int, kind: str = "softswitch", loss: float = 0.0) -> Iterator[Hosts]:
    """A rack of so many hosts, whose links lose packets with that probability."""
    with running(Rack(count, folder, kind=SwitchKind(kind)), loss) as started:
        yield started


@contextmanager
def running(network: EmulatedNetwork, loss: float = 0.0) -> Iterator[Hosts]:
    """Hosts whose links lose packets with that probability."""
    with network as rack:
        rack.start_switches()
        rack.start_controller(loss)
        yield Hosts(rack, loss)
