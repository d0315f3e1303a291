"""OmniReduce's speed-up over a ring: over density and overlap, over workers, and in the training of six models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from dropzero.simulator.formulas import Overlap, Scheme
from dropzero.simulator.simulation import Plan
from dropzero.simulator.workload import BLOCK
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

END_TO_END = (
    "the bars' labels in notebook/{}.ipynb in sands-lab/omnireduce-experiments at a2bdc80: the paper's figure 10 again"
)

UNITS = "speed-up over a ring"


class Model(NamedTuple):
    """A model, and its step on one worker.

    Attributes:
        dense: elements outside of tables; none of their blocks is zero.
        table: elements of tables, of which a batch uses some rows.
        row: elements of a row.
        used: share of the rows that are not zero in a worker's gradient.
        forward, backward: seconds of computing; 0: not known.
        tcp: OmniReduce's speed-up with DPDK over NCCL with TCP/IP.
        rdma: the same with RDMA for both.
    """

    dense: int
    table: int
    row: int
    used: float
    forward: float
    backward: float
    tcp: float
    rdma: float

    @property
    def size(self) -> int:
        """Bytes of a gradient."""
        return 4 * (self.dense + self.table)


MODELS = {
    "DeepLight": Model(477_000, 607_479_830, 10, 0.0013, 0, 0, 4.6, 3.1),
    "LSTM": Model(19_400_000, 406_257_152, 256, 0.01, 0.05, 0.1, 3.0, 1.1),
    "NCF": Model(107_000, 188_520_000, 64, 0.156, 0, 0, 2.5, 1.7),
    "BERT": Model(303_895_554, 31_254_528, 1024, 0.05, 0.036, 0.495, 1.9, 0.9),
    "VGG19": Model(143_667_240, 0, 1, 1, 0.183, 0.349, 1.6, 1.1),
    "ResNet152": Model(60_192_808, 0, 1, 1, 0.25, 0.471, 1.2, 1.0),
}
"""Sizes, rows and batches are those of the code in sands-lab/omnireduce-experiments: 2,048 samples of 39 features use
at most 80,000 of DeepLight's 60,747,983 rows, and 4 texts of 384 tokens 1,536 of BERT's 30,522. The rows that LSTM and
NCF use follow from the shares of zeros in the paper's table 1 (94.5 and 84.4 %), which are second-hand. The seconds are
those of the profiles in ModelStats.h of ChenYuHo/SwitchML-omnetpp, and LSTM's half of those that
models/LSTM/lm/result_2048_256.out has for twice the batch, a third of them forward. No source names its GPU."""


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


def models(size: int, rates: Sequence[int] = (10, 100)) -> list[Panel]:
    """Speed-up of six models' training on 8 workers, at each rate in Gbit/s. Each model is shrunk to this size."""
    names = list(MODELS)
    panels = []
    for rate in rates:
        times = [_all_reduces(model, rate, size) for model in MODELS.values()]
        known = [at for at, model in enumerate(MODELS.values()) if model.backward]
        steps = [_bounds(MODELS[names[at]], *times[at]) for at in known]
        label, notebook, found = (
            ("OmniReduce with DPDK over NCCL with TCP/IP", "e2e-dpdk", [model.tcp for model in MODELS.values()])
            if rate < 100
            else ("OmniReduce over NCCL, RDMA", "e2e-rdma", [model.rdma for model in MODELS.values()])
        )
        spread = [(min(each), max(each)) for each in steps]
        computing = [(at, after) for at, (after, _) in zip(known, steps, strict=True)]
        curves = [
            Curve("all-reduces alone", Kind.SIMULATED, [(at, ring / own) for at, (ring, own) in enumerate(times)], 2),
            Curve("with computing", Kind.SIMULATED, computing, spread=spread),
            Curve(label, Kind.PUBLISHED, list(enumerate(found)), 1, END_TO_END.format(notebook)),
        ]
        panels.append(Panel(f"8 workers, {rate} Gbit/s", "", UNITS, curves, "y", range(len(names)), names))
    return panels


def _all_reduces(model: Model, rate: int, size: int) -> tuple[float, float]:
    """Return the seconds of all-reduces of a model's gradient: in a ring, and by Dropzero."""
    plan = Plan(8, 1, links(rate), size)
    ring = run(replace(plan, scheme=Scheme.RING, overlap=Overlap.FULL)).seconds
    parts = [(model.dense, 1.0, BLOCK), (model.table, model.used, model.row)]
    own = sum(
        run(replace(plan, size=4 * max(1, round(size * elements / model.size)), density=used, row=row)).seconds
        for elements, used, row in parts
        if elements
    )
    return ring * model.size / size, own * model.size / size


def _bounds(model: Model, ring: float, own: float) -> tuple[float, float]:
    """Return the speed-up of a step whose all-reduces follow the backward pass, and of one where both overlap."""
    after = [model.forward + model.backward + each for each in (ring, own)]
    meanwhile = [model.forward + max(model.backward, each) for each in (ring, own)]
    return after[0] / after[1], meanwhile[0] / meanwhile[1]


def _by_sparsity(size: int, rate: int, overlap: Overlap) -> list[tuple[float, float]]:
    plan = Plan(8, 1, links(rate), size, overlap=overlap)
    return [(sparsity, _speedup(plan, sparsity)) for sparsity in SPARSITIES]


def _speedup(plan: Plan, sparsity: float) -> float:
    """Return Dropzero's speed-up over a ring, which sends zeros."""
    ring = run(replace(plan, scheme=Scheme.RING, overlap=Overlap.FULL))
    return ring.seconds / run(replace(plan, density=1 - sparsity / 100)).seconds
