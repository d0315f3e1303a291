"""Measurements as a table, as JSON, and as a figure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.field import Measurement


def table(title: str, measurements: Sequence[Measurement]) -> Table:
    """A row each: times, the formula, and how far from it."""
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
    """All sections, a list of objects each."""
    sections = {name: [_plain(each) for each in rows] for name, rows in measurements.items()}
    path.write_text(json.dumps(sections, indent=1) + "\n")


def plot(measurements: Mapping[str, Sequence[Measurement]], path: Path) -> None:
    """A picture for each section, bars of medians with their ranges, and the formulas as marks."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        len(measurements), figsize=(9, 1 + 0.4 * sum(2 + len(rows) for rows in measurements.values())), squeeze=False,
        height_ratios=[2 + len(rows) for rows in measurements.values()], layout="constrained",
    )  # fmt: skip
    for panel, (name, rows) in zip(panels[:, 0], measurements.items(), strict=True):
        labels = [label(each) for each in rows]
        places = range(len(rows))
        medians = [each.median for each in rows]
        spread = [
            [each.median - min(each.times) for each in rows],
            [max(each.times) - each.median for each in rows],
        ]
        colours = ["tab:blue" if each.scheme == "dropzero" else "tab:gray" for each in rows]
        panel.barh(places, medians, xerr=spread, color=colours, capsize=3)
        known = [(place, each.formula) for place, each in zip(places, rows, strict=True) if each.formula is not None]
        panel.plot([formula for _, formula in known], [place for place, _ in known], "k|", markersize=14)
        panel.set(title=name, xlabel="seconds (bar: median; line: range; mark: formula)", xscale="log")
        panel.set_yticks(places, labels)
        panel.invert_yaxis()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def label(each: Measurement) -> str:
    """What it is, short."""
    density = "" if each.case.density == 1 else f", {each.case.density:.0%} {each.case.overlap}"
    rate = "" if each.rate is None else f", {each.rate:g} Mbit/s"
    loss = f", {each.loss:.1%} lost" if each.loss else ""
    jobs = f", {each.case.jobs} jobs" if each.case.jobs > 1 else ""
    return f"{each.scheme}, {each.workers} workers{jobs}, {amount(each.size)}{density}{rate}{loss}"


def amount(size: float) -> str:
    """Bytes for people: "16 MB"."""
    for unit in ("B", "kB", "MB"):
        if abs(size) < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} GB"


def duration(seconds: float) -> str:
    """Seconds for people: "1.24 s", "310 us"."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def _plain(each: Measurement) -> dict[str, Any]:
    return {
        "scheme": each.scheme,
        "workers": each.workers,
        "jobs": each.case.jobs,
        "bytes": each.size,
        "density": each.case.density,
        "overlap": each.case.overlap,
        "rate_mbit": each.rate,
        "loss": each.loss,
        "seconds": each.times,
        "formula_seconds": each.formula,
        "peak_bytes": each.peak,
    }
