"""Runs experiments and shows their progress."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from dropzero.experiments.places import PLACES
from dropzero.experiments.report import PLACE_NAMES, draw, write_page, write_rows, write_verdicts
from dropzero.experiments.trials.experiment import Experiment, Row, Verdict
from dropzero.topologies.processes.errors import SetupError


def run(experiments: Sequence[Experiment], places: Sequence[str], quick: bool, out: Path) -> bool:
    """Runs the experiments in all places, and writes everything to `out`. Returns whether all verdicts are the
    recorded ones.

    Raises:
        SetupError: this machine cannot run a rack, or `out` is not writable.
        RunError: a program on it died.
    """
    console = Console()
    columns = SpinnerColumn(), MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    good = True
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=len(experiments) * len(places))
        for experiment in experiments:
            folder = out / experiment.name
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise SetupError(f"cannot write to {folder}: {error.strerror}") from error
            console.print(f"[bold]{experiment.name}[/]: {escape(experiment.claim)}", highlight=False, soft_wrap=True)
            rows: dict[str, list[Row]] = {}
            verdicts: dict[str, Verdict] = {}
            for place in places:
                rows[place] = []
                progress.update(task, description=f"{experiment.name} {PLACE_NAMES[place]}")
                for row in PLACES[place](experiment, quick, folder / place):
                    rows[place].append(row)
                    words = f"{experiment.name} {PLACE_NAMES[place]}: {row['series']}, row {len(rows[place])}"
                    progress.update(task, description=words)
                progress.advance(task)
                write_rows(rows[place], folder / f"{place}.csv")
                verdicts[place] = experiment.judge(rows[place])
                recorded = experiment.recorded(verdicts[place])
                good = good and recorded
                word = "holds" if verdicts[place].holds else "does not hold"
                word = f"[green]{word}[/], as recorded," if recorded else f"[red]{word}[/]"
                console.print(f"  {word} {PLACE_NAMES[place]}", highlight=False)
                console.print(f"  {verdicts[place]}", highlight=False, markup=False, soft_wrap=True)
                for condition in verdicts[place].broken:
                    console.print(f"  but {condition}", highlight=False, markup=False, soft_wrap=True)
                if experiment.table:
                    table = experiment.table(rows[place])
                    console.print(table, highlight=False, markup=False, soft_wrap=True)
                    (folder / f"{place}.md").write_text(table + "\n")
            draw(experiment, rows, folder / "figure.png")
            write_verdicts(experiment, verdicts, folder, quick)
            page = write_page(out)
    console.print(f"The page is {page}", soft_wrap=True, highlight=False)
    return good
