"""`python -m lab.bench.events`: the events per second that the simulator handles: all-reduces by number of workers, and
packets through switches that run any program."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal

from dropzero.console import table_of, wide_console
from dropzero.ina import virtual
from dropzero.ina.folder import Folder
from dropzero.ina.frames import framed, place
from dropzero.ina.hosts import forwarding, to
from dropzero.protocol.wire import MAX_WORKERS
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.programs.fabric import Fabric
from dropzero.simulator.simulation import Plan, Result, Simulation
from dropzero.units import RATES, SIZES, parse

FORWARDING = Path(__file__).parents[2] / "examples" / "protocols" / "optireduce"
DELAY = 1000
"""The delay of a link, nanoseconds."""


def measure(most: int, size: int, rate: int) -> Iterator[tuple[Result, float]]:
    """Simulate dense all-reduces of 1, 2, 4, ... up to `most` workers, in racks of 32, after one that loads the code.
    Yields each result, and its seconds of CPU time, including the making and checking of tensors.

    size: bytes of each worker's tensor. rate: bits per second of each link.
    """
    links = Quality(rate, DELAY)
    Simulation(Plan(2, 2, links, size)).run()
    for power in range(most.bit_length()):
        workers = 1 << power
        simulation = Simulation(Plan(workers, -(-workers // MAX_WORKERS), links, size))
        began = time.process_time()
        result = simulation.run()
        yield result, time.process_time() - began


def program(packets: int, switches: int = 3) -> float:
    """Send packets through a row of switches whose program only forwards, and whose hosts answer nothing. Return CPU
    seconds for each packet and switch. Raises RuntimeError if a packet is lost."""
    folder = Folder(FORWARDING)
    fabric = Fabric(Quality(10**10, DELAY), depth=packets)
    names = [f"s{number}" for number in range(switches)]
    for name in names:
        virtual.set_up(fabric.add(name), folder, forwarding([place(0), place(1)]))
    for one, other in pairwise(names):
        fabric.link((one, 2), (other, 1))
    # Each switch sends it on by port 2.
    frame = framed(place(0), folder.kind.port, to(1) + bytes(1000))
    for _ in range(packets):
        fabric.send(names[0], 1, frame)
    began = time.process_time()
    arrived = sum(1 for _ in fabric.run(answered=False))
    if arrived != packets:
        raise RuntimeError(f"{packets - arrived} packets are lost")
    return (time.process_time() - began) / (packets * switches)


def main(
    most: Annotated[int, typer.Option(min=1, max=1024, help="Workers: 1, 2, 4, and so on up to this.")] = 1024,
    size: Annotated[str, typer.Option(help="Size of each worker's tensor of float32.")] = "1MB",
    rate: Annotated[str, typer.Option(help="Rate of each link, bits per second.")] = "100G",
) -> None:
    """Print a table of dense all-reduces of 1, 2, 4, ... workers. Memory is this process's maximum so far."""
    rows = []
    try:
        for each, seconds in measure(most, parse(size, SIZES), parse(rate, RATES)):
            counts = f"{each.events:,}", f"{each.events / each.workers:,.0f}", f"{seconds:.2f} s"
            rows.append([str(each.workers), *counts, f"{each.events / seconds:,.0f}", decimal(each.max_memory)])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    wide_console().print(table_of(("workers", "events", "per worker", "CPU time", "events/s", "memory"), rows, names=0))
    program(1000)
    print(f"any program: {1e6 * program(100_000):.2f} us of CPU time for a packet at a switch")


if __name__ == "__main__":
    typer.run(main)
