"""`dropzero runs` and `dropzero compare`: past runs, read from their summaries, and deleted."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from itertools import chain
from os.path import exists
from pathlib import Path
from typing import Annotated, Any

import typer

from dropzero.files import run_folder, run_names
from dropzero.groups import DefaultingGroup
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.reporting import reported

app = typer.Typer(add_completion=False)
runs_app = typer.Typer(cls=DefaultingGroup, help="List past runs with their options and results.")
app.add_typer(runs_app, name="runs")

Runs = Annotated[Path, typer.Argument(help="Folder with the runs.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class OtherSummaryError(ValueError):
    """A summary.json is not that of a run, but for example of `make chaos`."""


KINDS = {
    "parameters": dict,
    "faults": dict,
    "versions": dict,
    "killed": list,
    "uplink_bytes": int | float | None,
    "dense_uplink_bytes": int | float | None,
}
"""What a run's summary has under these names."""


@dataclass(frozen=True)
class PastRun:
    """One job of a run. name: its folder, relative to the folder of all runs. summary: the content of summary.json."""

    name: str
    summary: dict[str, Any]

    @classmethod
    def read(cls, folder: Path, name: str) -> PastRun:
        """Reads a summary. Raises OSError, ValueError if the file is not JSON, or OtherSummaryError."""
        summary = json.loads((folder / "summary.json").read_text())
        if not isinstance(summary, dict) or "steps" not in summary:
            raise OtherSummaryError("it is not that of a run")
        inner = [summary, summary.get("parameters")]
        for key, kind in KINDS.items():
            if any(not isinstance(each[key], kind) for each in inner if isinstance(each, dict) and key in each):
                raise OtherSummaryError("it is not that of a run")
        return cls(name, summary)

    @property
    def flat(self) -> dict[str, object]:
        """The parameters, the outcome and the versions, flattened."""
        parameters: dict[str, Any] = self.summary.get("parameters", {})
        parts = [parameters, parameters.get("faults", {}), self.summary, self.summary.get("versions", {})]
        return {name: value for part in parts for name, value in part.items() if not isinstance(value, dict)}

    @property
    def workers(self) -> str:
        """How many workers finished, and how many began if some were killed."""
        finished, killed = self.summary.get("workers"), self.summary.get("killed")
        return f"{finished} of {finished + len(killed)}" if finished and killed else _text(finished)

    @property
    def uplink_share(self) -> float | None:
        """The bytes on the uplinks relative to dense training; None if unknown."""
        sent, dense = self.summary.get("uplink_bytes"), self.summary.get("dense_uplink_bytes")
        return sent / dense if sent is not None and dense else None


def past_runs(folder: Path) -> list[PastRun]:
    """The runs in a folder, by name. Skips invalid summaries, with a line on stderr. Raises OSError."""
    found = []
    for path in sorted(chain(folder.glob("*/summary.json"), folder.glob("*/job-*/summary.json"))):
        # `latest` is a link to a run that is listed anyway.
        if (folder / path.relative_to(folder).parts[0]).is_symlink():
            continue
        try:
            found.append(PastRun.read(path.parent, str(path.parent.relative_to(folder))))
        except OtherSummaryError:
            continue
        except (OSError, ValueError) as error:
            print(f"dropzero: skipped {path}: {error}", file=sys.stderr)
    return found


@runs_app.command("list")
@reported()
def runs(folder: Runs = Path("runs"), as_json: AsJson = False) -> None:
    """List past runs with their options and results. `list` may be left out."""
    try:
        found = past_runs(folder)
    except OSError as error:
        raise SetupError(f"cannot read {folder}: {error.strerror}") from error
    if as_json:
        typer.echo(json.dumps([{"run": run.name} | run.summary for run in found]))
        return
    if not found:
        typer.echo(f"no runs in {folder}: start one with `dropzero run`", err=True)
        return
    from rich.console import JustifyMethod
    from rich.table import Table

    from dropzero.console import wide_console

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("run", "workers", "compress", "packet loss", "steps", "accuracy", "of dense", "seconds"):
        # On a narrow terminal, fold the compression, but never the name, which `compare` needs.
        justify: JustifyMethod = "left" if heading in ("run", "compress") else "right"
        table.add_column(heading, justify=justify, no_wrap=heading != "compress", overflow="fold")
    for run in found:
        options = map(run.flat.get, ("compress", "loss", "steps", "test_accuracy"))
        table.add_row(run.name, run.workers, *map(_text, (*options, run.uplink_share, run.flat.get("seconds"))))
    wide_console().print(table)


@runs_app.command()
@reported()
def prune(
    folder: Runs = Path("runs"),
    keep: Annotated[int, typer.Option(min=0, help="How many of the newest runs to keep.")] = 10,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be deleted.")] = False,
) -> None:
    """Delete the folders of old runs, but never of one that is still up or that `latest` points to."""
    from rich.filesize import decimal

    from dropzero.topologies.pruning import old_runs
    from dropzero.topologies.registry.choice import runs_up

    would = "would be " * dry_run
    freed = 0
    try:
        found = old_runs(folder, keep, [Path(state.folder).resolve() for state in runs_up()])
        for old in found:
            if not dry_run:
                shutil.rmtree(old.path)
            freed += old.size
            typer.echo(f"{would}deleted: {old.path}, {decimal(old.size)}")
    except PermissionError as error:
        raise SetupError(f"cannot delete {error.filename}: it is another user's; try again with sudo") from error
    except OSError as error:
        raise SetupError(f"cannot read {folder}: {error.strerror}") from error
    typer.echo(f"{decimal(freed)} {would}freed" if found else f"nothing to delete in {folder}")


@app.command()
@reported()
def compare(
    first: Annotated[Path, typer.Argument(autocompletion=run_names, help="Name or folder of a run.", metavar="RUN")],
    second: Annotated[
        Path, typer.Argument(autocompletion=run_names, help="Name or folder of another run.", metavar="RUN")
    ],
    as_json: AsJson = False,
) -> None:
    """Show two runs side by side: all options and results, and which of them differ."""
    both = []
    for run in (first, second):
        folder = run_folder(run)
        if not exists(folder):
            raise SetupError(f"there is no run {run}: `dropzero runs` lists them")
        try:
            both.append(PastRun.read(folder, str(folder)))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise SetupError(f"{folder} has no summary of a run: {reason}") from error
    one, other = (run.flat for run in both)
    names = list(dict.fromkeys((*one, *other)))
    if as_json:
        typer.echo(json.dumps({name: [one.get(name), other.get(name)] for name in names}))
        return
    from rich.table import Table

    from dropzero.console import wide_console

    table = Table(box=None)
    for heading in ("", both[0].name, both[1].name, ""):
        table.add_column(heading, justify="right" if heading else "left", overflow="fold")
    for name in names:
        values = one.get(name), other.get(name)
        differ = values[0] != values[1]
        table.add_row(name, *map(_text, values), _change(*values) if differ else "", style="bold" if differ else "dim")
    wide_console().print(table)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)


def _change(one: object, other: object) -> str:
    """Describes by how much the second value exceeds the first."""
    if isinstance(one, int | float) and isinstance(other, int | float) and one and not isinstance(one, bool):
        return f"{100 * (other / one - 1):+.3g} %" if other / one < 10 else f"{other / one:.3g} times"
    return "differs"
