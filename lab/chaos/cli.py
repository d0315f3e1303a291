"""`python -m lab.chaos`."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

app = typer.Typer(add_completion=False)


@app.command()
def chaos(
    minutes: Annotated[float, typer.Option(min=0.1, help="Duration, about.")] = 2.0,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all calls and faults; timing still differs.")] = None,
    workers: Annotated[int, typer.Option(min=2, max=16, help="Hosts of each network, over all racks.")] = 4,
    racks: Annotated[int, typer.Option(min=0, max=4, help="Racks of each network; 0: one and two in turn.")] = 0,
    kind: Annotated[
        list[str] | None, typer.Option(help="Inject faults of this kind only. Repeatable.", show_default="all")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for all files; emptied first.")] = Path("runs/chaos"),
) -> None:
    """Inject faults into real processes on emulated racks while they make collectives, and check every result.

    Exit status: 0 nothing went wrong, 1 something did, 2 it could not start
    as asked, 128 + n stopped by signal n.
    """
    from lab.chaos.campaign import Campaign
    from lab.chaos.command import prepared
    from lab.chaos.display import Display, conclude
    from lab.chaos.stage import schedule

    if unknown := set(kind or ()) - set(schedule.LONGEST):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: kinds are {', '.join(schedule.LONGEST)}")
    if racks and workers % racks:
        raise typer.BadParameter(f"{workers} workers cannot be shared out evenly among {racks} racks")
    console = Console()
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    plan = schedule.Schedule(seed, workers, racks, tuple(kind or schedule.LONGEST))
    with prepared(out):
        console.print(f"seed {seed}, files in {out}", highlight=False)
        with Display(console, 60 * minutes) as display:
            campaign = Campaign(plan, out, display.show)
            campaign.run(60 * minutes)
    raise typer.Exit(conclude(campaign.report, console, out, f"make chaos ARGS='--seed {seed} --minutes {minutes:g}'"))
