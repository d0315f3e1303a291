"""VR-DIANA against methods that lack one of its two parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, inf, log2

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most, stops
from dropzero.experiments.trials.measure import descend, last
from dropzero.methods.catalogue import diana, sgd, variance_reduced, vr_diana
from dropzero.problems.data import two_classes

FLOOR = 1e-6
REACHED = 1e-12
OWN = "terngrad(own)"
FLOAT = 32
WHOLE, FEWER = "L-SVRG", 1 / 2


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """With scales of the workers' own: with a common one the theory's steps are five times as short. bits: of a
    worker's messages so far; of a ternary one, a float, and of each element that is not zero its index and sign."""
    problem = two_classes(network.size, penalty=2e-2)
    steps = 5000 if quick else 6000
    reduced = vr_diana(problem, network, OWN)
    gamma = reduced.gamma
    for series, optimizer, share in (
        (WHOLE, variance_reduced(problem, network), 1),
        ("VR-DIANA, L-SVRG", reduced, 1),
        ("VR-DIANA, SAGA", vr_diana(problem, network, OWN, reduction="saga"), 1),
        # These reach their floor much earlier.
        ("DIANA, SGD", diana(problem, network, OWN, batch=1, gamma=gamma), 2),
        ("TernGrad, SGD", sgd(problem, network, OWN, gamma=gamma), 2),
        ("TernGrad, L-SVRG", variance_reduced(problem, network, OWN, gamma=gamma), 2),
    ):
        for row in descend(series, optimizer, problem, network, steps // share):
            made, sent = float(row["step"]), float(row.get("sent", 0))
            bits = FLOAT * sent if series == WHOLE else FLOAT * made + (1 + ceil(log2(problem.size))) * sent
            yield row | {"bits": bits}


def _judge(rows: Sequence[Row]) -> Verdict:
    ends = {series: last(rows, series, "gap") for series in dict.fromkeys(str(row["series"]) for row in rows)}
    fewer, whole = (
        min(
            (float(row["bits"]) for row in rows if row["series"] == series and float(row["gap"]) <= REACHED),
            default=inf,
        )
        for series in ("VR-DIANA, L-SVRG", WHOLE)
    )
    text = ", ".join(f"{series} ends at {gap:.0e}" for series, gap in ends.items())
    conditions = [
        at_most(f"{WHOLE}'s gap", ends[WHOLE], REACHED),
        at_most(f"bits of VR-DIANA over those of {WHOLE}", fewer / whole, FEWER),
        at_most("VR-DIANA's gap, L-SVRG", ends["VR-DIANA, L-SVRG"], REACHED),
        at_most("VR-DIANA's gap, SAGA", ends["VR-DIANA, SAGA"], REACHED),
        *stops("DIANA's gap", ends["DIANA, SGD"], FLOOR),
        *stops("TernGrad's gap", ends["TernGrad, SGD"], FLOOR),
        *stops("L-SVRG's gap without shifts", ends["TernGrad, L-SVRG"], 100 * REACHED),
    ]
    return Verdict(f"{text}; VR-DIANA sends {fewer / whole:.2f} times the bits of {WHOLE} alone", conditions)


VARIANCE = Experiment(
    name="vr-diana",
    claim="On stochastic gradients DIANA stops at a floor as TernGrad does; with variance reduction (L-SVRG or SAGA) "
    "it converges linearly to the optimum, with at most half of the bits of L-SVRG in floats; without shifts "
    "variance reduction alone does not ([VR-DIANA]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "gap", log="y"),
    workers=(10,),
    labelled=True,
)
