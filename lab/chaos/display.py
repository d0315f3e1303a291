"""Shows a run: a progress bar, and at the end a table."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from lab.chaos.stage.report import Report

MOST_SHOWN = 20
"""The most problems to print."""
LINES = 10.0
"""Seconds between two lines without a terminal."""


class Display:
    """A context manager with the progress bar."""

    def __init__(self, console: Console, seconds: float) -> None:
        self._console, self._seconds = console, seconds
        self._bar = Progress(
            TextColumn("chaos"),
            BarColumn(bar_width=30),
            TimeElapsedColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=seconds)
        self._began = self._printed = time.monotonic()
        self._known: set[str] = set()

    def show(self, report: Report, event: str) -> None:
        now = time.monotonic()
        for problem in report.problems:
            if problem not in self._known and len(self._known) < MOST_SHOWN:
                self._known.add(problem)
                self._console.print(problem, style="red", markup=False, highlight=False, soft_wrap=True)
        done = f"{report.faults.total()} faults, {report.verdict.results} results, {len(report.problems)} problems"
        text = f"{done}; {event}"
        self._bar.update(self._task, completed=min(now - self._began, self._seconds), description=text)
        if not self._console.is_terminal and now >= self._printed + LINES:
            self._printed = now
            self._console.print(f"{now - self._began:.0f} s: {text}", markup=False, highlight=False, soft_wrap=True)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


def table(report: Report) -> Table:
    """Return a table of the faults, results and problems."""
    made = Table(title=f"seed {report.seed}", show_header=False)
    made.add_column(style="bold")
    made.add_column(justify="right")
    groups = {
        "collectives": report.verdict.collectives,
        "faults": report.faults,
        "forged packets": report.forged,
        "errors": report.verdict.errors,
    }
    for name, counts in groups.items():
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
