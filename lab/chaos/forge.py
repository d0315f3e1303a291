"""`python -m lab.chaos.forge`: forges packets to workers, switch and aggregator, while two jobs make collectives whose
results are checked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dropzero.controller.jobs.slots import SLOTS
from dropzero.membership.client import Membership
from dropzero.topologies.networks.faults import NO_FAULTS
from dropzero.topologies.networks.kind import PortKind
from lab.chaos.campaign import Watcher
from lab.chaos.cli import Display, conclude, main, prepared
from lab.chaos.injection.attack import Attack
from lab.chaos.jobs.worker import Terms
from lab.chaos.stage.events import Events
from lab.chaos.stage.leftovers import Leftovers
from lab.chaos.stage.report import Report
from lab.chaos.stage.schedule import Schedule, Stage
from lab.chaos.stage.site import Site, UnexpectedExit
from lab.chaos.stage.system import SystemUnderTest

WORKERS, HOSTS = 2, 4
"""Two workers in each job, on the first hosts. The last but one forges; the last aggregates for the job without
slots."""
LANES = 32
REST = 0.01
"""Seconds between two volleys."""
FILLER = 65_534
"""The job that takes all other slots."""

app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Calm(Schedule):
    """Jobs without faults: the first on the switch, the second on the aggregator, both with a token."""

    def terms(self, stage: int, crew: int, job: int, size: int) -> Terms:
        when_full = "host" if crew else "refuse"
        return Terms(size, float("inf"), token=f"token {crew}", lanes=LANES, when_full=when_full)

    @property
    def misbehaviour(self) -> float:
        return 0.0


def run(packets: int, seed: int, out: Path, watch: Watcher) -> Report:
    """Forge about `packets` packets. Raises SetupError or RunError if the network did not come up."""
    began, report, leftovers = time.monotonic(), Report(seed), Leftovers()
    events = Events(out / "events.log", report.faults)
    stage = Stage(0, float("inf"), 1, HOSTS, (WORKERS, WORKERS), NO_FAULTS, PortKind.VETH, 0.0, 0.0, ())
    try:
        with SystemUnderTest(stage, out / "logs", events, leftovers, aggregator=True) as system:
            site = Site(system, Calm(seed), report, out, lambda: watch(report, f"{report.forged.total()} packets"))
            try:
                _forge(packets, seed, site, report)
            except UnexpectedExit:
                events.add("the run ends early: a process has died")
            finally:
                site.report_findings()
    finally:
        report.seconds = time.monotonic() - began
        report.left_behind += leftovers.left()
        events.close()
    return report


def _forge(packets: int, seed: int, site: Site, report: Report) -> None:
    system, (first, second) = site.system, site.crews
    with Membership(system.address) as others:
        # The second job must get no slots.
        site.crews = [first]
        site.until(lambda: len(first.at_work()) == WORKERS)
        others.join(job=FILLER, size=1, ip=str(system.hosts[0].IP()), udp_port=9, lanes=SLOTS - LANES)
        site.crews = [first, second]
        site.until(lambda: len(second.at_work()) == WORKERS)
        others.leave()
        victims, other = system.hosts[:WORKERS], system.hosts[-2]
        with Attack(victims, other, seed, report.forged) as attack:
            while report.forged.total() < packets and not any(crew.lost or crew.hung for crew in site.crews):
                attack.send_volley()
                site.tick(REST)
    site.finish()


@app.command()
def forge(
    packets: Annotated[int, typer.Option(min=1, help="Packets to forge, about.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all packets and calls.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for all files; emptied first.")] = Path("runs/forge"),
) -> None:
    """Forge packets from a worker's own host as any user, and from another host with the switch's addresses.

    Exit status: 0 every sum was right and no worker was lost, 1 otherwise,
    2 it could not start as asked, 128 + n stopped by signal n.
    """
    console = Console()
    with prepared(out), Display(console, packets) as display:
        report = run(packets, seed, out, display.show)
    raise typer.Exit(conclude(report, console, out, f"python -m lab.chaos.forge --seed {seed} --packets {packets}"))


if __name__ == "__main__":
    main(app, "python -m lab.chaos.forge")
