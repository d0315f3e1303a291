"""`python -m lab.bench.papers CURVES`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from dropzero.units import SIZES, parse
from lab.bench.papers import atlahs, atp, footprint, omnireduce, protocols, switchml
from lab.bench.papers.chart import Panel, draw, write

app = typer.Typer(add_completion=False, help="Draw the papers' curves, simulated in virtual time and as published.")

CURVES: dict[str, tuple[Callable[[int], Sequence[Panel]], str]] = {
    "switchml-workers": (switchml.workers, "16MB"),
    "switchml-slots": (switchml.slots, "4MB"),
    "switchml-packets": (switchml.packets, "4MB"),
    "switchml-loss": (switchml.loss, "40MB"),
    "switchml-protocol": (protocols.curves, "4MB"),
    "omnireduce": (omnireduce.curves, "32MB"),
    "omnireduce-models": (omnireduce.models, "32MB"),
    "atlahs": (atlahs.curves, "4194304"),
    "footprint": (footprint.curves, "1MB"),
    "atp": (atp.curves, "4MB"),
    "atp-slots": (atp.slots, "16MB"),
}
"""The curves by name, and the default size of each worker's tensor."""


def command(name: str, curves: Callable[[int], Sequence[Panel]], default: str) -> None:
    """Add a command."""

    @app.command(name, help=curves.__doc__)
    def _(
        size: Annotated[str, typer.Option(help="Size of each worker's tensor of float32, such as 4MB.")] = default,
        out: Annotated[Path, typer.Option(help="Folder for a CSV file and a figure.")] = Path("runs/papers"),
    ) -> None:
        try:
            # First, because simulating takes minutes.
            out.mkdir(parents=True, exist_ok=True)
            panels = curves(parse(size, SIZES))
        except (OSError, ValueError) as error:
            raise typer.BadParameter(str(error)) from error
        write(panels, out / f"{name}.csv")
        draw(panels, out / f"{name}.png")
        print(f"{out / name}.csv, {out / name}.png")


for name, (curves, default) in CURVES.items():
    command(name, curves, default)

if __name__ == "__main__":
    app()
