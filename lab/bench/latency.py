"""`python -m lab.bench.latency`: the time of a small all-reduce, compared with a ping through the same switch.

A call takes one round if its exponents are those of the previous call, and otherwise two. Both are measured in a
program that makes one call after the other.
"""

from __future__ import annotations

import re
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from dropzero.console import table_of, wide_console
from dropzero.simulator.formulas import Scheme
from dropzero.topologies.networks.network import EmulatedNetwork
from lab.bench.report import measuring, save
from lab.bench.testbed.member import Case
from lab.bench.testbed.testbed import Testbed, await_all

WORKERS = 4
KILOBYTE = 256
"""Elements."""
IN_A_ROW = 10
"""All-reduces in one timed repetition."""
PAUSE = 0.01
"""Seconds between two pings."""


def pings(rack: EmulatedNetwork, count: int) -> list[float]:
    """Ping the second host from the first. Returns round-trip times in seconds."""
    first, second = rack.hosts[:2]
    command = ["ping", "-c", str(count), "-i", str(PAUSE), second.IP()]
    process = rack.adopt(first.launch("ping", command, rack.logs / "ping.log"))
    await_all(rack, [process])
    return [float(each) / 1e3 for each in re.findall(r"time=([\d.]+) ms", process.log.read_text())]


def main(
    turns: Annotated[int, typer.Option(min=1, help="How often to alternate.")] = 2,
    repetitions: Annotated[int, typer.Option(min=1, help="Pings, and all-reduces, each time.")] = 200,
    out: Annotated[Path, typer.Option(help="JSON file for the numbers.")] = Path("runs/bench/latency.json"),
) -> None:
    """Measure pings and all-reduces alternately, on links without a rate. Needs root."""
    steady = Case(KILOBYTE, repetitions=repetitions, in_a_row=IN_A_ROW)
    rows, written = [], []
    with measuring(), TemporaryDirectory() as folder, Testbed(Path(folder), WORKERS) as testbed:
        for _ in range(turns):
            ping = pings(testbed.rack, repetitions)
            row, times = [_shown(ping)], {"ping": ping}
            measured = testbed.measure(Scheme.DROPZERO, [steady, steady._replace(steady=False)])
            for name, each in zip(("all-reduce", "with new exponents"), measured, strict=True):
                row += [_shown(each.times), f"{each.median / statistics.median(ping):.2f}"]
                times[name] = list(each.times)
            rows.append(row)
            written.append(times)
    title = f"1 kB, {WORKERS} workers: milliseconds, medians and quartiles"
    wide_console().print(table_of(("ping", "all-reduce", "pings", "with new exponents", "pings"), rows, title, names=0))
    save(written, out)


def _shown(seconds: list[float] | tuple[float, ...]) -> str:
    low, median, high = (1e3 * each for each in statistics.quantiles(seconds, n=4))
    return f"{median:.2f} ({low:.2f} - {high:.2f})"


if __name__ == "__main__":
    typer.run(main)
