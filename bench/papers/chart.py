"""Writes curves as CSV, and draws them with a label at the end of each."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The palette of Okabe and Ito, which colour-blind people can tell apart."""
GAP = 11.0
"""The least distance between two labels, points."""


class Kind(StrEnum):
    """The origin of a curve, which determines its style."""

    SIMULATED = "simulated"
    FORMULA = "formula"
    PUBLISHED = "published"


STYLES: dict[Kind, dict[str, Any]] = {
    Kind.SIMULATED: {"ls": "-", "marker": "o", "ms": 4},
    Kind.FORMULA: {"ls": "--", "lw": 1},
    Kind.PUBLISHED: {"ls": ":", "marker": "s", "ms": 6, "mfc": "none"},
}


class Curve(NamedTuple):
    """A curve. points: (x, y). colour: an index into COLOURS. source: of published numbers."""

    label: str
    kind: Kind
    points: Sequence[tuple[float, float]]
    colour: int = 0
    source: str = ""


class Panel(NamedTuple):
    """A panel of the figure.

    x, y:  the labels of the axes
    log:   the logarithmic axes, such as "xy"
    ticks: of the x axis; empty: matplotlib's
    """

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    log: str = ""
    ticks: Sequence[float] = ()


def write(panels: Sequence[Panel], path: Path) -> None:
    """Write a CSV file with a row for each point."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("panel", "curve", "kind", "x", "y", "source"))
        for panel in panels:
            for curve in panel.curves:
                rows.writerows((panel.title, curve.label, curve.kind, x, y, curve.source) for x, y in curve.points)


def draw(panels: Sequence[Panel], path: Path) -> None:
    """Draw all panels, one below the other."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(panels), 1, figsize=(8, 4 * len(panels)), squeeze=False, layout="constrained")
    for axis, panel in zip(axes.flat, panels, strict=True):
        for curve in panel.curves:
            axis.plot(*zip(*curve.points, strict=True), color=COLOURS[curve.colour], **STYLES[curve.kind])
        axis.set_title(panel.title, loc="left")
        axis.set(
            xlabel=panel.x,
            ylabel=panel.y,
            xscale="log" if "x" in panel.log else "linear",
            yscale="log" if "y" in panel.log else "linear",
        )
        if panel.ticks:
            axis.set_xticks(panel.ticks, [f"{tick:g}" for tick in panel.ticks])
            axis.set_xticks([], minor=True)
        if "y" not in panel.log:
            axis.set_ylim(0, 1.08 * max(y for curve in panel.curves for _, y in curve.points))
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    figure.draw_without_rendering()
    for axis, panel in zip(axes.flat, panels, strict=True):
        _label(axis, panel.curves, 72 / figure.dpi)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _label(axis: Any, curves: Sequence[Curve], points: float) -> None:
    """Write each curve's label right of the axis, at the height of its last point or above, without overlap.

    points: the size of a pixel in points.
    """
    heights = [points * axis.transData.transform(curve.points[-1])[1] for curve in curves]
    bottom, below = points * axis.transAxes.transform((0, 0))[1], float("-inf")
    for height, curve in sorted(zip(heights, curves, strict=True), key=lambda each: each[0]):
        below = max(height, below + GAP)
        axis.annotate(
            curve.label,
            (1, 0),
            (8, below - bottom),
            xycoords="axes fraction",
            textcoords="offset points",
            color=COLOURS[curve.colour],
            fontsize=8,
            va="center",
            annotation_clip=False,
        )
