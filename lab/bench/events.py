"""`python -m lab.bench.events`: the events per second that the simulator handles, by number of workers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.filesize import decimal
from rich.table import Table

from dropzero.console import wide_console
from dropzero.protocol.wire import MAX_WORKERS
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan, Result, Simulation
from dropzero.simulator.units import RATES, SIZES, parse

DELAY = 1000
"""The delay of a link, nanoseconds."""


def measure(most: int, size: int, rate: int) -> Iterator[tuple[Result, float]]:
    """Simulate dense all-reduces of 1, 2, 4, ... up to `most` workers, in racks of 32, after one that loads the code.

    size: bytes of each worker's tensor. rate: bits per second of each link.

    Yields:
        Each result, and its seconds of CPU time, including the making and checking of tensors.
    """
    links = Quality(rate, DELAY)
    Simulation(Plan(2, 2, links, size)).run()
    for power in range(most.bit_length()):
        workers = 1 << power
        simulation = Simulation(Plan(workers, -(-workers // MAX_WORKERS), links, size))
        began = time.process_time()
        result = simulation.run()
        yield result, time.process_time() - began


def main(
    most: Annotated[int, typer.Option(min=1, max=1024, help="Workers: 1, 2, 4, and so on up to this.")] = 1024,
    size: Annotated[str, typer.Option(help="Size of each worker's tensor of float32.")] = "1MB",
    rate: Annotated[str, typer.Option(help="Rate of each link, bits per second.")] = "100G",
) -> None:
    """Print a table of dense all-reduces of 1, 2, 4, ... workers. Memory is this process's maximum so far."""
    table = Table()
    for heading in ("workers", "events", "per worker", "CPU time", "events/s", "memory"):
        table.add_column(heading, justify="right")
    try:
        for each, seconds in measure(most, parse(size, SIZES), parse(rate, RATES)):
            counts = f"{each.events:,}", f"{each.events / each.workers:,.0f}", f"{seconds:.2f} s"
            table.add_row(str(each.workers), *counts, f"{each.events / seconds:,.0f}", decimal(each.max_memory))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    wide_console().print(table)


if __name__ == "__main__":
    typer.run(main)
