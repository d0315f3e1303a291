"""Three workers whose largest elements lead away from the optimum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most
from dropzero.experiments.trials.measure import last
from dropzero.methods.catalogue import gd
from dropzero.problems.linear import Ridge

GAMMA = 0.01
STEPS = 100
LONG = 1500
DIRECTIONS = ((-3.0, 2.0, 2.0), (2.0, -3.0, 2.0), (2.0, 2.0, -3.0))


def problem() -> Ridge:
    """f_i(x) = <a_i, x>^2 + |x|^2 / 4."""
    features = np.sqrt(2) * np.array(DIRECTIONS)[:, None]
    return Ridge(features, np.zeros((3, 1)), penalty=0.5)


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    for spec, series, steps in (("topk(0.34)", "top-1", STEPS), ("topk(0.34)+ef", "top-1, EF", LONG)):
        optimizer = gd(problem(), network, spec, gamma=GAMMA)
        optimizer.x = np.ones(3)
        for step in range(steps + 1):
            if step % (steps // 50) == 0:
                distance = float(np.linalg.norm(optimizer.x) / np.sqrt(3))
                row: Row = {"series": series, "step": step, "distance": max(distance, 1e-17)}
                yield row if "EF" in series else row | {"theory": (1 + 11 * GAMMA / 6) ** step}
            optimizer.step()


def _judge(rows: Sequence[Row]) -> Verdict:
    grown, theory = last(rows, "top-1", "distance"), last(rows, "top-1", "theory")
    kept = last(rows, "top-1, EF", "distance")
    text = f"after {STEPS} steps top-1 is {grown:.4f} times as far away as at the start, by theory {theory:.4f}"
    return Verdict(
        f"{text}; with error feedback {kept:.0e} times after {LONG}",
        [at_most("growth, off the theory's", abs(grown / theory - 1), 1e-3), at_most("distance with EF", kept, 1e-6)],
    )


COUNTEREXAMPLE = Experiment(
    name="counterexample",
    claim="Without error feedback top-k can diverge on a strongly convex problem: on this one by exactly "
    "1 + 11 gamma / 6 a step ([Biased]); with it, it converges.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "distance", log="y"),
    workers=(3,),
    hosts=3,
)
