"""Writes curves as CSV, and draws them with a label at the end of each: those of papers, and of measurements."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dropzero.figures import COLOURS, End, drawn, label_ends, plain_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 30
"""Points from which a line has no dots."""


class Kind(StrEnum):
    """The origin of a curve, which determines its style: a line with dots, a thin dashed line, or hollow squares."""

    MEASURED = "measured"
    SIMULATED = "simulated"
    FORMULA = "formula"
    PUBLISHED = "published"


STYLES: dict[Kind, dict[str, Any]] = {
    Kind.MEASURED: {"ls": "-", "marker": "o", "ms": 4},
    Kind.SIMULATED: {"ls": "-", "marker": "o", "ms": 4},
    Kind.FORMULA: {"ls": "--", "lw": 1},
    Kind.PUBLISHED: {"ls": ":", "marker": "s", "ms": 6, "mfc": "none"},
}
KEY = {
    Kind.MEASURED: "dots: measured, medians and ranges",
    Kind.SIMULATED: "dots: simulated",
    Kind.FORMULA: "dashed: its formula",
    Kind.PUBLISHED: "squares: published",
}


class Curve(NamedTuple):
    """source: of published numbers. colour: index of COLOURS. spread: the least and the largest y at each point, over
    several seeds or repetitions; none: one."""

    label: str
    kind: Kind
    points: Sequence[tuple[float, float]]
    colour: int = 0
    source: str = ""
    spread: Sequence[tuple[float, float]] = ()


class Panel(NamedTuple):
    """A panel of the figure.

    x, y:  the labels of the axes
    log:   the logarithmic axes, such as "xy"
    ticks: of the x axis; empty: matplotlib's
    names: of the ticks, if they are not numbers
    """

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    log: str = ""
    ticks: Sequence[float] = ()
    names: Sequence[str] = ()


def write(panels: Sequence[Panel], path: Path) -> None:
    """Write a CSV file with a row for each point."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("panel", "curve", "kind", "x", "y", "least", "largest", "source"))
        for panel in panels:
            for curve in panel.curves:
                spread = curve.spread or [(y, y) for _, y in curve.points]
                for (x, y), (least, largest) in zip(curve.points, spread, strict=True):
                    rows.writerow((panel.title, curve.label, curve.kind, x, y, least, largest, curve.source))


def draw(panels: Sequence[Panel], path: Path, columns: int = 1) -> None:
    """Draw all panels, row by row."""
    rows = -(-len(panels) // columns)
    kinds = {curve.kind for panel in panels for curve in panel.curves}
    with drawn(path, (8 if columns == 1 else 6.5 * columns, 3.8 * rows), columns, rows) as (figure, axes):
        figure.suptitle("; ".join(text for kind, text in KEY.items() if kind in kinds), x=0.01, ha="left", fontsize=10)
        for axis, panel in zip(axes, panels, strict=False):
            _draw(axis, panel)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)


def _draw(axis: Axes, panel: Panel) -> None:
    for curve in panel.curves:
        look = STYLES[curve.kind] | ({"marker": ""} if len(curve.points) >= MANY else {})
        if len(curve.points) == 1 and curve.kind is Kind.FORMULA:
            look = look | {"marker": "_"}
        x, y = zip(*curve.points, strict=True)
        axis.plot(x, y, color=COLOURS[curve.colour], **look)
        if curve.spread:
            bars = np.abs(np.transpose(curve.spread) - y)
            axis.errorbar(x, y, bars, ls="", capsize=3, color=COLOURS[curve.colour])
    scales = {name: "log" if name in panel.log else "linear" for name in "xy"}
    axis.set(title=panel.title, xlabel=panel.x, ylabel=panel.y, xscale=scales["x"], yscale=scales["y"])
    if panel.ticks:
        axis.set_xticks(panel.ticks, panel.names or [f"{tick:g}" for tick in panel.ticks])
        axis.set_xticks([], minor=True)
    elif "x" in panel.log:
        plain_ticks(axis.xaxis)
    if "y" in panel.log:
        plain_ticks(axis.yaxis)
    else:
        axis.set_ylim(0, 1.08 * max(y for curve in panel.curves for _, y in [*curve.points, *curve.spread]))
    # A formula stands next to what it is the formula of.
    named = [curve for curve in panel.curves if curve.kind is not Kind.FORMULA]
    edge = axis.get_xlim()[1]
    label_ends({axis: [End(curve.label, edge, curve.points[-1][1], COLOURS[curve.colour]) for curve in named]})
