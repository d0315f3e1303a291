"""`python -m lab.bench.groups`: how many groups a second a program can make and end, each a job on the switch."""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import numpy as np
import typer

import dropzero
from dropzero.console import table_of, wide_console
from lab.bench.report import measuring, save
from lab.bench.testbed.testbed import Testbed, on_hosts

FIRST = 100
"""The first group's number; that of all workers is 1."""


class Times(NamedTuple):
    """Seconds of each group, as one worker sees them: until it has joined, for a small sum, and until it has left."""

    make: float
    sum: float
    end: float


def member() -> None:
    """Make and end groups of all workers, one after the other, and write their Times: see on_hosts."""
    controller, results, one = sys.argv[1], Path(sys.argv[-1]), np.ones(1, np.float32)
    workers, count, rank = map(int, sys.argv[2:-1])
    with results.open("w") as file, dropzero.connect(controller, 1, workers, rank=rank) as everybody:
        everybody.barrier()
        for number in range(FIRST, FIRST + count):
            began = time.perf_counter()
            group = dropzero.connect(controller, number, workers, rank=rank)
            made = time.perf_counter()
            group.all_reduce(one)
            added = time.perf_counter()
            group.close()
            file.write(json.dumps(Times(made - began, added - made, time.perf_counter() - added)) + "\n")
        everybody.barrier()


def measured(testbed: Testbed, count: int) -> list[Times]:
    """Return the slowest worker's Times of each group."""
    rack = testbed.rack
    program = ["-c", "from lab.bench.groups import member; member()", f"unix:{rack.controller_socket}"]
    each = on_hosts(rack, rack.hosts, "groups", [*program, str(testbed.workers), str(count)])
    return [Times(*map(max, zip(*group, strict=True))) for group in zip(*each, strict=True)]


def main(
    count: Annotated[int, typer.Option(min=1, help="Groups that each run makes.")] = 200,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/groups.json"),
) -> None:
    """Measure groups of 2, 4 and 8 workers, each a process, on links without a rate. Needs root."""
    rows, written = [], {}
    for workers in (2, 4, 8):
        with measuring(), TemporaryDirectory() as folder, Testbed(Path(folder), workers) as testbed:
            times = measured(testbed, count)
        medians = [statistics.median(each) for each in zip(*times, strict=True)]
        rows.append([str(workers), *(f"{1e3 * each:.1f}" for each in medians), f"{1 / sum(medians):.0f}"])
        written[workers] = times
    headings = "workers", "make", "sum", "end", "groups/s"
    wide_console().print(table_of(headings, rows, "milliseconds, medians", names=0))
    save(written, out)


if __name__ == "__main__":
    typer.run(main)
