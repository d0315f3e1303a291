"""`python -m lab.bench.wire`: all-reduce on slow links, timed from the switch's captures, not the workers' clocks."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.progress import track
from rich.table import Table

from dropzero.console import wide_console
from dropzero.simulator.formulas import Overlap, Scheme, seconds
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.errors import RunError, SetupError
from dropzero.traces.calls import spans
from dropzero.worker.pump import rehearse
from lab.bench.testbed.member import Case
from lab.bench.testbed.testbed import await_all, launch

ELEMENTS = 1 << 20
"""4 MB."""


class Setting(NamedTuple):
    """A rack, and the case to measure on it."""

    workers: int
    loss: float
    case: Case


SETTINGS = [
    Setting(2, 0.0, Case(ELEMENTS)),
    Setting(4, 0.0, Case(ELEMENTS)),
    Setting(8, 0.0, Case(ELEMENTS)),
    Setting(4, 0.001, Case(ELEMENTS)),
    Setting(4, 0.0, Case(ELEMENTS, 0.1, Overlap.RANDOM)),
    Setting(4, 0.0, Case(ELEMENTS, 0.01, repetitions=10)),
]


def measure(setting: Setting, rate: float, folder: Path) -> list[float]:
    """Run a setting. Returns the seconds of each call.

    Raises:
        RunError: a worker failed, with its log.
    """
    with Rack(setting.workers, folder, rate=rate, pcap=True) as rack:
        rack.start_switches()
        rehearse()
        rack.start_controller(setting.loss)
        await_all(launch(rack, rack.hosts, Scheme.DROPZERO, setting.workers, [setting.case]))
        assert rack.pcaps is not None
        calls = spans(rack.pcaps)[-3 * setting.case.repetitions :]
    # A repetition makes three calls: a barrier, an exchange of densities, and the sum.
    return [(total.end - density.begin) / 1e6 for density, total in zip(calls[1::3], calls[2::3], strict=True)]


def rows(settings: list[Setting], times: list[list[float]], rate: float) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    dense = next(
        statistics.median(each)
        for setting, each in zip(settings, times, strict=True)
        if (setting.workers, setting.loss, setting.case.density) == (4, 0, 1)
    )
    for (workers, loss, case), each in zip(settings, times, strict=True):
        median = statistics.median(each)
        formula = seconds(
            Scheme.DROPZERO, 4 * case.elements, workers, rate * 1e6, density=case.density, overlap=case.overlap
        )
        yield (
            f"{workers}",
            f"{case.density:.0%}, {case.overlap}",
            f"{loss:.1%}",
            f"{median:.4f} s",
            f"{min(each):.4f} to {max(each):.4f}",
            f"{formula:.4f} s",
            f"{median / formula:.3f}",
            f"{dense / median:.1f}",
        )


def main(
    rate: Annotated[float, typer.Option(help="Rate of each link and direction, Mbit/s.")] = 20.0,
    out: Annotated[Path, typer.Option(help="Folder for the captures.")] = Path("runs/bench/wire"),
) -> None:
    """Time all-reduces of 4 MB on slow links from captures. Needs root."""
    if os.geteuid():
        raise typer.BadParameter("emulated networks need root")
    console = wide_console()
    try:
        times = [
            measure(setting, rate, out / f"{os.getpid()}-{number}")
            for number, setting in enumerate(track(SETTINGS, "captures", console=console, transient=True))
        ]
    except (RunError, SetupError) as error:
        console.print(f"bench: {error}", style="red", highlight=False)
        raise typer.Exit(1) from error
    table = Table(title=f"4 MB on links of {rate:g} Mbit/s, by captures", box=None)
    for heading in ("workers", "blocks", "loss", "median", "range", "formula", "of formula", "speed-up over dense"):
        table.add_column(heading, justify="right")
    for row in rows(SETTINGS, times, rate):
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
