"""Writes an experiment's report: a CSV for each place, a figure, the verdicts, and a page that holds them all.

The page needs no other file: figures and CSVs are in it.
"""

from __future__ import annotations

import csv
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from html import escape
from itertools import cycle, product
from math import isfinite, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from scipy.special import stdtrit

from dropzero.experiments.trials.experiment import Axes, Condition, Experiment, Row, Verdict
from dropzero.figures import COLOURS, End, drawn, label_ends, plain_ticks
from dropzero.problems.data import FILE
from dropzero.versions import versions

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Plot

PLACE_NAMES = {"process": "in process", "rack": "on the emulated rack, through the switch program"}

SEEDS = 5
"""The fewest seeds that give a useful confidence interval."""

REFERENCES = Path(__file__).resolve().parents[2] / "docs/references.md"
"""In a checkout."""
CITATION = r"\[([A-Za-z0-9-]+)\]"
"""A paper's key in a claim."""
STYLES = [(colour, dashes) for dashes, colour in product(("-", "--", ":"), COLOURS)]
"""Colour and dashes of each line of a figure."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dropzero's experiments</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
img {{ max-width: 100%; }}
.made {{ color: #536171; font-size: .9rem; }}
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
    """Draws the figure as a PNG, with the places side by side, on the same scales."""
    bars = experiment.axes.bars
    shared = {"sharex": bars, "sharey": not bars}
    with drawn(path, (6.5 * len(rows), 4.5), len(rows), **shared) as (_, plots):
        ends = [_draw_place(plot, experiment.axes, each) for plot, each in zip(plots, rows.values(), strict=True)]
        labels = {}
        for plot, place, named in zip(plots, rows, ends, strict=True):
            plot.set_title(PLACE_NAMES[place])
            plot.tick_params(labelleft=True, labelbottom=True)
            for axis, name in ((plot.xaxis, "x"), (plot.yaxis, "y")):
                if name in experiment.axes.log:
                    plain_ticks(axis)
            edge = plot.get_xlim()[1]
            labels[plot] = [end._replace(x=edge) for end in named]
        label_ends(labels)


class Point(NamedTuple):
    """x, the mean of y over the seeds, and the half width of its 95 % confidence interval; 0 for fewer than SEEDS."""

    x: float
    y: float
    band: float


def _draw_place(plot: Plot, axes: Axes, rows: Sequence[Row]) -> list[End]:
    """Returns the labels of its lines."""
    lines = {series: line(rows, series, axes) for series in dict.fromkeys(str(row["series"]) for row in rows)}
    if "x" in axes.log:
        plot.set_xscale("log")
    if "y" in axes.log:
        plot.set_yscale("log")
    if axes.bars:
        lasts = [each[-1] if each else Point(0, 0, 0) for each in lines.values()]
        bands = [last.band for last in lasts] if any(last.band for last in lasts) else None
        bars = plot.barh(list(lines), [last.y for last in lasts], xerr=bands, capsize=3, color=COLOURS[0])
        labels = [f"{last.y:.3g}" if each else "given up" for last, each in zip(lasts, lines.values(), strict=True)]
        plot.bar_label(bars, labels, padding=3)
        plot.margins(x=0.12)
        plot.invert_yaxis()
        plot.grid(visible=False, axis="y")
        plot.set_xlabel(axes.y)
        return []
    ends = []
    for (series, points), (colour, dashes) in zip(lines.items(), cycle(STYLES)):
        if not points:
            continue
        x, y = [point.x for point in points], [point.y for point in points]
        plot.plot(x, y, dashes, marker="o" if len(points) < 12 else None, ms=4, color=colour)
        if any(point.band for point in points):
            low, high = ([point.y + sign * point.band for point in points] for sign in (-1, 1))
            plot.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        ends.append(End(series, x[-1], y[-1], colour))
    plot.set(xlabel=axes.x, ylabel=axes.y)
    return ends


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
    # The 95 % confidence interval of the mean, by Student's t; only if the rows differ in nothing but the seed.
    if count == len(seeds) >= SEEDS:
        band = float(stdtrit(count - 1, 0.975)) * stdev(values) / sqrt(count)
    return Point(x, fmean(values), band)


def write_verdicts(experiment: Experiment, verdicts: Mapping[str, Verdict], folder: Path, quick: bool) -> None:
    """Writes verdict.json."""
    content = {
        "name": experiment.name,
        "claim": experiment.claim,
        "parameters": {
            "quick": quick,
            "workers in process": list(experiment.workers),
            "hosts of the rack": experiment.hosts,
            "Mbit/s of its links": experiment.rate,
            "data": file.name if experiment.labelled and (file := FILE.get()) else None,
        },
        "date": datetime.now(UTC).date().isoformat(),
        "versions": versions(),
        "refuted": experiment.refuted,
        "places": {
            place: asdict(verdict)
            | {"measured": str(verdict), "holds": verdict.holds, "recorded": experiment.recorded(verdict)}
            for place, verdict in verdicts.items()
        },
    }
    (folder / "verdict.json").write_text(json.dumps(content, indent=2) + "\n")


def write_page(out: Path) -> Path:
    """Writes report.html for all experiments with a verdict in the folder, new or old, by paper. Returns its path."""
    papers: dict[str, list[str]] = {}
    for path in sorted(out.glob("*/verdict.json")):
        verdict, folder = json.loads(path.read_text()), path.parent
        name = verdict["name"]
        known = f"<p>Known not to hold here: {escape(verdict['refuted'])}.</p>\n" if verdict.get("refuted") else ""
        lines = "".join(
            f'<p class="{"holds" if each.get("recorded", each["holds"]) else "fails"}">'
            f"<b>{'Holds' if each['holds'] else 'Does not hold'} "
            f"{PLACE_NAMES[place]}</b>: {escape(each['measured'])} "
            f'(<a download="{name}-{place}.csv" href="{_held(folder / f"{place}.csv", "text/csv")}">CSV</a>)</p>\n'
            f"{_listed(each.get('conditions', ()))}\n"
            for place, each in verdict["places"].items()
        )
        cited = re.search(CITATION, verdict["claim"])
        papers.setdefault(f"[{cited[1]}]" if cited else "Without a paper", []).append(
            f"<h3>{escape(name)}</h3>\n<p>{_cited(verdict['claim'])}</p>\n{known}{_made(verdict)}{lines}"
            f'<img src="{_held(folder / "figure.png", "image/png")}" alt="{escape(name)}">'
        )
    sections = (line for paper in sorted(papers) for line in (f"<h2>{_cited(paper)}</h2>", *papers[paper]))
    page = out / "report.html"
    page.write_text(PAGE.format(seeds=SEEDS, sections="\n".join(sections)))
    return page


def _made(verdict: Mapping[str, Any]) -> str:
    """How and when the numbers were measured; empty for those of older versions."""
    if "parameters" not in verdict:
        return ""
    parameters = dict(verdict["parameters"])
    first = ["fewer steps (<code>--quick</code>)"] if parameters.pop("quick") else []
    told = (f"{name}: {_plain(value)}" for name, value in parameters.items() if value is not None)
    made = (f"{name} {version}" for name, version in verdict["versions"].items())
    return f'<p class="made">{"; ".join([verdict["date"], *first, *told])}. {escape(", ".join(made))}</p>\n'


def _plain(value: object) -> str:
    return escape(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def _cited(text: str) -> str:
    """A text with links to the papers that it cites."""

    def link(citation: re.Match[str]) -> str:
        address = _papers().get(citation[1])
        return f'[<a href="{address}">{citation[1]}</a>]' if address else citation[0]

    return re.sub(CITATION, link, escape(text))


@cache
def _papers() -> dict[str, str]:
    """The addresses of the papers, by their keys; empty outside of a checkout."""
    if not REFERENCES.is_file():
        return {}
    entry = r"^- \*\*\[(\S+)\]\*\*(?:(?!\n- )[^<])*<(https[^>]*)>"
    return dict(re.findall(entry, REFERENCES.read_text(), re.MULTILINE))


def _held(path: Path, kind: str) -> str:
    """A file's content as a data URL."""
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"


def _listed(conditions: Sequence[Mapping[str, Any]]) -> str:
    """A list of the conditions, each with its measurement and threshold."""
    return "<ul>" + "".join(f"<li>{escape(str(Condition(**each)))}</li>" for each in conditions) + "</ul>"
