"""Programs on the hosts of an emulated rack with a job's network around them."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topologies.kind import Kind
from topologies.process import Process, until, wait
from topologies.rack import Rack

SECONDS = 60.0


class Hosts:
    """A running rack: hosts, switch and controller."""

    def __init__(self, rack: Rack, loss: float) -> None:
        self.rack, self.loss = rack, loss
        self.controller_process: Process | None = None
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
            assert process.status == 0, process.obituary()
        return [process.log.read_text() for process in processes]

    def restart_switch(self) -> None:
        """Kills the switch, and starts it with nothing that it knew."""
        process = self.rack.switch.process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        assert wait([process], SECONDS)
        self.rack.processes.remove(process)
        self.rack.start_switches()

    def restart_controller(self) -> None:
        """Kills the controller, and starts it anew."""
        if self.controller_process is not None:
            os.kill(self.controller_process.pid, signal.SIGKILL)
            assert wait([self.controller_process], SECONDS)
            self.rack.processes.remove(self.controller_process)
            self.rack.controller_socket.unlink(missing_ok=True)
        self.start_controller()

    def start_controller(self) -> None:
        """Returns when workers can join."""
        command = [sys.executable, "-m", "dropzero", "controller", "serve", "--topology", str(self.rack.topology)]
        command += ["--switch", self.rack.switch.address, "--listen", self.controller]
        command += ["--uplink-loss", str(self.loss), "--downlink-loss", str(self.loss)]
        process = self.rack.adopt(Process("the controller", command, self.rack.logs / "controller.log"))
        until(lambda: _listens(self.rack.controller_socket), process, SECONDS, "the controller takes no joins")
        self.controller_process = process


@contextmanager
def hosts(folder: Path, count: int, kind: str = "softswitch", loss: float = 0.0) -> Iterator[Hosts]:
    """A rack of so many hosts, whose links lose packets with that probability."""
    with Rack(count, folder, kind=Kind(kind)) as rack:
        rack.start_switches()
        running = Hosts(rack, loss)
        running.start_controller()
        yield running


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0
