"""`dropzero experiment`: tests the papers' claims, in process and on an emulated rack."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dropzero.extras import need
from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.processes.signals import interruptible
from dropzero.topologies.reporting import reported

app = typer.Typer(add_completion=False)


class Where(StrEnum):
    """Where to test a claim."""

    PROCESS = "process"
    RACK = "rack"
    BOTH = "both"


@app.command()
def experiment(
    names: Annotated[list[str], typer.Argument(metavar="CLAIM", help="Claims by name, or `all`.", show_default=False)],
    where: Annotated[
        Where, typer.Option(help="In this process, or with a worker on each host of a rack.")
    ] = Where.BOTH,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer steps, for a first look.")] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Samples of two classes in svmlight's format, instead of breast_cancer."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for report.html and a folder for each claim.")] = Path(
        "runs/experiments"
    ),
) -> None:
    """Test the papers' claims, each with a figure, a CSV and a verdict, and write one page for all.

    Exit status: 0 all verdicts are the recorded ones, that is, claims hold
    but those that are known not to; 1 one is another or the rack broke,
    2 it could not start, 128 + n stopped by signal n.
    """
    need("experiment", "experiments")
    with reported():
        if where is not Where.PROCESS:
            check_machine()
        # Imported here, so that other commands need not load them, and after the checks, because they start threads.
        from dropzero.experiments.catalogue import EXPERIMENTS
        from dropzero.experiments.run import run

        unknown = set(names) - {"all", *EXPERIMENTS}
        if unknown:
            possible = ", ".join(("all", *EXPERIMENTS))
            raise typer.BadParameter(f"{', '.join(sorted(unknown))} is not one of {possible}.", param_hint="CLAIM")
        chosen = [experiment for name, experiment in EXPERIMENTS.items() if name in names or "all" in names]
        if data:
            if others := [each.name for each in chosen if not each.labelled]:
                possible = ", ".join(name for name, each in EXPERIMENTS.items() if each.labelled)
                problem = f"{', '.join(others)} can't use it; these can: {possible}."
                raise typer.BadParameter(problem, param_hint="--data")
            _use(data)
        places = ["process", "rack"] if where is Where.BOTH else [where.value]
        with interruptible():
            good = run(chosen, places, quick, out)
    if not good:
        raise typer.Exit(1)


def _use(file: Path) -> None:
    """Makes this file the data of the claims. Raises typer.BadParameter unless it can be read."""
    from dropzero.problems.data import FILE, read_svmlight

    try:
        read_svmlight(file)
    except OSError as error:
        raise typer.BadParameter(f"cannot read {file}: {error.strerror}.", param_hint="--data") from error
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--data") from error
    FILE.set(file.resolve())
