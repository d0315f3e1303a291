"""`python -m lab.chaos`."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.processes.signals import interruptible
from dropzero.topologies.reporting import reported
from lab.chaos.stage.report import Report

MOST_SHOWN = 20
"""The most problems to print."""
LINES = 10.0
"""Seconds between two lines without a terminal."""


class Display(Progress):
    """A progress bar, and lines without a terminal."""

    def __init__(self, console: Console, seconds: float) -> None:
        said = TextColumn("{task.description}", markup=False)
        columns = TextColumn("chaos"), BarColumn(bar_width=30), TimeElapsedColumn(), said
        super().__init__(*columns, console=console, disable=not console.is_terminal)
        self._seconds = seconds
        self._task = self.add_task("", total=seconds)
        self._began = self._printed = time.monotonic()
        self._known: set[str] = set()

    def show(self, report: Report, event: str) -> None:
        now = time.monotonic()
        for problem in report.problems:
            if problem not in self._known and len(self._known) < MOST_SHOWN:
                self._known.add(problem)
                self.console.print(problem, style="red", markup=False, highlight=False, soft_wrap=True)
        done = f"{report.faults.total()} faults, {report.verdict.results} results, {len(report.problems)} problems"
        text = f"{done}; {event}"
        self.update(self._task, completed=min(now - self._began, self._seconds), description=text)
        if not self.console.is_terminal and now >= self._printed + LINES:
            self._printed = now
            self.console.print(f"{now - self._began:.0f} s: {text}", markup=False, highlight=False, soft_wrap=True)


def table(report: Report) -> Table:
    """Return a table of the faults, results and problems."""
    made = Table(title=f"seed {report.seed}", show_header=False)
    made.add_column(style="bold")
    made.add_column(justify="right")
    for name, counts in report.counts.items():
        if not counts and name != "collectives":
            continue
        made.add_row(name, str(counts.total()))
        for kind, count in counts.most_common():
            made.add_row(f"  {kind}", str(count), style="dim")
    made.add_row("results checked", str(report.verdict.results))
    made.add_section()
    for name, found in report.wrongs.items():
        made.add_row(name.replace("_", " "), str(len(found)), style="red" if found else "green")
    return made


def conclude(report: Report, console: Console, out: Path, again: str) -> int:
    """Show and write the report. Returns the exit status. again: the command that repeats the run."""
    report.write(out / "summary.json")
    console.print(table(report))
    for problem in report.problems[:MOST_SHOWN]:
        console.print(problem, style="red", markup=False, highlight=False, soft_wrap=True)
    console.print(f"See {out}: summary.json, events.log, and the records of jobs with problems", soft_wrap=True)
    if report.problems:
        console.print(f"Repeat it with {again}", highlight=False)
    return 1 if report.problems else 0


@contextmanager
def prepared(out: Path) -> Iterator[None]:
    """A context that empties the folder; in it, a signal or an error ends the command with one line."""
    with reported():
        check_machine()
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        with interruptible():
            yield


app = typer.Typer(add_completion=False, rich_markup_mode=None)


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


if __name__ == "__main__":
    app(prog_name="python -m lab.chaos")
