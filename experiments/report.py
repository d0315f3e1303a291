"""Writes an experiment's report: a CSV for each place, a figure, the verdicts, and a page that collects them all."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape
from itertools import cycle
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dropzero.experiments.trials.experiment import Axes, Condition, Experiment, Row, Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Plot

PLACE_NAMES = {"process": "in process", "rack": "on the emulated rack, through the switch program"}

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
emulated rack, where the P4 program adds up the gradients.</p>
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


def _draw_place(plot: Plot, axes: Axes, rows: Sequence[Row]) -> None:
    lines = {series: _line(rows, series, axes) for series in dict.fromkeys(str(row["series"]) for row in rows)}
    if axes.bars:
        bars = plot.barh(list(lines), [line[-1][1] if line else 0 for line in lines.values()])
        plot.bar_label(bars, [f"{line[-1][1]:.3g}" if line else "given up" for line in lines.values()], padding=3)
        plot.margins(x=0.12)
        plot.invert_yaxis()
        plot.set_xlabel(axes.y)
    else:
        drawn = {series: line for series, line in lines.items() if line}
        for (series, line), style in zip(drawn.items(), cycle(("-", "--", "-.", ":"))):
            plot.plot(*zip(*line, strict=True), style, marker="o" if len(line) < 12 else None, label=series)
        plot.set_xlabel(axes.x)
        plot.set_ylabel(axes.y)
        plot.legend(fontsize=8)
    if "x" in axes.log:
        plot.set_xscale("log")
    if "y" in axes.log:
        plot.set_yscale("log")


def _line(rows: Sequence[Row], series: str, axes: Axes) -> list[tuple[float, float]]:
    """The points of a series, by ascending x; points with equal x (several seeds) are averaged."""
    points: dict[float, list[float]] = {}
    for row in rows:
        if row["series"] == series and axes.x in row and axes.y in row:
            points.setdefault(float(row[axes.x]), []).append(float(row[axes.y]))
    return [(x, fmean(points[x])) for x in sorted(points)]


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
        verdict = json.loads(path.read_text())
        name = verdict["name"]
        lines = "".join(
            f'<p class="{"holds" if each["holds"] else "fails"}"><b>{"Holds" if each["holds"] else "Does not hold"} '
            f"{PLACE_NAMES[place]}</b>: {escape(each['measured'])} "
            f'(<a href="{name}/{place}.csv">CSV</a>)</p>\n{_listed(each.get("conditions", ()))}\n'
            for place, each in verdict["places"].items()
        )
        sections.append(
            f"<h2>{escape(name)}</h2>\n<p>{escape(verdict['claim'])}</p>\n{lines}"
            f'<img src="{name}/figure.png" alt="{escape(name)}">'
        )
    page = out / "report.html"
    page.write_text(PAGE.format(sections="\n".join(sections)))
    return page


def _listed(conditions: Sequence[Mapping[str, Any]]) -> str:
    """What was measured beside its threshold."""
    return "<ul>" + "".join(f"<li>{escape(str(Condition(**each)))}</li>" for each in conditions) + "</ul>"
