"""`python -m lab.bench.collectives`: all-reduce on emulated racks, compared with other schemes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from dropzero.console import wide_console
from lab.bench import report
from lab.bench.sections import MEGABYTE, SECTIONS
from lab.bench.testbed.testbed import Measurement


def main(
    sections: Annotated[
        list[str] | None, typer.Argument(help=f"Some of {', '.join(SECTIONS)}; all unless given.")
    ] = None,
    megabytes: Annotated[int, typer.Option(min=1, help="Gradient size, in sections that do not fix it.")] = 16,
    out: Annotated[Path, typer.Option(help="Folder for the JSON file and the figure.")] = Path("runs/bench"),
) -> None:
    """Measure section by section. Print a table for each, and write collectives.json and collectives.png. Needs root.

    The schemes of a section run one after the other on the same kind of links.
    """
    chosen = sections or list(SECTIONS)
    for name in chosen:
        if name not in SECTIONS:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(SECTIONS)}", param_hint="SECTIONS")
    console = wide_console()
    results: dict[str, Sequence[Measurement]] = {}
    with report.measuring():
        for name in chosen:
            with Progress(console=console, transient=True) as progress:
                progress.add_task(name, total=None)
                results[name] = list(SECTIONS[name](out / "networks", megabytes * MEGABYTE))
            title = (SECTIONS[name].__doc__ or name).splitlines()[0]
            console.print(report.table(f"{name}: {title}", results[name]))
            report.write(results, out / "collectives.json")
    report.plot(results, out / "collectives.png")
    console.print(f"{out / 'collectives.json'}, {out / 'collectives.png'}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
