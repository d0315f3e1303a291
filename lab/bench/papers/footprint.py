"""The bytes on all links of an all-gather: by a ring, divided by those through the switch, over workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dropzero.protocol.wire import MAX_WORKERS
from dropzero.simulator.formulas import Kind as Call
from dropzero.simulator.formulas import Scheme
from dropzero.simulator.simulation import Plan
from lab.bench.papers.chart import Curve, Kind, Panel
from lab.bench.papers.runs import links, run

WORKERS = tuple(1 << power for power in range(1, 11))
SOURCE = "2 - 2/P: all-gather by multicast [Khalilov]"


def curves(size: int, counts: Sequence[int] = WORKERS) -> list[Panel]:
    """How many times as many bytes a ring's all-gather puts on all links, over workers; racks of 32, 100 Gbit/s."""
    ratios = []
    for count in counts:
        plan = Plan(count, -(-count // MAX_WORKERS), links(100), size, call=Call.ALL_GATHER)
        ring, switch = (run(replace(plan, scheme=each)).footprint_bytes for each in (Scheme.RING, Scheme.DROPZERO))
        ratios.append((float(count), ring / switch))
    bounds = [(float(each), 2 - 2 / each) for each in counts]
    found = [Curve("Dropzero", Kind.SIMULATED, ratios), Curve("2 - 2/P", Kind.PUBLISHED, bounds, 1, SOURCE)]
    title = f"all-gather of {size / 1e6:g} MB: bytes on all links, a ring's over Dropzero's"
    return [Panel(title, "workers", "ratio", found, "x", counts)]
