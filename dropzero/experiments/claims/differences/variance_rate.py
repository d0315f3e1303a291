"""VR-DIANA's iterations and longest steps against its theory, in omega and in the number of samples.

Iterations with the paper's step follow from that step alone, whatever is compressed. So steps are tuned here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import log

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import tuned
from dropzero.methods.catalogue import vr_diana
from dropzero.problems.data import zipf

SIZE = 32
NONE, MOST = "none", "randk(0.0625)"
OMEGAS = {NONE: 0.0, MOST: 16 - 1.0}
SAMPLES = (4, 40, 200)
TARGET, QUICK_TARGET = 1e-8, 1e-4
FACTOR = 2
"""Between two steps."""
SLOWER, LONGEST = 3, 64
MORE, FASTER = 2, 1 / 3


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Counts iterations until |x - x*|^2 is TARGET times the first, with the paper's step and with the best.

    bound: the paper's, max(kappa (1 + 36 (omega + 1) / n), 2 (1 + omega), 8 m / 3) log(1 / TARGET). longest: the
    longest step with which it arrives, over the paper's.
    """
    target = QUICK_TARGET if quick else TARGET
    for samples in SAMPLES[:: 2 if quick else 1]:
        problem = zipf(network.size, SIZE, samples=samples, held=10, penalty=0.05)
        condition = problem.sample_smoothness / problem.convexity
        for spec, omega in OMEGAS.items():
            spread = condition * (1 + 36 * (omega + 1) / network.size)
            bound = log(1 / target) * max(spread, 2 * (1 + omega), 8 * samples / 3)
            method = partial(vr_diana, problem, network, spec)
            found = tuned(method, problem.squared_distance, target, limit=2 * bound, factor=FACTOR)
            yield {
                "series": spec,
                "samples": samples,
                "omega": omega,
                "iterations": found.best,
                "paper step": found.paper,
                "longest": found.most,
                "bound": bound,
            }


def _judge(rows: Sequence[Row]) -> Verdict:
    best = {(row["workers"], row["samples"], row["series"]): float(row["iterations"]) for row in rows}
    bound = max(float(row["paper step"]) / float(row["bound"]) for row in rows)
    longest = max(float(row["longest"]) for row in rows)
    few, many = min(SAMPLES), max(SAMPLES)
    sizes = dict.fromkeys(row["workers"] for row in rows)
    slower = [best[size, few, MOST] / best[size, few, NONE] for size in sizes]
    more = [best[size, many, NONE] / best[size, few, NONE] for size in sizes]
    return Verdict(
        f"with the best steps and {few} samples, {MOST} takes {min(slower):.1f} to {max(slower):.1f} times the "
        f"iterations without compression; with {many / few:.0f} times the samples, uncompressed, these are "
        f"{min(more):.1f} to {max(more):.1f} times as many; the longest step that arrives is {longest:.0f} times the "
        f"paper's, with which iterations are at most {bound:.2f} times its bound",
        [
            at_most("iterations with the paper's step over its bound, worst", bound, 1),
            at_least(f"iterations of {MOST} over uncompressed, few samples", min(slower), SLOWER),
            at_most("the same over 1 + omega", max(slower) / (1 + OMEGAS[MOST]), 1),
            at_most("the longest step that arrives over the paper's, most", longest, LONGEST),
            at_least("iterations with many samples over those with few", min(more), MORE),
            at_most("the same over the ratio of these samples", max(more) / (many / few), FASTER),
        ],
    )


VARIANCE_RATE = Experiment(
    name="vr-rate",
    claim="With its paper's steps VR-DIANA takes at most max(kappa (1 + 36 (omega + 1) / n), 2 (1 + omega), 8 m / 3) "
    "log(1 / target) iterations, where kappa is that of the samples. (Its 36 is large: some steps 8 to 64 times as "
    "long arrive, none above.) With the best steps, a compression of omega 15 takes at least 3 times the iterations of "
    "none, and at most 1 + omega times. 50 times the samples m take at least twice the iterations, and at most a third "
    "of 50 times: they add to them, and do not multiply them ([VR-DIANA]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("bound", "iterations", log="xy"),
    workers=(8,),
)
