"""CAT against every fixed number of elements: in bits, and in seconds on a link of limited rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from compressors.ensemble import Ensemble
from compressors.network import Network
from experiments.experiment import Axes, Experiment, Row, Verdict
from experiments.measure import clock
from methods.catalogue import gd
from problems.data import zipf
from problems.linear import Linear, Logistic

SIGNS, BLOCKS = "cat(signs)", "blockcat(32)+ef"
SIZE = 8192
QUICK_SIZE = 2048
PENALTIES = 0.015, 0.006
"""Of the problem where all workers have the same data, and where each has its own."""
COUNTS = (8, 25, 82, 246, 819, 8192)
DENSITIES = (0.01, 0.03, 0.1, 0.3, 1)
TARGET = 1e-2
LIMIT = 200
FLOAT = 32
SLACK = 1.5


def _trials(network: Network | Ensemble, quick: bool) -> Iterator[Row]:
    """Bits are those of the paper's (index, sign) pairs, and as there the workers do not differ; seconds are those of
    blocks with error feedback, for workers with data of their own."""
    size = QUICK_SIZE if quick else SIZE
    one = zipf(1, size, penalty=PENALTIES[0])
    features, targets = (np.repeat(each, network.size, axis=0) for each in (one.features, one.targets))
    same = Logistic(features, targets, one.penalty)
    grid = [f"cat(signs,count={count})" for count in (COUNTS[:-1:2] if quick else COUNTS)]
    for spec in (SIGNS, *grid):
        yield _until(one, same, network, spec, "bits")
    own = zipf(network.size, size, penalty=PENALTIES[1])
    grid = [f"topk({density},block=32)+ef" for density in (DENSITIES[::2] if quick else DENSITIES)]
    for spec in (BLOCKS, *grid):
        yield _until(own, own, network, spec, "seconds")


def _until(whole: Linear, problem: Linear, network: Network | Ensemble, spec: str, unit: str) -> Row:
    """Steps on `problem` until the gap of `whole` is at TARGET times the first, and what they cost a worker in bits,
    (index, sign) pairs and a float, or in seconds. Without that if LIMIT steps are not enough."""
    optimizer = gd(problem, network, spec)
    goal = TARGET * whole.gap(optimizer.x)
    pair = 1 + int(np.ceil(np.log2(whole.size)))
    costs = {"bits": 0.0, "seconds": 0.0}
    for step in range(LIMIT):
        if whole.gap(optimizer.x) <= goal:
            return {"series": spec, "unit": unit, "iterations": step, unit: costs[unit]}
        start = clock(network)
        aggregate = optimizer.step()
        costs["seconds"] += clock(network) - start
        costs["bits"] += FLOAT + pair * float(np.count_nonzero(aggregate.sent)) / len(aggregate.sent)
    return {"series": spec, "unit": unit, "iterations": LIMIT}


def _judge(rows: Sequence[Row]) -> Verdict:
    told, holds = [], True
    for unit, tuned in (("bits", SIGNS), ("seconds", BLOCKS)):
        costs = {str(row["series"]): float(row.get(unit, np.inf)) for row in rows if row["unit"] == unit}
        own = costs.pop(tuned)
        best = min(costs, key=lambda series: costs[series])
        ratio = own / costs[best]
        holds = holds and ratio <= SLACK and own <= median(costs.values())
        told.append(f"{tuned} takes {own:.3g} {unit}, {ratio:.2f} times those of the best fixed choice, {best}")
    return Verdict("; ".join(told), holds)


TUNING = Experiment(
    name="cat",
    claim="Choosing in every step as many elements as pay (CAT, Khirirat et al., 2020) is never much worse than the "
    "best fixed number, which nobody knows beforehand, and much better than most; so is choosing blocks by what a "
    "packet costs on this network.",
    trials=_trials,
    judge=_judge,
    axes=Axes("workers", "seconds", bars=True),
    workers=(4,),
    rate=10.0,
)
