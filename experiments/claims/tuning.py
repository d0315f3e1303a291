"""CAT against every fixed number of elements: in bits, and in seconds on a link of limited rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most
from dropzero.experiments.trials.measure import clock
from dropzero.methods.catalogue import gd
from dropzero.problems.data import zipf
from dropzero.problems.linear import Linear, Logistic

SIGNS, BLOCKS = "cat(signs)", "blockcat(32)+ef"
SIZE = 8192
QUICK_SIZE = 2048
PENALTIES = 0.015, 0.006
"""Penalties of the problem with the same data on all workers, and of that with different data."""
COUNTS = (25, 50, 82, 110, 150, 246, 819)
DENSITIES = (0.03, 0.07, 0.1, 0.15, 0.3, 1)
TARGET = 1e-2
STEPS = {"bits": 400, "seconds": 60}
"""Steps after which a fixed choice is given up; for bits, also when it costs DEARER times as much as CAT."""
DEARER = 2
REPEATS = 3
FLOAT = 32
SLACK = 1.5


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Measures bits of the paper's (index, sign) pairs, with the same data on all workers, as there; and seconds of
    blocks with error feedback, with different data, in turn and several times."""
    size = QUICK_SIZE if quick else SIZE
    one = zipf(1, size, penalty=PENALTIES[0])
    features, targets = (np.repeat(each, network.size, axis=0) for each in (one.features, one.targets))
    same = Logistic(features, targets, one.penalty)
    fixed = [f"cat(signs,count={count})" for count in (COUNTS[::2] if quick else COUNTS)]
    yield from _compared(SIGNS, fixed, one, same, network, "bits")
    own = zipf(network.size, size, penalty=PENALTIES[1])
    fixed = [f"topk({density},block=32)+ef" for density in (DENSITIES[::2] if quick else DENSITIES)]
    for _ in range(1 if quick else REPEATS):
        yield from _compared(BLOCKS, fixed, own, own, network, "seconds")


def _compared(
    tuned: str, fixed: Sequence[str], whole: Linear, problem: Linear, network: Workers, unit: str
) -> Iterator[Row]:
    """Yields the cost of each spec, and its ratio to that of `tuned`."""
    own = np.inf
    for spec in (tuned, *fixed):
        row = _until(whole, problem, network, spec, unit, DEARER * own)
        if unit in row:
            own = float(row[unit]) if spec == tuned else own
            row["cost, times the adaptive one's"] = float(row[unit]) / own
        yield row


def _until(whole: Linear, problem: Linear, network: Workers, spec: str, unit: str, most_bits: float) -> Row:
    """Steps on `problem` until the gap of `whole` is TARGET times the first. The row has their cost for a worker, in
    bits ((index, sign) pairs and a float) or seconds, unless it was given up."""
    optimizer = gd(problem, network, spec)
    goal = TARGET * whole.gap(optimizer.x)
    pair = 1 + int(np.ceil(np.log2(whole.size)))
    step, sent, costs = 0, 0.0, {"bits": 0.0, "seconds": 0.0}
    # Every worker measures its own seconds, but all must give up together.
    most = {"bits": most_bits, "seconds": np.inf}
    while (gap := whole.gap(optimizer.x)) > goal and step < STEPS[unit] and costs[unit] < most[unit]:
        start = clock(network)
        aggregate = optimizer.step()
        costs["seconds"] += clock(network) - start
        count = np.count_nonzero(aggregate.sent) / len(aggregate.sent)
        costs["bits"] += FLOAT + pair * count
        step, sent = step + 1, sent + count
    row: Row = {"series": spec, "unit": unit, "iterations": step, "elements": sent / max(step, 1)}
    return row if gap > goal else row | {unit: costs[unit]}


def _judge(rows: Sequence[Row]) -> Verdict:
    told, conditions = [], []
    for unit, tuned in (("bits", SIGNS), ("seconds", BLOCKS)):
        found: dict[str, list[float]] = {}
        for row in rows:
            if row["unit"] == unit:
                found.setdefault(str(row["series"]), []).append(float(row.get(unit, np.inf)))
        costs = {series: median(each) for series, each in found.items()}
        own = costs.pop(tuned)
        best = min(costs, key=lambda series: costs[series])
        ratio = own / costs[best]
        conditions += [
            at_most(f"{unit}, times those of the best fixed choice", ratio, SLACK),
            at_most(f"{unit}, against the median fixed choice's", own, median(costs.values())),
        ]
        told.append(f"{tuned} takes {own:.3g} {unit}, {ratio:.2f} times those of the best fixed choice, {best}")
    return Verdict("; ".join(told), conditions)


TUNING = Experiment(
    name="cat",
    claim="Choosing in every step as many elements as pay ([CAT]) takes, with the same data on all workers, at most "
    "1.5 times the bits of the best fixed number, which nobody knows beforehand, and no more than the median one; and "
    "so in seconds, with data of their own, does choosing blocks by what a packet costs on this network.",
    trials=_trials,
    judge=_judge,
    axes=Axes("workers", "cost, times the adaptive one's", bars=True),
    workers=(4,),
    rate=2.0,
)
