"""OmniReduce's speed-up over a ring: over density and overlap, and over workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dropzero.simulator.formulas import Overlap, Scheme
from dropzero.simulator.simulation import Plan
from lab.bench.papers.chart import Curve, Kind, Panel
from lab.bench.papers.runs import links, run

NOTEBOOK = (
    "read off the figures of notebook/benckmark-rdma.ipynb in sands-lab/omnireduce-experiments at a2bdc80, to about "
    "0.2 ms: the paper's {}, with GDR at 100 Gbit/s, 100 MB, overlap at random"
)
SPARSITIES = (0, 20, 60, 80, 90, 92, 96, 98, 99)
"""Percent of zero blocks."""
BY_SPARSITY = (15.5, 14.4, 12.3, 10.5, 7.9, 7.1, 5.1, 3.9, 3.1)
"""OmniReduce's milliseconds for 8 workers, at these sparsities."""
SHOWN = (0, 60, 90, 99)
BY_WORKERS = {2: (15.2, 9.0, 4.0, 2.0), 4: (16.0, 11.3, 5.5, 2.3), 8: (15.5, 12.3, 7.9, 3.1)}
"""OmniReduce's milliseconds by number of workers, at the sparsities SHOWN."""
NCCL = {2: 10.5, 4: 14.7, 8: 17.2}
"""NCCL's milliseconds by number of workers, at any sparsity."""
BEST = 8.2
ABSTRACT = "OmniReduce, abstract: the largest speed-up of a model's training"

UNITS = "speed-up over a ring"


def curves(size: int, rates: Sequence[int] = (10, 100), counts: Sequence[int] = tuple(NCCL)) -> list[Panel]:
    """Speed-up of 8 workers over sparsity, for each rate in Gbit/s; then over workers at the last rate."""
    panels = []
    for rate in rates:
        found = [
            Curve(f"overlap: {overlap}", Kind.SIMULATED, _by_sparsity(size, rate, overlap), colour)
            for colour, overlap in enumerate(Overlap)
        ]
        if rate == 100:
            points = [(each, NCCL[8] / time) for each, time in zip(SPARSITIES, BY_SPARSITY, strict=True)]
            found.append(Curve("OmniReduce over NCCL", Kind.PUBLISHED, points, 1, NOTEBOOK.format("figure 5")))
        else:
            points = [(SPARSITIES[0], BEST), (SPARSITIES[-1], BEST)]
            found.append(Curve("OmniReduce, training", Kind.PUBLISHED, points, 3, ABSTRACT))
        panels.append(Panel(f"8 workers, {rate} Gbit/s", "zero blocks, %", UNITS, found, "y"))
    found = []
    for colour, sparsity in enumerate(SHOWN):
        points = [(count, _speedup(Plan(count, 1, links(rates[-1]), size), sparsity)) for count in counts]
        published = [(count, NCCL[count] / times[colour]) for count, times in BY_WORKERS.items()]
        found += [
            Curve(f"{sparsity} % zero", Kind.SIMULATED, points, colour),
            Curve(f"{sparsity} %, OmniReduce", Kind.PUBLISHED, published, colour, NOTEBOOK.format("figure 4")),
        ]
    return [*panels, Panel(f"{rates[-1]} Gbit/s, overlap at random", "workers", UNITS, found, "xy", counts)]


def _by_sparsity(size: int, rate: int, overlap: Overlap) -> list[tuple[float, float]]:
    plan = Plan(8, 1, links(rate), size, overlap=overlap)
    return [(sparsity, _speedup(plan, sparsity)) for sparsity in SPARSITIES]


def _speedup(plan: Plan, sparsity: float) -> float:
    """Return Dropzero's speed-up over a ring, which sends zeros."""
    ring = run(replace(plan, scheme=Scheme.RING, overlap=Overlap.FULL))
    return ring.seconds / run(replace(plan, density=1 - sparsity / 100)).seconds
