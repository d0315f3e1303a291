"""The options of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from dropzero.help import FaultOption, NetworkOption, OutputOption
from dropzero.protocol.wire import MAX_WORKERS
from dropzero.topologies.networks.description import MAX_HOSTS, Description
from dropzero.topologies.networks.faults import NO_FAULTS, Faults
from dropzero.topologies.networks.kind import PortKind, SwitchKind, SwitchOption
from dropzero.topologies.processes.errors import SetupError


class KillTarget(StrEnum):
    """The programs of a run that can be killed: the last worker of the first job, the first switch, the controller."""

    WORKER = "worker"
    SWITCH = "switch"
    CONTROLLER = "controller"


def new_folder() -> Path:
    """Returns the path of a folder for a run, named after the time."""
    return Path("runs") / datetime.now().strftime("%Y%m%d-%H%M%S.%f")[:-3]


@dataclass(frozen=True)
class Hosts:
    """The hosts of a network: in racks of equal size, or as a file describes them. Raises SetupError if both are given,
    or the file is not a description."""

    workers: Annotated[
        int | None, NetworkOption(min=1, max=MAX_HOSTS, help="Hosts, each with one worker.", show_default="4")
    ] = None
    racks: Annotated[
        int | None,
        NetworkOption(min=1, help="Racks that share the hosts evenly; a spine joins several.", show_default="1"),
    ] = None
    topology: Annotated[
        Path | None,
        NetworkOption(metavar="FILE", help="Hosts, switches and links, as JSON in the format of p4lang's tutorials."),
    ] = None

    def __post_init__(self) -> None:
        if self.described is not None and (self.workers or self.racks):
            raise SetupError("--topology defines the hosts and switches: do not give --workers or --racks")

    @cached_property
    def described(self) -> Description | None:
        """What the file describes."""
        return None if self.topology is None else Description.read(self.topology)


@dataclass(frozen=True)
class NetworkPlan:
    """The options of a network with its switches and controller. jobs: at once, each on its own hosts."""

    hosts: Hosts = Hosts()
    loss: Annotated[float, FaultOption(min=0, max=0.9, help="Probability that a link loses a packet.")] = 0.0
    faults: Faults = NO_FAULTS
    rate: Annotated[
        float | None,
        NetworkOption(min=0.001, help="Rate of each host's link and direction, Mbit/s.", show_default="no limit"),
    ] = None
    trunk_rate: Annotated[
        float | None,
        NetworkOption(min=0.001, help="Rate of each rack's link to the spine, Mbit/s.", show_default="no limit"),
    ] = None
    switch: SwitchOption = SwitchKind.AUTO
    ports: Annotated[
        PortKind, NetworkOption(help="The links to hosts: veth pairs, or rings in shared memory, without rates.")
    ] = PortKind.VETH
    pcap: Annotated[bool, OutputOption("--pcap", help="Capture all ports of the switches.")] = False
    name: Annotated[
        str, OutputOption(metavar="NAME", help="Name of the run.", show_default="dz0, or the next free one")
    ] = ""
    out: Annotated[Path, OutputOption(help="Folder for all files.", show_default="runs/<date and time>")] = field(
        default_factory=new_folder
    )
    jobs: int = 1

    @property
    def topology(self) -> Description | None:
        """Hosts and links from a file, instead of racks of equal size."""
        return self.hosts.described

    @property
    def workers(self) -> int:
        """The number of workers in each job, over all racks."""
        return self.hosts.workers or (4 if self.topology is None else len(self.topology.hosts))

    @property
    def racks(self) -> int:
        """1, or several under a spine, with the same number of hosts each."""
        return self.hosts.racks or (1 if self.topology is None else self.topology.racks)

    @property
    def parameters(self) -> dict[str, Any]:
        """All options except the run's folder and name, as JSON types."""
        values = {name: value for name, value in asdict(self).items() if name not in ("hosts", "out", "name")}
        path = self.hosts.topology
        return {"workers": self.workers, "racks": self.racks, **values, "topology": path and str(path)}


@dataclass(frozen=True)
class JobPlan(NetworkPlan):
    """The options of a network on which the workers of each job share the switches. Raises SetupError if a switch would
    have more workers of a job than it can serve."""

    def __post_init__(self) -> None:
        racks = -(-self.workers // MAX_WORKERS)
        if self.topology is None and self.racks < racks:
            even = -(-self.workers // racks) * racks
            more = "" if even == self.workers else f" --workers={even}"
            raise SetupError(
                f"a switch serves up to {MAX_WORKERS} workers of a job: {self.workers} need more racks, such as "
                f"--racks={racks}{more}"
            )


@dataclass(frozen=True)
class Plan(JobPlan):
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
