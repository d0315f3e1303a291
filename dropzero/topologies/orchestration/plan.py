"""The options of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from dropzero.topologies.networks.description import Description
from dropzero.topologies.networks.faults import NO_FAULTS, Faults
from dropzero.topologies.networks.kind import PortKind, SwitchKind
from dropzero.topologies.orchestration.kill_target import KillTarget


@dataclass(frozen=True)
class NetworkPlan:
    """The options of a network with its switches and controller.

    Attributes:
        out: the folder for all files of the run.
        workers: the number of workers in each job, over all racks.
        racks: 1, or several under a spine, with the same number of hosts each.
        jobs: the number of jobs at once, each on its own hosts.
        loss: the probability that a link loses a packet, in each direction.
        faults: other faults of links.
        rate: of each host's link and direction, Mbit/s; None: no limit.
        trunk_rate: of the links between switches, in the same way.
        switch: what runs the P4 program.
        ports: of the switches to the hosts.
        pcap: capture all ports of the switches.
        name: of the run; empty: `dz0`, `dz1`, ...
        topology: hosts and links from a file, instead of racks of equal size.
    """

    out: Path
    workers: int = 4
    racks: int = 1
    jobs: int = 1
    loss: float = 0.0
    faults: Faults = NO_FAULTS
    rate: float | None = None
    trunk_rate: float | None = None
    switch: SwitchKind = SwitchKind.AUTO
    ports: PortKind = PortKind.VETH
    pcap: bool = False
    name: str = ""
    topology: Description | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """All options except the run's folder and name, as JSON types."""
        values = asdict(replace(self, topology=None))
        values["topology"] = self.topology and str(self.topology.path)
        return {name: value for name, value in values.items() if name not in ("out", "name")}


@dataclass(frozen=True)
class Plan(NetworkPlan):
    """The options of `dropzero run`.

    Attributes:
        compress: the compression of the gradients: see dropzero.compressors.spec.
        steps: the number of training steps.
        seed: of the initial weights and the minibatches.
        kill: the programs to kill during training, in this order.
    """

    compress: str = "topk(0.1,block=32)+ef"
    steps: int = 200
    seed: int = 0
    kill: tuple[KillTarget, ...] = ()

    @property
    def folders(self) -> list[Path]:
        """The folder of each job."""
        return [self.out] if self.jobs == 1 else [self.out / f"job-{job}" for job in range(1, self.jobs + 1)]

    def __str__(self) -> str:
        """One line for plots, with the main options and those that are not at their defaults."""
        racks = f" in {self.racks} racks" if self.racks > 1 else ""
        racks = f" on {self.topology.path.name}" if self.topology else racks
        jobs = f"{self.jobs} jobs of " if self.jobs > 1 else ""
        parts = [f"{jobs}{self.workers} worker{'s' * (self.workers > 1)}{racks}", self.compress, f"seed {self.seed}"]
        parts += [f"{100 * self.loss:g} % loss"] if self.loss else []
        parts += [f"{self.rate:g} Mbit/s"] if self.rate else []
        parts += ["ports in shared memory"] if self.ports is PortKind.SHM else []
        return ", ".join(parts)
