"""DIANA with a regularizer that is not smooth, norms, blocks and momentum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most, stops
from dropzero.experiments.trials.measure import descend, last
from dropzero.methods.catalogue import diana, gd
from dropzero.problems.composite import Composite
from dropzero.problems.data import two_classes

SHARE = 0.107
"""The l1 penalty, as a share of the least one with which x* is 0."""
MOMENTA = {"with momentum 0.25": 0.25, "with momentum 0.5": 0.5, "with momentum 0.75": 0.75}
REACHED = 1e-12
FLOOR = 1e-6
FEWER, SAME = 0.95, 1.3
INF, INF_BLOCKS, TWO, TWO_BLOCKS = "l_inf", "l_inf, blocks", "l2", "l2, blocks"
SPECS = {
    INF: "quant(inf)",
    INF_BLOCKS: "quant(inf,bucket=10)",
    TWO: "quant(2)",
    TWO_BLOCKS: "quant(2,bucket=10)",
    "added by the switch": "terngrad(bucket=10)",
}


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    smooth = two_classes(network.size, penalty=1e-3)
    problem = Composite(smooth, l1=SHARE * float(np.abs(smooth.gradient(np.zeros(smooth.size))).max()))
    support = problem.optimum != 0
    runs = {series: diana(smooth, network, spec, proximal=problem.proximal) for series, spec in SPECS.items()}
    gamma = runs[INF].gamma
    for series, momentum in MOMENTA.items():
        runs[series] = diana(
            smooth,
            network,
            SPECS[INF],
            proximal=problem.proximal,
            momentum=momentum,
            gamma=gamma * (1 - momentum),
        )
    runs["without shifts"] = gd(smooth, network, SPECS[INF], gamma=gamma, proximal=problem.proximal)
    for series, optimizer in runs.items():
        for row in descend(series, optimizer, problem, network, 1000, enough=REACHED, points=500):
            yield row | {"wrong zeros": float(np.count_nonzero((optimizer.x != 0) != support))}


def _judge(rows: Sequence[Row]) -> Verdict:
    series = dict.fromkeys(str(row["series"]) for row in rows)
    gaps, steps = ({each: last(rows, each, name) for each in series} for name in ("gap", "step"))
    floor = gaps.pop("without shifts")
    wrong = max(last(rows, each, "wrong zeros") for each in gaps)
    text = ", ".join(f"{each} {gap:.0e} after {steps[each]:.0f} iterations" for each, gap in gaps.items())
    return Verdict(
        f"{text}; without shifts {floor:.0e}",
        [
            *(at_most(f"gap, {each}", gap, REACHED) for each, gap in gaps.items()),
            at_most("elements of x that are zero and should not be, or the reverse", wrong, 0),
            *stops("gap without shifts", floor, FLOOR),
            at_most("iterations of l_inf over l2", steps[INF] / steps[TWO], FEWER),
            at_most("iterations in blocks over whole, l2", steps[TWO_BLOCKS] / steps[TWO], FEWER),
            at_most("iterations in blocks over whole, l_inf", steps[INF_BLOCKS] / steps[INF], FEWER),
            at_most("iterations with momentum over without", max(steps[each] for each in MOMENTA) / steps[INF], SAME),
        ],
    )


COMPOSITE = Experiment(
    name="composite",
    claim="With an l1 regularizer, whose proximal step follows each step, DIANA converges linearly to the optimum and "
    "its zeros, also with momentum. Without shifts it stops at a floor. Scales by the l_inf norm take fewer iterations "
    "than by the l2 norm, and one scale per block fewer than one for all ([DIANA] algorithm 1).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "gap", log="y"),
    workers=(10,),
    labelled=True,
)
