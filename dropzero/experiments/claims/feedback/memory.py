"""SGD that sends one coordinate of each stochastic gradient, with memory and without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most, stops
from dropzero.experiments.trials.measure import Traffic, last
from dropzero.methods.catalogue import sgd
from dropzero.problems.data import two_classes

PENALTY = 3e-2
STEPS, QUICK_STEPS = 8_000, 2_000
SAME = 1.5
"""The largest factor between gaps of the same rate."""
SLOWER = 3
EARLY = 10
RATE = 1 / 4
"""Threshold for gap(T) / gap(EARLY T). An O(1 / T) method gives 0.15 and an O(1 / sqrt(T)) one 0.38; both include the
offset of the step sizes."""
DENSE, TOP, RANDOM, PLAIN = "SGD", "top 1, memory", "random 1, memory", "top 1"
SPECS = {DENSE: "none", TOP: "topk(1e-9)+ef", RANDOM: "randk(1e-9,unscaled)+ef", PLAIN: "topk(1e-9)"}


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Steps 8 / (mu (a + t)), and averages of x with the weights (a + t)^2, as in [Mem-SGD] theorem 2.4."""
    problem, steps = two_classes(network.size, PENALTY), QUICK_STEPS if quick else STEPS
    shift = 16 * problem.sample_smoothness / problem.convexity
    for series, spec in SPECS.items():
        optimizer = sgd(
            problem, network, spec, gamma=8 / (problem.convexity * shift), decay=lambda step: shift / (shift + step)
        )
        counts: list[float] = []
        average, weights, first, traffic = np.zeros(problem.size), 0.0, problem.gap(optimizer.x), Traffic(network)
        for step in range(1, steps + 1):
            sent = optimizer.step().sent
            counts.append(np.count_nonzero(sent) / len(sent))
            weight = (shift + step) ** 2
            weights += weight
            average += (optimizer.x - average) * (weight / weights)
            if step % (steps // 40) == 0:
                row: Row = {"series": series, "step": step, "gap": problem.gap(average) / first, **traffic.row()}
                yield row | {"sent": fmean(counts)}


def _judge(rows: Sequence[Row]) -> Verdict:
    gaps = {series: last(rows, series, "gap") for series in SPECS}
    steps = last(rows, TOP, "step")
    (early,) = (float(row["gap"]) for row in rows if row["series"] == TOP and row["step"] == steps / EARLY)
    return Verdict(
        f"after {steps:.0f} steps SGD's gap is {gaps[DENSE]:.1e}; of one coordinate with memory {gaps[TOP]:.1e}, or "
        f"{gaps[RANDOM]:.1e} if it is drawn at random, and {gaps[PLAIN]:.1e} without memory",
        [
            at_most("gap of the largest coordinate over SGD's", gaps[TOP] / gaps[DENSE], SAME),
            at_most("gap of a random coordinate over SGD's", gaps[RANDOM] / gaps[DENSE], SAME),
            at_most("gap over that after a tenth of the steps", gaps[TOP] / early, RATE),
            at_most("elements that a worker sends, most", max(last(rows, each, "sent") for each in (TOP, RANDOM)), 1),
            *stops("gap without memory", gaps[PLAIN], SLOWER * gaps[TOP]),
        ],
    )


MEMORY = Experiment(
    name="memory",
    claim="SGD that sends one coordinate of d and keeps the others in memory converges at the rate of SGD, O(1 / T), "
    "whether the coordinate is the largest or drawn at random. The largest without memory does not converge ([Mem-SGD] "
    "theorem 2.4).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "gap", log="xy"),
    workers=(4,),
    labelled=True,
)
