"""Writes an experiment's report: a CSV for each place, a figure, the verdicts, and a page that holds them all.

The page needs no other file: figures and CSVs are in it.
"""

from __future__ import annotations

import csv
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from itertools import cycle
from math import isfinite, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from scipy.special import stdtrit

from dropzero.experiments.trials.experiment import Axes, Condition, Experiment, Row, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Plot

PLACE_NAMES = {"process": "in process", "rack": "on the emulated rack, through the switch program"}

SEEDS = 5
"""The fewest that give a confidence interval of some use."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Dropzero's experiments</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
img {{ max-width: 100%; }}
.holds {{ color: #17692f; }} .fails {{ color: #a4121a; }}
</style>
<h1>Dropzero's experiments</h1>
<p>The same code tested each claim twice: with all workers in one process, and with one worker on each host of an
emulated rack, where the P4 program adds up the gradients. Bands, and bars' whiskers, are 95 % confidence intervals of
the mean over the seeds, where there are {seeds} or more.</p>
{sections}
</html>
"""


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Writes a CSV with the keys of all rows as columns."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def draw(experiment: Experiment, rows: Mapping[str, Sequence[Row]], path: Path) -> None:
    """Draws the figure as a PNG, with the places side by side."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, plots = plt.subplots(1, len(rows), figsize=(6.5 * len(rows), 4.5), layout="constrained", squeeze=False)
    for plot, (place, measured) in zip(plots[0], rows.items(), strict=True):
        _draw_place(plot, experiment.axes, measured)
        plot.set_title(PLACE_NAMES[place], fontsize=10)
    figure.savefig(path, dpi=110)
    plt.close(figure)


class Point(NamedTuple):
    """x, the mean of y over the seeds, and the half width of its 95 % confidence interval; 0 for fewer than SEEDS."""

    x: float
    y: float
    band: float


def _draw_place(plot: Plot, axes: Axes, rows: Sequence[Row]) -> None:
    lines = {series: line(rows, series, axes) for series in dict.fromkeys(str(row["series"]) for row in rows)}
    if axes.bars:
        ends = [each[-1] if each else Point(0, 0, 0) for each in lines.values()]
        bands = [end.band for end in ends] if any(end.band for end in ends) else None
        bars = plot.barh(list(lines), [end.y for end in ends], xerr=bands, capsize=3)
        labels = [f"{end.y:.3g}" if each else "given up" for end, each in zip(ends, lines.values(), strict=True)]
        plot.bar_label(bars, labels, padding=3)
        plot.margins(x=0.12)
        plot.invert_yaxis()
        plot.set_xlabel(axes.y)
    else:
        drawn = {series: each for series, each in lines.items() if each}
        for (series, points), style in zip(drawn.items(), cycle(("-", "--", "-.", ":"))):
            x = [point.x for point in points]
            marker = "o" if len(points) < 12 else None
            (drawing,) = plot.plot(x, [point.y for point in points], style, marker=marker, label=series)
            if any(point.band for point in points):
                low, high = ([point.y + sign * point.band for point in points] for sign in (-1, 1))
                plot.fill_between(x, low, high, color=drawing.get_color(), alpha=0.2, linewidth=0)
        plot.set_xlabel(axes.x)
        plot.set_ylabel(axes.y)
        plot.legend(fontsize=8)
    if "x" in axes.log:
        plot.set_xscale("log")
    if "y" in axes.log:
        plot.set_yscale("log")


def line(rows: Sequence[Row], series: str, axes: Axes) -> list[Point]:
    """The points of a series, by ascending x, without infinite ones. Those with equal x are averaged."""
    points: dict[float, list[Row]] = {}
    for row in rows:
        if row["series"] == series and axes.x in row and axes.y in row and isfinite(float(row[axes.y])):
            points.setdefault(float(row[axes.x]), []).append(row)
    return [_point(x, points[x], axes.y) for x in sorted(points)]


def _point(x: float, rows: Sequence[Row], measure: str) -> Point:
    values, seeds = [float(row[measure]) for row in rows], {row.get("seed") for row in rows}
    count, band = len(values), 0.0
    # Otherwise they differ in something else, too.
    if count == len(seeds) >= SEEDS:
        # By Student's t.
        band = float(stdtrit(count - 1, 0.975)) * stdev(values) / sqrt(count)
    return Point(x, fmean(values), band)


def write_verdicts(experiment: Experiment, verdicts: Mapping[str, Verdict], folder: Path) -> None:
    """Writes verdict.json."""
    content = {
        "name": experiment.name,
        "claim": experiment.claim,
        "places": {place: asdict(verdict) | {"holds": verdict.holds} for place, verdict in verdicts.items()},
    }
    (folder / "verdict.json").write_text(json.dumps(content, indent=2) + "\n")


def write_page(out: Path) -> Path:
    """Writes report.html for all experiments with a verdict in the folder, new or old. Returns its path."""
    sections = []
    for path in sorted(out.glob("*/verdict.json")):
        verdict, folder = json.loads(path.read_text()), path.parent
        name = verdict["name"]
        lines = "".join(
            f'<p class="{"holds" if each["holds"] else "fails"}"><b>{"Holds" if each["holds"] else "Does not hold"} '
            f"{PLACE_NAMES[place]}</b>: {escape(each['measured'])} "
            f'(<a download="{name}-{place}.csv" href="{_held(folder / f"{place}.csv", "text/csv")}">CSV</a>)</p>\n'
            f"{_listed(each.get('conditions', ()))}\n"
            for place, each in verdict["places"].items()
        )
        sections.append(
            f"<h2>{escape(name)}</h2>\n<p>{escape(verdict['claim'])}</p>\n{lines}"
            f'<img src="{_held(folder / "figure.png", "image/png")}" alt="{escape(name)}">'
        )
    page = out / "report.html"
    page.write_text(PAGE.format(seeds=SEEDS, sections="\n".join(sections)))
    return page


def _held(path: Path, kind: str) -> str:
    """A file's content as an address."""
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"


def _listed(conditions: Sequence[Mapping[str, Any]]) -> str:
    """What was measured beside its threshold."""
    return "<ul>" + "".join(f"<li>{escape(str(Condition(**each)))}</li>" for each in conditions) + "</ul>"
