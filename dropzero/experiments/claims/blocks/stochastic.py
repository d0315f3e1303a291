"""Independent blocks with stochastic gradients and with acceleration: ISGD and IASGD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from statistics import fmean

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most
from dropzero.experiments.trials.measure import arrival
from dropzero.methods.catalogue import gd, iasgd, isgd, sgd
from dropzero.methods.optimizers import Optimizer
from dropzero.problems.data import interpolating
from dropzero.problems.linear import Ridge
from dropzero.streams import stream

SIZE = 20
SPREADS = {"": 100, ", larger kappa": 1600}
TARGET, ROUGH = 1e-8, 1e-2
LIMIT = 20_000
SEEDS = 3
SLACK = 1.25
POWER = 0.55
WHOLE = 1.001
SGD, ISGD, GD, AGD, IASGD = "SGD", "ISGD", "GD", "accelerated GD", "IASGD"


def separable(workers: int, spread: float) -> Ridge:
    """Diagonal Hessians that differ a little between workers, f's with eigenvalues from about 1 / spread to 1, and one
    optimum for all: the rho of strong growth is near 1."""
    draw = stream(0, "separable")
    scales = np.sqrt(np.geomspace(1 / spread, 1, SIZE)) * (0.8 + 0.4 * draw.random((workers, SIZE)))
    features = np.sqrt(SIZE) * scales[:, :, None] * np.eye(SIZE)
    return Ridge(features, features @ np.ones(SIZE))


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """theory: by the paper's formulas, the iterations of the method without sparsification times 3 - 2 / n for ISGD and
    1 + rho (1 / tau - 1) / n for IASGD, tau = 1 / n."""
    workers, share = network.size, 1 / network.size

    def row(series: str, optimizer: Optimizer, problem: Ridge, target: float) -> Row:
        found = arrival(optimizer, problem.gap, target, LIMIT)
        return {"series": series, "iterations": found.steps, "sent": found.sent / problem.size}

    problem = interpolating(workers, SIZE)
    for seed in range(SEEDS):
        dense = row(SGD, sgd(problem, network, seed=seed), problem, ROUGH)
        sparse = row(ISGD, isgd(problem, network, share, block=1, seed=seed), problem, ROUGH)
        yield dense
        yield sparse | {"theory": float(dense["iterations"]) * (3 - 2 * share)}
    for suffix, spread in SPREADS.items():
        problem = separable(workers, spread)
        condition: Row = {"condition": problem.smoothness / problem.convexity}
        dense = row(AGD + suffix, iasgd(problem, network, 1.0, block=1), problem, TARGET)
        sparse = row(IASGD + suffix, iasgd(problem, network, share, block=1), problem, TARGET)
        growth = 1 + problem.growth * (1 / share - 1) / workers
        yield dense | condition
        yield sparse | condition | {"theory": float(dense["iterations"]) * growth}
        if not suffix:
            yield row(GD, gd(problem, network), problem, TARGET)


def _judge(rows: Sequence[Row]) -> Verdict:
    told, conditions = [], []
    for workers in dict.fromkeys(row["workers"] for row in rows):
        own = [row for row in rows if row["workers"] == workers]

        def mean(series: str, measure: str = "iterations", own: Sequence[Row] = own) -> float:
            return fmean(float(row[measure]) for row in own if row["series"] == series)

        easy, hard = (IASGD + suffix for suffix in SPREADS)
        off = max(mean(series) / mean(series, "theory") for series in (easy, hard))
        sent = max(mean(series, "sent") for series in (ISGD, easy, hard))
        power = (log(mean(hard)) - log(mean(easy))) / log(mean(hard, "condition") / mean(easy, "condition"))
        at = f", n = {workers:.0f}"
        conditions += [
            at_most(f"ISGD's iterations over the theory's{at}", mean(ISGD) / mean(ISGD, "theory"), SLACK),
            at_most(f"IASGD's iterations over the theory's, worst{at}", off, SLACK),
            at_most(f"share of its elements that a worker sends, times n{at}", sent * float(workers), WHOLE),
            at_most(f"power of kappa in IASGD's iterations{at}", power, POWER),
            at_most(f"IASGD's iterations over GD's{at}", mean(easy) / mean(GD), 1),
        ]
        told.append(
            f"n = {workers:.0f}: ISGD takes {mean(ISGD) / mean(SGD):.2f} times the iterations of SGD, IASGD "
            f"{mean(easy) / mean(GD):.2f} times those of GD, in proportion to kappa^{power:.2f}"
        )
    return Verdict("; ".join(told), conditions)


STOCHASTIC = Experiment(
    name="isgd",
    claim="Where the workers' gradients vanish at the optimum, independent blocks of stochastic gradients, 1 / n of "
    "them, take 3 - 2 / n times the iterations of SGD (ISGD). With acceleration they take 1 + rho (1 / tau - 1) / n "
    "times those of accelerated gradient descent, which grow with the root of kappa (IASGD; [IBGD], [Growth]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("workers", "iterations", bars=True),
    workers=(5, 10, 20),
    hosts=5,
)
