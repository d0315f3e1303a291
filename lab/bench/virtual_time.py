"""`python -m lab.bench.virtual_time`: the same all-reduces on emulated links and in virtual time."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.figures import COLOURS, MUTED, drawn
from dropzero.simulator.formulas import Overlap, Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan, Simulation
from lab.bench.report import amount, duration, measuring, save
from lab.bench.sections import MEGABYTE
from lab.bench.testbed.member import Case
from lab.bench.testbed.testbed import Testbed

DELAY = 20_000
"""The delay of a link of the emulated rack, apart from its rate, nanoseconds."""


class Pair(NamedTuple):
    """One case, measured in both ways. rate: Mbit/s. size: bytes. emulated, virtual: seconds of each call after the
    first."""

    protocol: str
    workers: int
    rate: float
    loss: float
    density: float
    size: int
    emulated: tuple[float, ...]
    virtual: tuple[float, ...]

    @property
    def residual(self) -> float:
        """The excess of virtual time over emulated time, as a fraction of emulated time."""
        return statistics.median(self.virtual) / statistics.median(self.emulated) - 1


def virtual_times(workers: int, rate: float, loss: float, case: Case) -> tuple[float, ...]:
    """Return the seconds of a case's repetitions in virtual time, after one for warm-up, like Testbed.measure. Packets
    are not marked: in a testbed, queues are the kernel's, which the switch does not see."""
    quality = Quality(round(rate * 1e6), DELAY, loss)
    simulation = Simulation(Plan(workers, 1, quality, 4 * case.elements, case.density, case.overlap, mark_from=0))
    ends = []
    for _ in range(1 + case.repetitions):
        simulation.run()
        ends.append(simulation.network.seconds)
    return tuple(end - begin for begin, end in pairwise(ends))


def measure(folder: Path, workers: int, rate: float, loss: float, cases: Sequence[Case]) -> Iterator[Pair]:
    """Run cases in both ways. Needs root."""
    with Testbed(folder, workers, rate=rate, loss=loss) as testbed:
        for each in testbed.measure(Scheme.DROPZERO, list(cases)):
            virtual = virtual_times(workers, rate, loss, each.case)
            yield Pair("Dropzero", workers, rate, loss, each.case.density, each.size, each.times, virtual)


def table(pairs: Sequence[Pair]) -> Table:
    rows = []
    for each in pairs:
        medians = (duration(statistics.median(times)) for times in (each.emulated, each.virtual))
        links = f"{each.rate:g} Mbit/s", f"{each.loss:.1%}"
        case = each.protocol, str(each.workers), *links, amount(each.size), f"{each.density:.0%}"
        rows.append([*case, *medians, f"{each.residual:+.1%}"])
    headings = "protocol", "workers", "links", "loss", "tensor", "non-zero", "emulated", "virtual", "residual"
    return table_of(headings, rows, "the same calls on emulated links and in virtual time: medians", names=0)


def plot(pairs: Sequence[Pair], path: Path) -> None:
    """Draw the residuals over the emulated times: a colour for each loss, a marker for each number of workers."""
    losses = sorted({each.loss for each in pairs})
    markers = dict(zip(sorted({each.workers for each in pairs}), "osD^v<>ph", strict=False))
    with drawn(path, (7, 4)) as (figure, (axis,)):
        for workers, loss in product(markers, losses):
            mine = [each for each in pairs if (each.workers, each.loss) == (workers, loss)]
            if mine:
                seconds = [statistics.median(each.emulated) for each in mine]
                residuals = [100 * each.residual for each in mine]
                label = f"{workers} workers, {loss:.1%} lost"
                axis.plot(seconds, residuals, markers[workers], color=COLOURS[losses.index(loss)], label=label)
        axis.axhline(0, color=MUTED, lw=1)
        axis.set(xscale="log", xlabel="seconds on emulated links (logarithmic)")
        axis.set_title("virtual time less emulated time, %")
        figure.legend(loc="outside right upper")


def main(
    workers: Annotated[list[int] | None, typer.Option(min=1, help="By default 2, 4 and 8.")] = None,
    rate: Annotated[list[float] | None, typer.Option(min=1.0, help="Mbit/s; by default 20 and 100.")] = None,
    loss: Annotated[list[float] | None, typer.Option(min=0.0, max=0.5, help="By default 0, 0.001 and 0.01.")] = None,
    density: Annotated[list[float] | None, typer.Option(help="Share of non-zero blocks; by default 1 and 0.1.")] = None,
    megabytes: Annotated[float, typer.Option(help="Tensor size.")] = 4.0,
    repetitions: Annotated[int, typer.Option(min=1, help="Repetitions of each case, after one for warm-up.")] = 5,
    out: Annotated[Path, typer.Option(help="Folder for the JSON file and the figure.")] = Path("runs/bench"),
) -> None:
    """Compare all combinations on emulated links and in virtual time. Write virtual_time.json and .png. Needs root."""
    elements = round(megabytes * MEGABYTE / 4)
    cases = [Case(elements, share, Overlap.RANDOM, repetitions) for share in density or [1.0, 0.1]]
    pairs: list[Pair] = []
    console = wide_console()
    with measuring():
        for links in product(workers or [2, 4, 8], rate or [20.0, 100.0], loss or [0.0, 0.001, 0.01]):
            pairs += measure(out / "networks", *links, cases)
            written = [each._asdict() | {"residual": each.residual} for each in pairs]
            save(written, out / "virtual_time.json")
    console.print(table(pairs))
    plot(pairs, out / "virtual_time.png")
    console.print(f"{out / 'virtual_time.json'}, {out / 'virtual_time.png'}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
