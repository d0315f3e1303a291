"""Independent blocks where the workers' optima differ: IBGD against ISEGA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most, stops
from dropzero.experiments.trials.measure import descend, last
from dropzero.methods.catalogue import ibgd, isega
from dropzero.problems.data import breast_cancer

FLOOR = 1e-5
REACHED = 1e-10
SMALLER = 0.75


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    problem = breast_cancer(network.size, penalty=1e-3)
    share = 1 / network.size
    yield from descend("IBGD", ibgd(problem, network, share, block=1), problem, network, 800)
    halved = ibgd(problem, network, share, block=1)
    halved.gamma /= 2
    yield from descend("IBGD, half the step", halved, problem, network, 800)
    yield from descend("ISEGA", isega(problem, network, share, block=1), problem, network, 2000)


def _judge(rows: Sequence[Row]) -> Verdict:
    floor, half, reached = (last(rows, series, "gap") for series in ("IBGD", "IBGD, half the step", "ISEGA"))
    text = f"IBGD stays at {floor:.1e} ({half:.1e} with half the step), ISEGA reaches {reached:.1e}"
    conditions = [
        *stops("IBGD's gap with half the step", half, FLOOR),
        at_most("IBGD's gap with the whole step", floor, 1),
        at_most("its gap with half the step over that with the whole", half / floor, SMALLER),
        at_most("ISEGA's gap", reached, REACHED),
    ]
    return Verdict(text, conditions)


HETEROGENEOUS = Experiment(
    name="heterogeneous",
    claim="Where the workers' gradients are not zero at the optimum, independent blocks of gradients (IBGD) stop at a "
    "distance that grows with the step; blocks of differences (ISEGA) reach the optimum ([IBGD]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "gap", log="y"),
    workers=(10,),
)
