"""`python -m chaos`."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from topologies.errors import Interruption, RunError, SetupError

MOST_SHOWN = 20
"""Problems that are told in full; summary.json has all."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def chaos(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long, about.")] = 2.0,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of all calls and faults; the same again, but for the timing.")
    ] = None,
    workers: Annotated[int, typer.Option(min=2, max=16, help="Hosts of each network, over all racks.")] = 4,
    racks: Annotated[int, typer.Option(min=0, max=4, help="Racks of each network; 0: one and two in turn.")] = 0,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only faults of this kind; repeat it for more.", show_default="all")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for all files; what is in it goes.")] = Path("runs/chaos"),
) -> None:
    """Break real processes on emulated racks while they make collectives, and check every result.

    Exit status: 0 nothing went wrong, 1 something did, 2 it could not start as asked, 128 + n stopped by signal n.
    """
    from chaos import schedule
    from chaos.campaign import run
    from chaos.display import Display, table
    from topologies.machine import check_machine

    unknown = set(kind or ()) - set(schedule.LONGEST)
    if unknown:
        raise typer.BadParameter(f"{', '.join(sorted(unknown))} is none of {', '.join(schedule.LONGEST)}")
    if racks and workers % racks:
        raise typer.BadParameter(f"{workers} workers cannot be shared out evenly among {racks} racks")
    console = Console()
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    console.print(f"seed {seed}, files in {out}", highlight=False)
    plan = schedule.Schedule(seed, workers, racks, tuple(kind or schedule.kinds()))
    try:
        check_machine()
        with Display(console, 60 * minutes) as display:
            report = run(plan, 60 * minutes, out, display.show)
    except SetupError as error:
        typer.echo(f"chaos: {error}", err=True)
        raise typer.Exit(2) from None
    except RunError as error:
        typer.echo(f"chaos: {error}", err=True)
        raise typer.Exit(1) from None
    except Interruption as interruption:
        raise typer.Exit(128 + interruption.signal) from None
    console.print(table(report))
    problems = report.summary()["problems"]
    for problem in problems[:MOST_SHOWN]:
        console.print(problem, style="red", markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"Everything is in {out}: summary.json, events.log, and the records of what went wrong", soft_wrap=True
    )
    if not report.fine:
        console.print(f"Again: make chaos SEED={seed} MINUTES={minutes:g}", highlight=False)
    raise typer.Exit(0 if report.fine else 1)


def main() -> None:
    app(prog_name="python -m chaos")
