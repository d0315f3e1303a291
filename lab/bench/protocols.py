"""`python -m lab.bench.protocols`: protocols' all-reduces over real sockets and in virtual time."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from dropzero.console import wide_console
from dropzero.ina import emulated, virtual
from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.simulator.kernel.links import Quality
from dropzero.topologies.networks.kind import SwitchKind
from lab.bench.report import measuring, save
from lab.bench.virtual_time import Pair, table

FOLDERS = Path(__file__).parents[2] / "examples" / "protocols"
WINDOWS = {"switchml": "pool", "atp": "window", "trio_ml": "window", "canary": "window"}
"""Each protocol's option for the packets that a worker has in flight."""
OTHERS = {"trio_ml": {"patience": "60s"}, "canary": {"racks": "2", "patience": "50ms", "tick": "50ms"}}
"""Its other options."""
RATE = 2.0
"""Mbit/s: so slow that processes on a busy machine keep up."""


def measure(name: str, workers: int, loss: float, emulations: int, simulations: int) -> Pair:
    """Run one case in both ways, each time with another seed. Needs root. Raises AuditError if a sum is wrong."""
    size, window, timeout = (500_000, "16", "200ms") if loss else (250_000, "64", "2s")
    options = {WINDOWS[name]: window, "timeout": timeout} | OTHERS.get(name, {})
    folder = Folder(FOLDERS / name)
    protocol = folder.protocol(workers, options)
    quality = Quality(round(RATE * 1e6), 1000, loss)
    runs = [Conditions(quality, seed) for seed in range(max(emulations, simulations))]
    real = []
    for each in runs[:emulations]:
        with TemporaryDirectory() as out:
            outcome = emulated.run(folder, protocol, options, size // 4, each, SwitchKind.SOFTSWITCH, Path(out))
        real.append(outcome.seconds)
    modelled = [virtual.run(folder, protocol, size // 4, each).seconds for each in runs[:simulations]]
    return Pair(type(protocol).__name__, workers, RATE, loss, 1.0, size, tuple(real), tuple(modelled))


def main(
    protocol: Annotated[list[str] | None, typer.Option(help="By default switchml, atp, trio_ml and canary.")] = None,
    workers: Annotated[list[int] | None, typer.Option(min=1, help="By default 2 and 4.")] = None,
    loss: Annotated[list[float] | None, typer.Option(min=0.0, max=0.5, help="By default 0 and 0.002.")] = None,
    emulations: Annotated[int, typer.Option(min=1, help="Emulated runs of each case.")] = 41,
    simulations: Annotated[int, typer.Option(min=1, help="Runs of each case in virtual time.")] = 201,
    out: Annotated[Path, typer.Option(help="Folder for the JSON file.")] = Path("runs/bench"),
) -> None:
    """Compare all combinations. Write protocols.json. Needs root."""
    cases = product(protocol or list(WINDOWS), loss or [0.0, 0.002], workers or [2, 4])
    with measuring():
        pairs = [measure(name, count, share, emulations, simulations) for name, share, count in cases]
        save([each._asdict() | {"residual": each.residual} for each in pairs], out / "protocols.json")
    wide_console().print(table(pairs))


if __name__ == "__main__":
    typer.run(main)
