"""`python -m lab.bench.wire_speed`: first and repeated calls in virtual time, next to the formula and other schemes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.filesize import decimal
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.protocol.wire import MAX_WORKERS
from dropzero.simulator.formulas import Scheme
from dropzero.simulator.simulation import Plan, Simulation
from dropzero.units import SIZES, parse
from lab.bench.papers.chart import Curve, Kind, Panel, draw
from lab.bench.papers.runs import links, run
from lab.bench.report import duration, save

OTHERS = (Scheme.RING, Scheme.HALVING_DOUBLING, Scheme.DOUBLE_BINARY_TREE)
"""Schemes that need no switch program. They are simulated for dense tensors."""


class Speed(NamedTuple):
    """One case: two calls one after the other, and one call of each other scheme. All times are in seconds.

    rate: Gbit/s. size: bytes. formula: the time of the bytes alone. round_trip: of a full packet.
    """

    workers: int
    rate: int
    density: float
    size: int
    formula: float
    round_trip: float
    first: float
    repeated: float
    others: dict[Scheme, float]

    @property
    def least(self) -> float:
        """The formula and one round trip."""
        return self.formula + self.round_trip

    @property
    def over(self) -> tuple[float, float]:
        """How many round trips the first and the repeated call take in addition to the formula."""
        return (self.first - self.formula) / self.round_trip, (self.repeated - self.formula) / self.round_trip


def measure(workers: int, rate: int, density: float, size: int, others: Sequence[Scheme] = OTHERS) -> Speed:
    """Simulate a case, in racks of 32. Raises RuntimeError if a sum is wrong."""
    plan = Plan(workers, -(-workers // MAX_WORKERS), links(rate), size, density)
    simulation = Simulation(plan)
    calls = []
    for _ in range(2):
        if not simulation.call(size // 4, plan.seed):
            raise RuntimeError(f"a wrong sum: {plan}")
        calls.append(simulation.job_seconds[0])
    times = {scheme: run(replace(plan, scheme=scheme)).seconds for scheme in others if density == 1}
    return Speed(workers, rate, density, size, plan.formula_seconds, plan.round_trip, calls[0], calls[1], times)


def table(speeds: Sequence[Speed]) -> Table:
    rows = []
    for each in speeds:
        case = str(each.workers), str(each.rate), f"{each.density:.0%}", decimal(each.size)
        (first, repeated), others = each.over, [each.others.get(scheme) for scheme in OTHERS]
        own = duration(each.formula), duration(each.first), f"{first:.1f}", duration(each.repeated), f"{repeated:.1f}"
        rows.append([*case, *own, *("" if seconds is None else duration(seconds) for seconds in others)])
    headings = "workers", "Gbit/s", "non-zero", "tensor", "formula", "first", "+R", "repeated", "+R", *map(str, OTHERS)
    return table_of(headings, rows, "calls in virtual time; +R: round trips in addition to the formula", names=0)


def plot(speeds: Sequence[Speed], path: Path) -> None:
    """Draw times over sizes, as multiples of the least: a panel for each rate, dense tensors, the fewest workers above
    two that were measured."""
    dense = [each for each in speeds if each.density == 1]
    counts = sorted({each.workers for each in dense})
    rates = sorted({each.rate for each in dense})
    if not dense:
        return
    chosen = next((count for count in counts if count > 2), counts[0])
    panels = []
    for rate in rates:
        mine = sorted((each for each in dense if (each.workers, each.rate) == (chosen, rate)), key=lambda e: e.size)
        times = {"first call": [each.first for each in mine], "repeated call": [each.repeated for each in mine]}
        measured = [scheme for scheme in OTHERS if all(scheme in each.others for each in mine)]
        times |= {str(scheme): [each.others[scheme] for each in mine] for scheme in measured}
        curves = [
            Curve(label, Kind.SIMULATED, [(e.size, time / e.least) for e, time in zip(mine, each, strict=True)], colour)
            for colour, (label, each) in enumerate(times.items())
        ]
        title = f"{chosen} workers, {rate} Gbit/s"
        panels.append(Panel(title, "bytes", "time over (formula + round trip)", curves, "xy"))
    draw(panels, path, columns=len(rates))


def main(
    workers: Annotated[list[int] | None, typer.Option(min=1, max=1024, help="By default 2, 8 and 32.")] = None,
    rate: Annotated[list[int] | None, typer.Option(min=1, help="Gbit/s; by default 100 and 400.")] = None,
    density: Annotated[list[float] | None, typer.Option(help="Shares of non-zero blocks; by default 1, 0.1.")] = None,
    size: Annotated[list[str] | None, typer.Option(help="By default 1kB to 10MB.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the JSON file and the figure.")] = Path("runs/bench"),
) -> None:
    """Simulate all combinations, on links of 1 us. Write wire_speed.json and .png."""
    try:
        sizes = [parse(each, SIZES) for each in size or ["1kB", "10kB", "30kB", "100kB", "300kB", "1MB", "10MB"]]
        # The other schemes take long with more workers.
        speeds = [
            measure(*case, OTHERS if case[0] <= MAX_WORKERS else ())
            for case in product(workers or [2, 8, 32], rate or [100, 400], density or [1.0, 0.1], sizes)
        ]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    save([each._asdict() for each in speeds], out / "wire_speed.json")
    console = wide_console()
    console.print(table(speeds))
    plot(speeds, out / "wire_speed.png")
    console.print(f"{out / 'wire_speed.json'}, {out / 'wire_speed.png'}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
