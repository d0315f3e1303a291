"""Report measurements as a table, as JSON, and as a figure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from bench.testbed.testbed import Measurement
from dropzero.simulator.formulas import Scheme


class Panel(NamedTuple):
    """A section's panel of the figure. place: a measurement's label on the x axis. beside: sections drawn before it."""

    title: str
    axis: str
    place: Callable[[Measurement], str]
    beside: tuple[str, ...] = ()
    scale: str = "linear"


PANELS = {
    "workers": Panel("16 MB, nothing zero, 100 Mbit/s", "workers", lambda each: str(each.workers)),
    "sparse": Panel(
        "16 MB, 4 workers, 100 Mbit/s",
        "share of the blocks that is not zero",
        lambda each: f"{each.case.density:.0%}",
        ("dense",),
        "log",
    ),
    "overlap": Panel(
        "10 % of the blocks of each of 4 workers, 100 Mbit/s",
        "of them the same on all workers",
        lambda each: {"full": "all", "random": "some", "none": "none"}[each.case.overlap],
    ),
    "rates": Panel("16 MB, nothing zero, 4 workers", "Mbit/s of each link", lambda each: f"{each.rate:g}", (), "log"),
}
COLOURS = {
    Scheme.DROPZERO: "tab:blue",
    Scheme.RING: "tab:orange",
    Scheme.HALVING_DOUBLING: "tab:olive",
    Scheme.PARAMETER_SERVER: "tab:red",
    Scheme.AGSPARSE: "tab:green",
    Scheme.SPARCML: "tab:purple",
    Scheme.GLOO: "black",
}


def table(title: str, measurements: Sequence[Measurement]) -> Table:
    """Return a table with a row for each measurement: times, the formula, and the deviation from it."""
    result = Table(title=title, title_justify="left")
    result.add_column("what", min_width=30)
    for heading in ("median", "range", "formula", "off by", "Mbit/s a worker", "memory"):
        result.add_column(heading, justify="right")
    for each in measurements:
        result.add_row(
            label(each),
            duration(each.median),
            f"{duration(min(each.times))} - {duration(max(each.times))}",
            "" if each.formula is None else duration(each.formula),
            "" if each.deviation is None else f"{each.deviation:+.0%}",
            f"{each.size * each.case.jobs * 8 / each.median / 1e6:.0f}",
            amount(each.peak),
        )
    return result


def write(measurements: Mapping[str, Sequence[Measurement]], path: Path) -> None:
    """Write all sections as JSON, a list of objects each."""
    sections = {name: [_plain(each) for each in rows] for name, rows in measurements.items()}
    path.write_text(json.dumps(sections, indent=1) + "\n")


def plot(measurements: Mapping[str, Sequence[Measurement]], path: Path) -> None:
    """Draw times over workers, density, overlap and link rate, for the measured sections: medians with their ranges,
    and the formulas dashed."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    shown = {name: panel for name, panel in PANELS.items() if name in measurements}
    if not shown:
        return
    rows = -(-len(shown) // 2)
    figure, axes = plt.subplots(rows, 2, figsize=(10, 3.9 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(shown) :]:
        axis.set_visible(False)
    schemes = {}
    for axis, (name, panel) in zip(axes.flat, shown.items(), strict=False):
        points = [each for section in (*panel.beside, name) for each in measurements.get(section, ())]
        ticks = list(dict.fromkeys(panel.place(each) for each in points))
        for scheme in Scheme:
            mine = sorted(
                (each for each in points if each.scheme is scheme), key=lambda each: ticks.index(panel.place(each))
            )
            if not mine:
                continue
            places = [ticks.index(panel.place(each)) for each in mine]
            medians = [each.median for each in mine]
            low, high = ([abs(bound(each.times) - each.median) for each in mine] for bound in (min, max))
            own = scheme is Scheme.DROPZERO
            look: dict[str, Any] = {"color": COLOURS[scheme], "zorder": 3 if own else 2}
            schemes[scheme] = axis.errorbar(
                places,
                medians,
                (low, high),
                marker="o",
                ms=5,
                lw=2.5 if own else 1.5,
                capsize=2,
                label=scheme.replace("drop", "Drop"),
                **look,
            )
            known = [
                (place, each.formula) for place, each in zip(places, mine, strict=True) if each.formula is not None
            ]
            if known:
                axis.plot(*zip(*known, strict=True), ls="--", lw=1, marker="_", ms=12, **look)
        axis.set_xticks(range(len(ticks)), ticks)
        axis.set(title=panel.title, xlabel=panel.axis, ylabel="seconds", yscale=panel.scale)
        if panel.scale == "log":
            for ticker in (axis.yaxis.set_major_formatter, axis.yaxis.set_minor_formatter):
                ticker(lambda seconds, _: f"{seconds:g}" if f"{seconds:e}"[0] in "125" else "")
        else:
            axis.set_ylim(bottom=0)
        axis.grid(axis="y", alpha=0.3)
        axis.margins(x=0.1)
    figure.legend(
        handles=[*schemes.values(), Line2D([], [], color="gray", ls="--", marker="_", label="formula")],
        loc="outside lower center",
        ncols=4,
        frameon=False,
    )
    figure.savefig(path, dpi=120)
    plt.close(figure)


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
    return f"{each.scheme}, {each.workers} workers{jobs}, {amount(each.size)}{density}{place}{rate}{loss}{lanes}"


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


def _plain(each: Measurement) -> dict[str, Any]:
    return {
        "scheme": each.scheme,
        "workers": each.workers,
        "jobs": each.case.jobs,
        "lanes": each.case.lanes,
        "bytes": each.size,
        "density": each.case.density,
        "overlap": each.case.overlap,
        "block": each.case.block,
        "rate_mbit": each.rate,
        "loss": each.loss,
        "seconds": each.times,
        "formula_seconds": each.formula,
        "peak_bytes": each.peak,
    }
