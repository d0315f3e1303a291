"""ISAGA: independent blocks of variance-reduced gradients, where all workers have the same data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most, stops
from dropzero.experiments.trials.measure import descend, last
from dropzero.methods.catalogue import isaga, isgd
from dropzero.methods.estimators import Saga
from dropzero.methods.optimizers import Descent
from dropzero.problems.data import repeated, two_classes

SAMPLES = 10
PENALTY = 2e-2
REACHED, FLOOR = 1e-10, 1e-6
SLACK = 1.25
COUNTED, WHOLE = 20, 1.001
ISAGA, SAGA, ISGD, OWN = "ISAGA", "SAGA", "ISGD", "ISAGA, data of their own"


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    workers, share = network.size, 1 / network.size
    own, one = (two_classes(each, PENALTY, samples=SAMPLES) for each in (workers, 1))
    same = repeated(one, workers)
    stored = _stored(isaga(same, network, share, block=1))
    for series, optimizer, problem, steps in (
        (SAGA, isaga(same, network, 1.0, block=1), same, 8000),
        (ISAGA, isaga(same, network, share, block=1), same, 8000),
        (ISGD, isgd(same, network, share, block=1), same, 2000),
        (OWN, isaga(own, network, share, block=1), own, 2000),
    ):
        for row in descend(series, optimizer, problem, network, steps, enough=REACHED, points=400):
            yield row | ({"stored": stored / ceil(share * same.size) * share} if series == ISAGA else {})


def _stored(optimizer: Descent) -> float:
    """The elements of a worker's table that a step changes, at most, counted over the first steps."""
    saga = optimizer.estimator
    assert isinstance(saga, Saga)
    most = 0.0
    for _ in range(COUNTED):
        before = saga.table.copy()
        optimizer.step()
        most = max(most, np.count_nonzero(saga.table != before) / len(before))
    return most


def _judge(rows: Sequence[Row]) -> Verdict:
    gaps = {series: last(rows, series, "gap") for series in (SAGA, ISAGA, ISGD, OWN)}
    ratio, workers = last(rows, ISAGA, "step") / last(rows, SAGA, "step"), float(rows[0]["workers"])
    return Verdict(
        f"with the same data ISAGA reaches {gaps[ISAGA]:.0e} in {ratio:.2f} times the iterations of SAGA, of at most "
        f"{SLACK * workers:.2f}, and sends {ratio / workers:.2f} times as many numbers; ISGD stops at {gaps[ISGD]:.0e} "
        f"and ISAGA where data differ at {gaps[OWN]:.0e}",
        [
            at_most("share of a gradient that ISAGA stores, times n", last(rows, ISAGA, "stored") * workers, WHOLE),
            at_most("SAGA's gap", gaps[SAGA], REACHED),
            at_most("ISAGA's gap", gaps[ISAGA], REACHED),
            at_most("ISAGA's iterations over 1 / tau times SAGA's", ratio / workers, SLACK),
            *stops("ISGD's gap", gaps[ISGD], FLOOR),
            *stops("ISAGA's gap where data differ", gaps[OWN], FLOOR),
        ],
    )


SHARED_DATA = Experiment(
    name="isaga",
    claim="Where all workers have the same data, independent blocks of SAGA's estimates, 1 / n of them from each of n "
    "workers (ISAGA), converge to the optimum, in at most 1.25 n times the iterations of SAGA: a step fills 1 / n of a "
    "row of the table. So they save no numbers here, where SAGA takes few steps a sample. (By the paper's bounds, "
    "quoted from memory, the ratio is 4 / (1 + 3 / n) once L / mu is much larger than the samples' number.) Blocks of "
    "plain stochastic gradients (ISGD) stop at a floor, and so does ISAGA where the workers' data differ ([IBGD]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "gap", log="y"),
    workers=(5,),
    hosts=5,
    labelled=True,
)
