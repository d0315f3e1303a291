"""`python -m lab.chaos.forge`: forges packets to workers, switch and aggregator, while two jobs make collectives whose
results are checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dropzero.controller.jobs.slots import SLOTS
from dropzero.membership.client import Membership
from dropzero.topologies.networks.faults import NO_FAULTS
from dropzero.topologies.networks.kind import PortKind
from lab.chaos.__main__ import Display, conclude, prepared
from lab.chaos.campaign import Campaign, Watcher
from lab.chaos.injection.attack import Attack
from lab.chaos.jobs.worker import Terms
from lab.chaos.stage.schedule import Schedule, Stage
from lab.chaos.stage.site import Site

WORKERS, HOSTS = 2, 4
"""Two workers in each job, on the first hosts. The last but one forges; the last aggregates for the job without
slots."""
LANES = 32
REST = 0.01
"""Seconds between two volleys."""
FILLER = 65_534
"""The job that takes all other slots."""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class Calm(Schedule):
    """One network, with jobs without faults: the first on the switch, the second on the aggregator, both with a
    token."""

    def stage(self, number: int) -> Stage:
        return Stage(number, 1.0, 1, HOSTS, (WORKERS, WORKERS), NO_FAULTS, PortKind.VETH, 0.0, 0.0, ())

    def terms(self, stage: int, crew: int, job: int, size: int) -> Terms:
        when_full = "host" if crew else "refuse"
        return Terms(size, float("inf"), token=f"token {crew}", lanes=LANES, when_full=when_full)


class Forgery(Campaign):
    """Forges about `packets` packets."""

    def __init__(self, packets: int, seed: int, out: Path, watch: Watcher) -> None:
        super().__init__(Calm(seed, misbehaviour=0.0), out, watch, aggregator=True)
        self._packets, self._seed = packets, seed

    def _attack(self, site: Site, seconds: float) -> None:
        system, (first, second), sent = site.system, site.crews, self.report.forged
        with Membership(system.address) as others:
            # The second job must get no slots.
            site.crews = [first]
            site.until(lambda: len(first.at_work()) == WORKERS)
            others.join(job=FILLER, size=1, ip=str(system.hosts[0].IP()), udp_port=9, lanes=SLOTS - LANES)
            site.crews = [first, second]
            site.until(lambda: len(second.at_work()) == WORKERS)
            others.leave()
            with Attack(system.hosts[:WORKERS], system.hosts[-2], self._seed, sent) as attack:
                while sent.total() < self._packets and not (self.report.lost or self.report.hung):
                    attack.send_volley()
                    system.events.latest = f"{sent.total()} packets"
                    site.tick(REST)


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
        campaign = Forgery(packets, seed, out, display.show)
        campaign.run(1.0)
    again = f"python -m lab.chaos.forge --seed {seed} --packets {packets}"
    raise typer.Exit(conclude(campaign.report, console, out, again))


if __name__ == "__main__":
    app(prog_name="python -m lab.chaos.forge")
