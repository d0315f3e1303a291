"""All-reduces in virtual time, through the switch program and through Tofino 2's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from dropzero.simulator.target import SwitchTarget
from dropzero.units import span
from lab.bench.papers.runs import run

WORKERS, SIZE = 8, 4_000_000
QUALITY = Quality(rate=100 * 10**9, delay=1000)
HEAD = (
    "blocks that are not zero",
    "packets in flight",
    "switch program",
    "formula",
    "Tofino 2",
    "formula",
    "times as long",
)


def rows() -> Iterator[list[str]]:
    """Rows of a table, for each density and number of lanes. Raises RuntimeError if a sum is wrong."""
    for density in (1.0, 0.1, 0.01):
        for lanes in (64, 256):
            plan = Plan(WORKERS, 1, QUALITY, SIZE, density=density, lanes=lanes)
            taken = [run(replace(plan, target=target)) for target in SwitchTarget]
            cells = [span(time) for each in taken for time in (each.seconds, each.formula_seconds)]
            yield [f"{density:.0%}", f"{lanes}", *cells, f"{taken[1].seconds / taken[0].seconds:.2f}"]
