"""Measurements are written, read again and drawn."""

from __future__ import annotations

import json
from pathlib import Path

from dropzero.simulator.formulas import Overlap, Scheme
from dropzero.topologies.networks.kind import PortKind
from lab.bench.report import plot, write
from lab.bench.testbed.member import Case
from lab.bench.testbed.testbed import Measurement

MEGABYTES_16 = 4 << 20


def measured(scheme: Scheme, workers: int, rate: float, seconds: float, case: Case) -> Measurement:
    times = seconds, 0.9 * seconds, 1.2 * seconds
    return Measurement(scheme, workers, 1, PortKind.VETH, rate, 0.0, case, 1.1 * seconds, times, 1 << 20)


def sections() -> dict[str, list[Measurement]]:
    """A report like docs/performance.md."""
    dense = Case(MEGABYTES_16)
    rings = {2: 1.56, 4: 2.65, 8: 2.82}
    return {
        "workers": [
            *(measured(Scheme.DROPZERO, workers, 100, 1.44, dense) for workers in rings),
            *(measured(Scheme.RING, workers, 100, seconds, dense) for workers, seconds in rings.items()),
            *(measured(Scheme.GLOO, workers, 100, 1.01 * seconds, dense) for workers, seconds in rings.items()),
        ],
        "dense": [measured(scheme, 4, 100, 1 + place, dense) for place, scheme in enumerate(Scheme)],
        "sparse": [
            measured(scheme, 4, 100, (1 + place) * share, Case(MEGABYTES_16, share))
            for place, scheme in enumerate((Scheme.DROPZERO, Scheme.AGSPARSE, Scheme.SPARCML))
            for share in (0.1, 0.01)
        ],
        "overlap": [measured(Scheme.DROPZERO, 4, 100, 0.5, Case(MEGABYTES_16, 0.1, where)) for where in Overlap],
    }


def test_a_report_has_every_measurement_with_its_formula(tmp_path: Path) -> None:
    write(sections(), tmp_path / "collectives.json")
    found = json.loads((tmp_path / "collectives.json").read_text())
    assert {
        name: [(row["scheme"], row["formula"], row["times"][0]) for row in rows] for name, rows in found.items()
    } == {name: [(each.scheme, each.formula, each.times[0]) for each in rows] for name, rows in sections().items()}


def test_the_figure_is_a_png(tmp_path: Path) -> None:
    plot(sections(), tmp_path / "collectives.png")
    assert (tmp_path / "collectives.png").read_bytes().startswith(b"\x89PNG")
