"""Report measurements as a table, as JSON, and as a figure."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from rich.table import Table

from dropzero.console import grid, wide_console
from dropzero.figures import COLOURS, End, drawn, label_ends, plain_ticks
from dropzero.simulator.formulas import Overlap, Scheme
from dropzero.topologies.networks.kind import PortKind
from dropzero.topologies.processes.errors import RunError, SetupError
from lab.bench.testbed.member import Case
from lab.bench.testbed.testbed import Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Panel(NamedTuple):
    """A section's panel of the figure.

    axis:   the label of the x axis
    place:  returns a measurement's tick label on the x axis
    beside: other sections whose measurements belong here
    scale:  of the y axis
    """

    title: str
    axis: str
    place: Callable[[Measurement], str]
    beside: tuple[str, ...] = ()
    scale: str = "linear"


PANELS = {
    "workers": Panel("16 MB, nothing zero, 100 Mbit/s", "workers", lambda each: str(each.workers)),
    "sparse": Panel(
        "16 MB, 4 workers, 100 Mbit/s",
        "share of non-zero blocks",
        lambda each: f"{each.case.density:.0%}",
        ("dense",),
        "log",
    ),
    "overlap": Panel(
        "10 % of the blocks non-zero on each of 4 workers, 100 Mbit/s",
        "how many are the same on all workers",
        lambda each: {"full": "all", "random": "some", "none": "none"}[each.case.overlap],
    ),
    "rates": Panel("16 MB, nothing zero, 4 workers", "Mbit/s of each link", lambda each: f"{each.rate:g}", (), "log"),
}
SCHEME_COLOURS = dict(zip(Scheme, cycle(COLOURS), strict=False))


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
    rows = [
        (
            label(each),
            duration(each.median),
            f"{duration(min(each.times))} - {duration(max(each.times))}",
            "" if each.formula is None else duration(each.formula),
            "" if each.deviation is None else f"{each.deviation:+.0%}",
            f"{each.size * each.case.jobs * 8 / each.median / 1e6:.0f}",
            "" if each.bus_bandwidth is None else f"{each.bus_bandwidth / 1e6:.0f}",
            amount(each.peak),
        )
        for each in measurements
    ]
    headings = "what", "median", "range", "formula", "deviation", "Mbit/s per worker", "bus", "memory"
    return grid(headings, rows, title)


def write(measurements: Mapping[str, Sequence[Measurement]], path: Path) -> None:
    """Write all sections as JSON: a list of objects for each."""
    save({name: [_plain(each) for each in rows] for name, rows in measurements.items()}, path)


def plot(measurements: Mapping[str, Sequence[Measurement]], path: Path) -> None:
    """Draw times over workers, density, overlap and link rate, for the measured sections: medians, with bars from the
    shortest to the longest, and the formulas dashed."""
    shown = {name: panel for name, panel in PANELS.items() if name in measurements}
    if not shown:
        return
    rows = -(-len(shown) // 2)
    with drawn(path, (11, 4 * rows), 2, rows) as (figure, axes):
        figure.suptitle(
            "Seconds of an all-reduce: medians, shortest and longest; dashed: lower bounds", x=0.01, ha="left"
        )
        for axis in axes[len(shown) :]:
            axis.set_visible(False)
        for axis, (name, panel) in zip(axes, shown.items(), strict=False):
            points = [each for section in (*panel.beside, name) for each in measurements.get(section, ())]
            _draw(axis, panel, points)


def _draw(axis: Axes, panel: Panel, points: Sequence[Measurement]) -> None:
    ticks = list(dict.fromkeys(panel.place(each) for each in points))
    ends = []
    for scheme in dict.fromkeys(each.scheme for each in points):
        mine = sorted(
            (each for each in points if each.scheme is scheme), key=lambda each: ticks.index(panel.place(each))
        )
        places = [ticks.index(panel.place(each)) for each in mine]
        medians = [each.median for each in mine]
        low, high = ([abs(bound(each.times) - each.median) for each in mine] for bound in (min, max))
        own = scheme is Scheme.DROPZERO
        look: dict[str, Any] = {"color": SCHEME_COLOURS[scheme], "zorder": 3 if own else 2}
        axis.errorbar(places, medians, (low, high), marker="o", ms=5, lw=2.5 if own else 1.5, capsize=2, **look)
        known = [(place, each.formula) for place, each in zip(places, mine, strict=True) if each.formula is not None]
        if known:
            axis.plot(*zip(*known, strict=True), ls="--", lw=1, marker="_", ms=12, **look)
        ends.append(End(scheme.replace("drop", "Drop"), places[-1], medians[-1], SCHEME_COLOURS[scheme]))
    axis.set_xticks(range(len(ticks)), ticks)
    scale = " (logarithmic)" if panel.scale == "log" else ""
    axis.set(title=panel.title, xlabel=panel.axis, ylabel=f"seconds{scale}", yscale=panel.scale)
    axis.margins(x=0.1)
    if panel.scale == "log":
        plain_ticks(axis.yaxis)
    else:
        axis.set_ylim(bottom=0)
    label_ends({axis: ends})


def read(path: Path) -> dict[str, list[Measurement]]:
    """Read the sections that `write` has written."""
    return {name: [_measurement(each) for each in rows] for name, rows in json.loads(path.read_text()).items()}


def label(each: Measurement) -> str:
    """Describe a measurement in a few words."""
    density = ""
    if each.case.density != 1:
        density = f", {each.case.density:.0%} {each.case.overlap} of blocks of {each.case.block}"
    rate = "" if each.rate is None else f", {each.rate:g} Mbit/s"
    loss = f", {each.loss:.1%} lost" if each.loss else ""
    jobs = f", {each.case.jobs} jobs" if each.case.jobs > 1 else ""
    lanes = f", {each.case.lanes} lanes" if each.case.lanes else ""
    place = ", in place" if each.case.in_place else ""
    racks = f" in {each.racks} racks" if each.racks > 1 else ""
    ports = ", shared memory" if each.ports is PortKind.SHM else ""
    where = f"{each.workers} workers{racks}{ports}{jobs}"
    return f"{each.scheme}, {where}, {amount(each.size)}{density}{place}{rate}{loss}{lanes}"


def amount(size: float) -> str:
    """Format bytes: "16 MB"."""
    for unit in ("B", "kB", "MB"):
        if abs(size) < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} GB"


def duration(seconds: float) -> str:
    """Format seconds: "1.24 s", "310 us"."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def _measurement(plain: dict[str, Any]) -> Measurement:
    plain["case"] = Case(**plain["case"] | {"overlap": Overlap(plain["case"]["overlap"])})
    kinds = {"scheme": Scheme(plain["scheme"]), "ports": PortKind(plain["ports"])}
    del plain["formula"]
    return Measurement(**plain | kinds | {"times": tuple(plain["times"])})


def _plain(each: Measurement) -> dict[str, Any]:
    return asdict(each) | {"case": each.case._asdict(), "formula": each.formula}
