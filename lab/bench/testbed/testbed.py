"""Testbeds: two networks of the same hosts and links, one around a P4 switch and one around a bridge."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from dropzero.simulator.formulas import Scheme, bus_bandwidth, seconds, together
from dropzero.topologies.networks.host import Host
from dropzero.topologies.networks.kind import PortKind
from dropzero.topologies.networks.network import EmulatedNetwork, Options
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.processes.errors import RunError
from dropzero.topologies.processes.process import Process, wait
from dropzero.worker.pump import rehearse
from lab.bench.testbed.member import ALL_REDUCE, Case
from lab.bench.testbed.racks import PlainRack

SCHEME_TIMEOUT = 600.0
"""Seconds that a scheme may take for all its cases."""


@dataclass(frozen=True)
class Measurement:
    """The measurement of one case.

    Attributes:
        racks: the racks that the workers are in.
        ports: of Dropzero's switch.
        rate: of the links, Mbit/s; None for no limit.
        loss: the probability that a link loses a packet, in each direction.
        first: seconds of the slowest worker in the call before the repetitions, which knows nothing of the network.
        times: seconds of the slowest worker in each repetition.
        peak: the maximum memory of a worker, less its memory before it made its gradient, bytes.
    """

    scheme: Scheme
    workers: int
    racks: int
    ports: PortKind
    rate: float | None
    loss: float
    case: Case
    first: float
    times: tuple[float, ...]
    peak: int

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def size(self) -> int:
        """The size of a worker's gradient, bytes."""
        return 4 * self.case.elements

    @property
    def formula(self) -> float | None:
        """The lower bound in seconds; None without a rate."""
        if self.rate is None:
            return None
        if self.case.calls != ALL_REDUCE:
            return together(self.scheme, self.case.calls, self.size, self.workers, self.rate * 1e6)
        density, overlap = self.case.density, self.case.overlap
        return seconds(self.scheme, self.size, self.workers, self.rate * 1e6, density=density, overlap=overlap)

    @property
    def deviation(self) -> float | None:
        """The deviation from the formula, as a fraction of it."""
        return None if self.formula is None else self.median / self.formula - 1

    @property
    def bus_bandwidth(self) -> float | None:
        """In bits a second; None for sparse tensors, and for different calls at once."""
        if self.case.density < 1 or len(self.case.calls) > 1:
            return None
        return bus_bandwidth(self.scheme, self.size * self.case.jobs, self.workers, self.median, *self.case.calls)


class Testbed(ExitStack):
    """A context manager around both networks. Processes that it starts end with it."""

    def __init__(
        self,
        folder: Path,
        workers: int,
        *,
        racks: int = 1,
        ports: PortKind = PortKind.VETH,
        rate: float | None = None,
        loss: float = 0.0,
    ) -> None:
        """racks: of Dropzero's network; links between switches have no limit. ports: of its switches. rate: Mbit/s of
        each host's link and direction. loss: the probability that a link loses a packet, in each direction."""
        super().__init__()
        self.folder, self.workers, self.racks, self.ports = folder, workers, racks, ports
        self.rate, self.loss = rate, loss

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            folder = self.folder / f"p4-{self.workers}-{self.racks}-{self.rate}-{self.loss}-{time.monotonic_ns()}"
            options = Options(rate=self.rate, ports=self.ports, queues=False)
            network: EmulatedNetwork = (
                Rack(self.workers, folder, **options)
                if self.racks == 1
                else Racks(self.racks, self.workers // self.racks, folder, **options)
            )
            self.rack = resources.enter_context(network)
            self.rack.start_switches()
            rehearse()
            self.rack.start_controller(self.loss)
            self.push(resources.pop_all())
        return self

    @cached_property
    def plain(self) -> PlainRack:
        """The network around the bridge, with one more host for a parameter server."""
        folder = self.folder / f"plain-{self.workers}-{self.rate}-{time.monotonic_ns()}"
        return self.enter_context(PlainRack(self.workers + 1, folder, rate=self.rate, loss=self.loss))

    def measure(self, scheme: Scheme, cases: Sequence[Case]) -> list[Measurement]:
        """Run all cases of a scheme on its network, in turn. Raises RunError if a worker failed, with its log."""
        network: EmulatedNetwork = self.rack if scheme is Scheme.DROPZERO else self.plain
        count = self.workers + (scheme is Scheme.PARAMETER_SERVER)
        member = ["-m", "lab.bench.testbed.member", scheme, f"unix:{network.controller_socket}", str(self.workers)]
        answers = on_hosts(network, network.hosts[:count], scheme, [*member, json.dumps(cases)])
        network_of = self.workers, self.racks, self.ports, self.rate, self.loss
        found = []
        for case, each in zip(cases, zip(*answers, strict=True), strict=True):
            first, *times = map(max, zip(*(answer["seconds"] for answer in each), strict=True))
            peak = max(answer["peak"] for answer in each)
            found.append(Measurement(scheme, *network_of, case, first, tuple(times), peak))
        return found


def on_hosts(network: EmulatedNetwork, hosts: list[Host], name: str, program: list[str]) -> list[list[Any]]:
    """Run a program, as Python's arguments, on each host, and wait for all. It also gets its rank and the path of a
    file for lines of JSON, because libraries use stdout. Returns these, by rank. Raises RunError if one fails."""
    processes = []
    for rank, host in enumerate(hosts):
        log = network.logs / f"{name.replace(' ', '-')}-{rank}.log"
        command = [sys.executable, *program, str(rank), str(log.with_suffix(".jsonl"))]
        processes.append(network.adopt(host.launch(f"{name} {rank}", command, log)))
    await_all(network, processes)
    written = [process.log.with_suffix(".jsonl").read_text() for process in processes]
    return [[json.loads(line) for line in text.splitlines()] for text in written]


def await_all(network: EmulatedNetwork, processes: list[Process]) -> None:
    """Wait until all processes have ended, which are then no longer the network's. Raises RunError if one fails."""
    deadline = time.monotonic() + SCHEME_TIMEOUT
    running = list(processes)
    while running:
        ended = wait(running, max(0.0, deadline - time.monotonic()))
        if not ended or any(process.status for process in ended):
            raise RunError((ended or running)[0].failure_report())
        running = [process for process in running if process not in ended]
    for process in processes:
        network.processes.remove(process)
