"""Programs on the hosts of an emulated rack with a job's network around them."""

from __future__ import annotations

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

    def __init__(self, rack: Rack) -> None:
        self.rack = rack
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


@contextmanager
def hosts(folder: Path, count: int, kind: str = "softswitch", loss: float = 0.0) -> Iterator[Hosts]:
    """A rack of so many hosts, whose links lose packets with that probability."""
    with Rack(count, folder, kind=Kind(kind)) as rack:
        rack.start_switch()
        command = [sys.executable, "-m", "dropzero", "controller", "serve", "--topology", str(rack.topology)]
        command += ["--switch", rack.switch.address, "--listen", f"unix:{rack.controller_socket}"]
        command += ["--uplink-loss", str(loss), "--downlink-loss", str(loss)]
        controller = rack.adopt(Process("the controller", command, rack.logs / "controller.log"))
        until(lambda: _listens(rack.controller_socket), controller, SECONDS, "the controller takes no joins")
        yield Hosts(rack)


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0
