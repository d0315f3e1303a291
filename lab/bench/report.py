"""Report measurements as a table, as JSON, and as a figure."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import typer
from rich.table import Table

from dropzero.console import table_of, wide_console
from dropzero.figures import COLOURS
from dropzero.simulator.formulas import Scheme
from dropzero.topologies.networks.kind import PortKind
from dropzero.topologies.processes.errors import RunError, SetupError
from lab.bench.papers.chart import Curve, Kind, Panel, draw
from lab.bench.testbed.member import ALL_REDUCE
from lab.bench.testbed.testbed import Measurement

UNITS = ("s", 1.0), ("ms", 1e3), ("us", 1e6)


class Question(NamedTuple):
    """A section's panel of the figure.

    axis:   the label of the x axis
    place:  returns a measurement's tick label on the x axis
    beside: other sections whose measurements belong here
    log:    the logarithmic axes
    """

    title: str
    axis: str
    place: Callable[[Measurement], str]
    beside: tuple[str, ...] = ()
    log: str = ""


QUESTIONS = {
    "workers": Question("16 MB, nothing zero, 100 Mbit/s", "workers", lambda each: str(each.workers)),
    "sparse": Question(
        "16 MB, 4 workers, 100 Mbit/s",
        "share of non-zero blocks",
        lambda each: f"{each.case.density:.0%}",
        ("dense",),
        "y",
    ),
    "overlap": Question(
        "10 % of the blocks non-zero on each of 4 workers, 100 Mbit/s",
        "how many are the same on all workers",
        lambda each: {"full": "all", "random": "some", "none": "none"}[each.case.overlap],
    ),
    "rates": Question("16 MB, nothing zero, 4 workers", "Mbit/s of each link", lambda each: f"{each.rate:g}", (), "y"),
}


@contextmanager
def measuring() -> Iterator[None]:
    """The part of a command that needs emulated networks: says in a line what is missing, or what stopped it."""
    if os.geteuid():
        raise typer.BadParameter("emulated networks need root")
    try:
        yield
    except (RunError, SetupError) as error:
        wide_console().print(f"bench: {error}", style="red", highlight=False)
        raise typer.Exit(1) from error


def save(content: object, path: Path) -> None:
    """Write JSON, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


def table(title: str, measurements: Sequence[Measurement]) -> Table:
    """Return a table with a row for each measurement: times, the formula, and the deviation from it."""
    rows = []
    for each in measurements:
        least, most = duration(min(each.times)), duration(max(each.times))
        times = duration(each.first), duration(each.median), f"{least} - {most}"
        formula = "" if each.formula is None else duration(each.formula)
        deviation = "" if each.deviation is None else f"{each.deviation:+.0%}"
        rate = f"{each.size * each.case.jobs * 8 / each.median / 1e6:.0f}"
        bus = "" if each.bus_bandwidth is None else f"{each.bus_bandwidth / 1e6:.0f}"
        rows.append((label(each), *times, formula, deviation, rate, bus, amount(each.peak)))
    headings = "what", "first", "median", "range", "formula", "deviation", "Mbit/s per worker", "bus", "memory"
    return table_of(headings, rows, title)


def write(measurements: Mapping[str, Sequence[Measurement]], path: Path) -> None:
    """Write all sections as JSON: a list of objects for each."""
    plain = {
        name: [asdict(each) | {"case": each.case._asdict(), "formula": each.formula} for each in rows]
        for name, rows in measurements.items()
    }
    save(plain, path)


def plot(measurements: Mapping[str, Sequence[Measurement]], path: Path) -> None:
    """Draw times over workers, density, overlap and link rate, for the measured sections, and the lower bounds."""
    panels = []
    for name, question in QUESTIONS.items():
        if name in measurements:
            sections = (*question.beside, name)
            panels.append(_panel(question, [each for section in sections for each in measurements.get(section, ())]))
    if panels:
        draw(panels, path, columns=2)


def _panel(question: Question, points: Sequence[Measurement]) -> Panel:
    names = list(dict.fromkeys(question.place(each) for each in points))
    curves = []
    for scheme in dict.fromkeys(each.scheme for each in points):
        mine = [(names.index(question.place(each)), each) for each in points if each.scheme is scheme]
        mine.sort(key=itemgetter(0))
        label, colour = scheme.replace("drop", "Drop"), list(Scheme).index(scheme) % len(COLOURS)
        medians = [(place, each.median) for place, each in mine]
        spread = [(min(each.times), max(each.times)) for _, each in mine]
        curves.append(Curve(label, Kind.MEASURED, medians, colour, spread=spread))
        if least := [(place, each.formula) for place, each in mine if each.formula is not None]:
            curves.append(Curve(label, Kind.FORMULA, least, colour))
    return Panel(question.title, question.axis, "seconds", curves, question.log, range(len(names)), names)


def label(each: Measurement) -> str:
    density = ""
    if each.case.density != 1:
        density = f", {each.case.density:.0%} {each.case.overlap} of blocks of {each.case.block}"
    rate = "" if each.rate is None else f", {each.rate:g} Mbit/s"
    loss = f", {each.loss:.1%} lost" if each.loss else ""
    jobs = f", {each.case.jobs} jobs" if each.case.jobs > len(each.case.calls) else ""
    calls = f" {' and '.join(each.case.calls)}" if each.case.calls != ALL_REDUCE else ""
    lanes = f", {each.case.lanes} lanes" if each.case.lanes else ""
    place = ", in place" if each.case.in_place else ""
    racks = f" in {each.racks} racks" if each.racks > 1 else ""
    ports = ", shared memory" if each.ports is PortKind.SHM else ""
    where = f"{each.workers} workers{racks}{ports}{jobs}"
    return f"{each.scheme}{calls}, {where}, {amount(each.size)}{density}{place}{rate}{loss}{lanes}"


def amount(size: float) -> str:
    """Format bytes: "16 MB"."""
    for unit in ("B", "kB", "MB"):
        if abs(size) < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} GB"


def duration(seconds: float) -> str:
    """Format seconds: "1.24 s", "310 us"."""
    unit, factor = next(((unit, factor) for unit, factor in UNITS if seconds * factor >= 1), UNITS[-1])
    return f"{seconds * factor:.3g} {unit}"
