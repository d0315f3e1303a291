"""The look of all figures: one palette, lines labelled at their ends, no frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
"""The colours of Okabe and Ito, which people with any colour vision can tell apart, without the yellow, which is faint
on white. The page uses them, too. https://jfly.uni-koeln.de/color/"""
MUTED = "#536171"
BAD = "#b02a6b"
STYLE: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "figure.constrained_layout.h_pad": 0.09,
    "figure.constrained_layout.w_pad": 0.09,
    "figure.titlesize": 12,
    "grid.color": "#e2e8ef",
    "lines.linewidth": 1.8,
    "legend.frameon": False,
    "savefig.dpi": 120,
}
LETTERS = 9.0
"""Height of the letters of a label, in points."""
GAP = 1.25
"""Least distance of two labels, in heights of their letters."""


@contextmanager
def drawn(
    path: Path, size: tuple[float, float], columns: int = 1, rows: int = 1, **options: Any
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A context with a figure of `size` inches and its axes, row by row, which is written to `path` at the end.

    options: of matplotlib's `Figure.subplots`.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(size, layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, **options)
        yield figure, list(axes.flat)
        figure.savefig(path)


def plain_ticks(axis: Axis) -> None:
    """Labels a logarithmic axis with 1, 2, 5, 10, ...; with powers of ten alone if it spans more than three of them."""
    low, high = axis.get_view_interval()
    if high > 1000 * low:
        return
    for set_formatter in (axis.set_major_formatter, axis.set_minor_formatter):
        set_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "125" else "")


class End(NamedTuple):
    """The label of a line, and the point where the line ends."""

    text: str
    x: float
    y: float
    colour: str


def label_ends(ends: Mapping[Axes, Sequence[End]]) -> None:
    """Writes labels next to the ends of lines, in their colours. Labels that would cover each other move apart.

    Call it when the limits of all axes in a figure are final.
    """
    for figure in {axes.get_figure(root=True) for axes in ends}:
        assert figure is not None
        layout = figure.get_layout_engine()
        assert layout is not None
        layout.execute(figure)
        for axes in figure.axes:
            _label_ends(axes, ends.get(axes, ()), 72 / figure.dpi)


def _label_ends(axes: Axes, ends: Sequence[End], points: float) -> None:
    """points: in a pixel."""
    heights = {end: float(axes.transData.transform((end.x, end.y))[1]) * points for end in ends}
    lowest = -math.inf
    places = {}
    for end in sorted(ends, key=heights.__getitem__):
        lowest = places[end] = max(heights[end], lowest + GAP * LETTERS)
    # Together they stay about where their lines are.
    shift = sum(places[end] - heights[end] for end in ends) / max(1, len(ends))
    for end in ends:
        axes.annotate(
            end.text,
            (end.x, end.y),
            xytext=(6, places[end] - heights[end] - shift),
            textcoords="offset points",
            va="center",
            color=end.colour,
            fontsize=LETTERS,
            fontweight="bold",
            annotation_clip=False,
        )
