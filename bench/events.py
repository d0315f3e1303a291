"""`python -m bench.events`: how many events a second the simulator handles, by workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.filesize import decimal
from rich.table import Table

from dropzero.console import wide_console
from dropzero.protocol.wire import MAX_WORKERS
from dropzero.simulator.links import Quality
from dropzero.simulator.simulation import Plan, Result, Simulation
from dropzero.simulator.units import RATES, SIZES, parse

DELAY = 1000
"""Nanoseconds of a link."""


def measure(most: int, size: int, rate: int) -> Iterator[Result]:
    """Simulate dense sums of 1, 2, 4, ... up to `most` workers, in racks of 32, after one that loads the code."""
    links = Quality(rate, DELAY)
    Simulation(Plan(2, 2, links, size)).run()
    for power in range(most.bit_length()):
        workers = 1 << power
        yield Simulation(Plan(workers, -(-workers // MAX_WORKERS), links, size)).run()


def main(
    most: Annotated[int, typer.Option(min=1, max=1024, help="Workers: 1, 2, 4, and so on up to this.")] = 1024,
    size: Annotated[str, typer.Option(help="Of each worker's tensor of float32.")] = "100kB",
    rate: Annotated[str, typer.Option(help="Of each link, bits a second.")] = "100G",
) -> None:
    """Print a table of dense sums of 1, 2, 4, ... workers. Memory is this process's so far."""
    table = Table()
    for heading in ("workers", "events", "of a worker", "real time", "events a second", "memory"):
        table.add_column(heading, justify="right")
    for each in measure(most, parse(size, SIZES), parse(rate, RATES)):
        seconds = each.wall_seconds
        counts = f"{each.events:,}", f"{each.events / each.workers:,.0f}", f"{seconds:.2f} s"
        table.add_row(str(each.workers), *counts, f"{each.events / seconds:,.0f}", decimal(each.max_memory))
    wide_console().print(table)


if __name__ == "__main__":
    typer.run(main)
