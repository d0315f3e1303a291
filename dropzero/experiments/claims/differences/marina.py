"""MARINA's iterations against its theory, and with PermK where the workers' gradients change alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import log

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most, stops
from dropzero.experiments.trials.measure import arrival, descend, last
from dropzero.methods.catalogue import gd, marina
from dropzero.problems.data import conditioned

SIZE, CONDITION = 60, 10
TARGET, FLOOR = 1e-10, 1e-6
GD, PERM, RANDOM, WHOLE = "gradient descent", "MARINA, PermK", "MARINA, random elements", "no differences"
EQUAL, MORE, SHARES = 1.05, 2.0, 2.0


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """In MARINA each worker sends an n-th of its elements, and all of them in an n-th of the rounds. PermK has the step
    of gradient descent, because all f_i have one Hessian; random elements have the paper's. bound: log(1 / TARGET) /
    (gamma mu)."""
    problem, elements = conditioned(network.size, SIZE, CONDITION), f"randk({1 / network.size!r})"
    plain, papers = 1 / problem.worker_smoothness, marina(problem, network, elements).gamma
    bound = log(1 / TARGET) / (papers * problem.convexity)
    for series, method in (
        (GD, partial(gd, problem, network)),
        (PERM, partial(marina, problem, network, "permk", gamma=plain)),
        (RANDOM, partial(marina, problem, network, elements)),
    ):
        found = arrival(method(), problem.gap, TARGET, 2 * bound)
        yield {"series": series, "iterations": found.steps, "share sent": found.sent / problem.size, "bound": bound}
        yield from descend(series, method(), problem, network, round(bound), enough=TARGET)
    compressed = gd(problem, network, elements, gamma=papers)
    yield from descend(WHOLE, compressed, problem, network, round(bound))


def _judge(rows: Sequence[Row]) -> Verdict:
    count = {series: last(rows, series, "iterations") for series in (GD, PERM, RANDOM)}
    shares = float(rows[0]["workers"]) * max(last(rows, series, "share sent") for series in (PERM, RANDOM))
    equal, more = count[PERM] / count[GD], count[RANDOM] / count[PERM]
    bound, gap = count[RANDOM] / last(rows, RANDOM, "bound"), last(rows, WHOLE, "gap")
    return Verdict(
        f"with PermK it takes {equal:.2f} times the iterations of gradient descent, with random elements {more:.1f} "
        f"times those and {bound:.2f} times its bound, and workers send {shares:.2f} n-ths of their elements; without "
        f"differences the gap ends at {gap:.0e}",
        [
            at_most("iterations with PermK over gradient descent's", equal, EQUAL),
            at_least("iterations with random elements over PermK's", more, MORE),
            at_most("iterations with random elements over the bound", bound, 1),
            at_most("share of its elements that a worker sends, times n", shares, SHARES),
            *stops("gap without differences", gap, FLOOR),
        ],
    )


MARINA = Experiment(
    name="marina",
    claim="Compressed differences between successive points, with whole gradients in few rounds and without shifts, "
    "converge to the optimum in at most MARINA's bound of iterations, where compressed gradients stop at a floor "
    "([MARINA]). If all workers' gradients change alike, PermK takes as many iterations as gradient descent, and "
    "random elements take more than twice that ([PermK]). Each worker sends less than 2 / n of its elements.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "gap", log="y"),
    workers=(10,),
)
