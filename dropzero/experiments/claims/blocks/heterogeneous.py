"""Independent blocks where the workers' optima differ: IBGD against ISEGA, and ISEGA over tau."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most, stops
from dropzero.experiments.trials.measure import descend, last, tuned
from dropzero.methods.catalogue import ibgd, isega
from dropzero.problems.data import conditioned, two_classes

FLOOR = 1e-5
REACHED = 1e-10
SMALLER = 0.75
SIZE, CONDITION, TARGET, QUICK_TARGET, LIMIT = 40, 30, 1e-8, 1e-4, 20_000
FACTOR = 1.5
"""Between two steps."""
MOST, WHOLE, FEWER = 2.5, 1.001, 2
INDEPENDENT, SHARED = "independent blocks", "one draw for all workers"


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    problem = two_classes(network.size, penalty=1e-3)
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
    labelled=True,
)


def _sweep(network: Workers, quick: bool) -> Iterator[Row]:
    """The fewest iterations until |x - x*|^2 is TARGET times the first, over the steps. share: of its elements that a
    worker sends, counted in its first message."""
    problem, workers = conditioned(network.size, SIZE, CONDITION), network.size
    target = QUICK_TARGET if quick else TARGET
    for series, shared in ((INDEPENDENT, False), (SHARED, True)):
        for times in (workers, 1) if quick else (workers, workers / 2, 2, 1, 1 / 2):
            method = partial(isega, problem, network, times / workers, block=1, shared=shared)
            found = tuned(method, problem.squared_distance, target, limit=LIMIT, factor=FACTOR)
            sent = method().step().sent
            row: Row = {"iterations": found.best, "sent": np.count_nonzero(sent) / sent.size}
            yield {"series": series, "tau": times / workers, "tau n": times, **row}


def _judge_sweep(rows: Sequence[Row]) -> Verdict:
    told, conditions = [], []
    for workers in dict.fromkeys(float(row["workers"]) for row in rows):
        of = {(row["series"], row["tau n"]): row for row in rows if row["workers"] == workers}
        one, shared = (float(of[series, 1]["iterations"]) for series in (INDEPENDENT, SHARED))
        slower, together = one / float(of[INDEPENDENT, workers]["iterations"]), shared / one
        at = f"n = {workers:.0f}"
        told.append(f"{at}: {slower:.2f}, and with one draw for all {together:.2f} times these")
        conditions += [
            at_most(f"iterations over those of all blocks, {at}", slower, MOST),
            at_most(
                f"share of its elements that a worker sends, times {at}",
                workers * float(of[INDEPENDENT, 1]["sent"]),
                WHOLE,
            ),
            at_least(f"iterations with one draw for all over these, over {at}", together / workers, 1 / FEWER),
        ]
    return Verdict(f"iterations with tau = 1/n over those with all blocks, {'; '.join(told)}", conditions)


ISEGA = Experiment(
    name="isega",
    claim="Where the workers' optima differ, a worker of n may send 1/n of its blocks, too: with the best steps, ISEGA "
    "takes at most 2.5 times the iterations that it takes with all of them. If all workers draw the same blocks, as "
    "SEGA does on one machine, it takes at least n / 2 times these ([IBGD]).",
    trials=_sweep,
    verdict=_judge_sweep,
    axes=Axes("tau", "iterations", log="xy"),
    workers=(5, 10),
    hosts=5,
)
