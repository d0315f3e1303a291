"""VR-DIANA against methods that lack one of its two parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict
from dropzero.experiments.trials.measure import descend, last
from dropzero.methods.catalogue import diana, sgd, variance_reduced, vr_diana
from dropzero.problems.data import breast_cancer

FLOOR = 1e-6
REACHED = 1e-12


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    problem = breast_cancer(network.size, penalty=0.2, samples=20)
    steps = 2000 if quick else 3000
    reduced = vr_diana(problem, network)
    gamma = reduced.gamma
    for series, optimizer, share in (
        ("VR-DIANA, L-SVRG", reduced, 1),
        ("VR-DIANA, SAGA", vr_diana(problem, network, reduction="saga"), 1),
        # These reach their floor much earlier.
        ("DIANA, SGD", diana(problem, network, batch=1, gamma=gamma), 2),
        ("TernGrad, SGD", sgd(problem, network, "terngrad", gamma=gamma), 2),
        ("TernGrad, L-SVRG", variance_reduced(problem, network, "terngrad", gamma=gamma), 2),
    ):
        yield from descend(series, optimizer, problem, network, steps // share)


def _judge(rows: Sequence[Row]) -> Verdict:
    ends = {series: last(rows, series, "gap") for series in dict.fromkeys(str(row["series"]) for row in rows)}
    reached = max(ends["VR-DIANA, L-SVRG"], ends["VR-DIANA, SAGA"])
    floors = ends["DIANA, SGD"], ends["TernGrad, SGD"]
    text = ", ".join(f"{series} ends at {gap:.0e}" for series, gap in ends.items())
    return Verdict(text, reached <= REACHED and min(floors) >= FLOOR and ends["TernGrad, L-SVRG"] > 100 * reached)


VARIANCE = Experiment(
    name="vr-diana",
    claim="On stochastic gradients DIANA stops at a floor as TernGrad does; with variance reduction (L-SVRG or SAGA) "
    "it converges linearly to the optimum; without shifts variance reduction alone does not ([VR-DIANA]).",
    trials=_trials,
    judge=_judge,
    axes=Axes("step", "gap", log="y"),
    workers=(10,),
)
