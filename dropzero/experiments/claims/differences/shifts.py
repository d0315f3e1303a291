"""DIANA against compression without shifts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most, stops
from dropzero.experiments.trials.measure import descend, last
from dropzero.methods.catalogue import diana, gd
from dropzero.problems.data import two_classes

FLOOR = 1e-6
REACHED = 1e-12


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    problem = two_classes(network.size, penalty=1e-3)
    steps = 2400 if quick else 3000
    for quantizer, series in (("terngrad", "TernGrad"), ("qsgd(1)", "QSGD")):
        shifted = diana(problem, network, quantizer)
        yield from descend(series, gd(problem, network, quantizer, gamma=shifted.gamma), problem, network, 800)
        yield from descend(f"DIANA, {series}'s integers", shifted, problem, network, steps)


def _judge(rows: Sequence[Row]) -> Verdict:
    floors = {series: last(rows, series, "gap") for series in ("TernGrad", "QSGD")}
    reached = {series: last(rows, f"DIANA, {series}'s integers", "gap") for series in floors}
    sums = max(float(row.get("largest sum", 0)) for row in rows if row["series"] == "DIANA, TernGrad's integers")
    workers = int(rows[0]["workers"])
    text = "; ".join(
        f"{series} ends at {floors[series]:.0e}, with shifts at {reached[series]:.0e}" for series in floors
    )
    conditions = [
        *(each for series, gap in floors.items() for each in stops(f"{series}'s gap", gap, FLOOR)),
        *(at_most(f"{series}'s gap with shifts", gap, REACHED) for series, gap in reached.items()),
        at_most("largest sum of ternary integers", sums, workers),
    ]
    return Verdict(f"{text}; the largest sum of ternary integers was {sums:.0f} with {workers} workers", conditions)


DIANA = Experiment(
    name="diana",
    claim="Quantized gradients (TernGrad, QSGD) stop at a floor. Quantized differences to learned shifts converge "
    "linearly to the optimum ([DIANA]), here with ternary integers that the switch adds up, whose sum is at most n.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "gap", log="y"),
    workers=(10,),
    labelled=True,
)
