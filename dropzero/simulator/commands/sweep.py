"""`dropzero sweep`: simulations over a grid of options, on all cores. It continues where it stopped."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.figures import COLOURS, End, drawn, label_ends

app = typer.Typer(add_completion=False)

Grid = Mapping[str, Sequence[str]]
"""The values of each option, by its name without dashes."""
Point = tuple[str, ...]
"""One value of each option of a grid."""

SHOWN = ("seconds", "formula_seconds", "retransmissions", "exact", "wall_seconds")
"""What the table shows of each result."""


@app.command(context_settings={"ignore_unknown_options": True})
def sweep(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=VALUE,... [OPTION...]",
            help="Options of dropzero simulate to vary, each with its values, then options that stay.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for a JSON file of each point, sweep.csv and sweep.png.")] = Path(
        "runs/sweep"
    ),
    processes: Annotated[int | None, typer.Option(min=1, help="At once.", show_default="the cores")] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Simulate on this Ray cluster, whose machines have dropzero: HOST:PORT, ray://HOST:10001 or auto; or "
            "local: one that is started here.",
        ),
    ] = None,
) -> None:
    """Simulate every point of a grid: dropzero sweep workers=2,4,8 density=0.01,1 --rate 10G --size 1MB.

    Points whose JSON files are there are not simulated again. Exit status: 0 all sums are exact, 1 not so, or a point
    has failed.
    """
    try:
        grid, options = parse(words)
        prepare(out, options)
        with pool(ray, processes) as executor:
            failures = run(grid, options, out, executor)
        files = {point: _file(out, grid, point) for point in product(*grid.values())}
        results = {point: _read(file) for point, file in files.items() if file.exists()}
        if results:
            wide_console().print(_table(grid, results))
        _write(out / "sweep.csv", grid, results)
        if results and find_spec("matplotlib") is not None:
            _draw(out / "sweep.png", grid, results)
    except (ImportError, OSError, ValueError) as error:
        raise typer.TyperException(str(error)) from error
    for point, reason in failures.items():
        print(f"{_name(grid, point)}: {reason}", file=sys.stderr)
    if failures or not all(result["exact"] for result in results.values()):
        raise typer.Exit(1)


def parse(words: Sequence[str]) -> tuple[Grid, list[str]]:
    """The grid, and the options that stay. Raises ValueError."""
    first = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    grid: dict[str, list[str]] = {}
    for word in words[:first]:
        name, _, values = word.partition("=")
        if not (name and values and all(values.split(","))):
            raise ValueError(f"an option to vary is NAME=VALUE,..., not {word!r}")
        if name in grid:
            raise ValueError(f"{name} is given twice")
        grid[name] = values.split(",")
    if not grid:
        raise ValueError("name an option to vary first, such as workers=2,4,8")
    return grid, list(words[first:])


def prepare(out: Path, options: Sequence[str]) -> None:
    """Makes the folder. Its results must be of a sweep with the same options. Raises ValueError, OSError."""
    out.mkdir(parents=True, exist_ok=True)
    about = out / "sweep.json"
    before = _read(about)["options"] if about.exists() else options
    if before != options and any(file != about for file in out.glob("*.json")):
        raise ValueError(f"{out} has a sweep with {' '.join(before) or 'no options'}: choose another folder with --out")
    about.write_text(json.dumps({"options": options}) + "\n")


def _read(file: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(file.read_text())
    except ValueError as error:
        raise ValueError(f"{file} is not JSON: {error}; delete it to continue") from error
    return content


def pool(ray: str | None, processes: int | None) -> AbstractContextManager[Executor]:
    """What simulates points: threads that wait for processes here, or a Ray cluster. Raises ImportError,
    ConnectionError or ValueError if there is no Ray, or no cluster at that address."""
    if ray is None:
        return ThreadPoolExecutor(processes or os.cpu_count() or 1)
    # Its extra may not be installed.
    from dropzero.simulator.commands.cluster import Cluster

    return Cluster(ray, processes)


def run(grid: Grid, options: Sequence[str], out: Path, executor: Executor) -> dict[Point, str]:
    """Simulates the points that have no file. Returns the reasons of those that failed."""
    missing = [point for point in product(*grid.values()) if not _file(out, grid, point).exists()]
    failures: dict[Point, str] = {}
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(missing))
        begun = {executor.submit(simulate, _words(grid, point, options)): point for point in missing}
        try:
            for future in as_completed(begun):
                point, (result, reason) = begun[future], future.result()
                progress.update(task, advance=1, description=_name(grid, point))
                if reason:
                    failures[point] = reason
                else:
                    # An interruption leaves no half of a file.
                    half = _file(out, grid, point).with_suffix(".part")
                    half.write_text(result)
                    half.rename(_file(out, grid, point))
        except (KeyboardInterrupt, OSError):
            executor.shutdown(cancel_futures=True)
            raise
    return failures


def simulate(words: Sequence[str]) -> tuple[str, str]:
    """Simulates a point, in a process of its own. Returns its result as JSON, or why it failed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        command = [sys.executable, "-m", "dropzero", "simulate", "all-reduce", *words, "--json", str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        if file.exists():
            return file.read_text(), ""
    lines = (done.stderr or done.stdout).strip(" \n│╰╯─").splitlines() or ["no result"]
    return "", lines[-1].strip(" │").removeprefix("dropzero: ")


def _words(grid: Grid, point: Point, options: Sequence[str]) -> list[str]:
    varied = (word for name, value in zip(grid, point, strict=True) for word in (f"--{name}", value))
    return [*options, *varied]


def _name(grid: Grid, point: Point) -> str:
    return ",".join(f"{name}={value}" for name, value in zip(grid, point, strict=True))


def _file(out: Path, grid: Grid, point: Point) -> Path:
    # A value may be a path.
    return out / f"{_name(grid, point).replace('/', '%2F')}.json"


def _write(path: Path, grid: Grid, results: Mapping[Point, Mapping[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*grid, *SHOWN])
        rows.writerows([*point, *(result[name] for name in SHOWN)] for point, result in results.items())


def _table(options: Grid, results: Mapping[Point, Mapping[str, Any]]) -> Table:
    rows = []
    for point, result in results.items():
        seconds, formula, again, exact, real = (result[name] for name in SHOWN)
        times = f"{seconds:.6f}", f"{formula:.6f}", f"{seconds / formula:.3f}" if formula else ""
        rows.append([*point, *times, str(again), "yes" if exact else "NO", f"{real:.1f} s"])
    headings = *options, "seconds", "formula", "ratio", "retransmissions", "exact", "real time"
    return table_of(headings, rows, names=len(options))


def _draw(path: Path, grid: Grid, results: Mapping[Point, Mapping[str, Any]]) -> None:
    """Draws the time over the first option, with a line for each combination of the others; dashed: the formula."""
    first, *others = grid
    with drawn(path, (8, 5)) as (_, (axes,)):
        ends = []
        for number, rest in enumerate(product(*(grid[name] for name in others))):
            points = [point for point in results if point[1:] == rest]
            if not points:
                continue
            colour = COLOURS[number % len(COLOURS)]
            places = [grid[first].index(point[0]) for point in points]
            times, formula = ([results[point][name] for point in points] for name in ("seconds", "formula_seconds"))
            axes.plot(places, times, "o-", color=colour)
            axes.plot(places, formula, "--", color=colour, lw=1)
            label = ", ".join(f"{name} {value}" for name, value in zip(others, rest, strict=True))
            ends.append(End(label or "simulated", places[-1], times[-1], colour))
        axes.set(xlabel=first, yscale="log", title="virtual time, seconds, on a logarithmic scale; dashed: the formula")
        axes.set_xticks(range(len(grid[first])), grid[first])
        label_ends({axes: ends})
