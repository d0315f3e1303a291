"""The bits that integers need: IntGD against IntDIANA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most, stops
from dropzero.experiments.trials.measure import descend, last
from dropzero.methods.catalogue import int_gd
from dropzero.problems.data import two_classes

WORD = 32
FEW = 5
FLOOR = 1e-11
REACHED = 1e-12


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """In 32-bit words, to measure the bits needed, and in narrow words."""
    problem = two_classes(network.size, penalty=1e-3, by_label=True)
    for series, shifts, width, steps in (
        ("IntGD", False, 32, 800),
        ("IntGD, 16-bit words", False, 16, 400),
        ("IntDIANA", True, 32, 600),
        ("IntDIANA, 8-bit words", True, 8, 600),
    ):
        optimizer = int_gd(problem, network, shifts=shifts, width=width)
        for row in descend(series, optimizer, problem, network, steps, enough=0.0):
            own, together = (float(row.get(name, 0.0)) for name in ("largest integer", "largest sum"))
            # One more for the sign.
            yield row | {"bits": 1 + log2(1 + own), "bits of the sum": 1 + log2(1 + together)}


def _judge(rows: Sequence[Row]) -> Verdict:
    plain, shifted = (last(rows, series, "bits") for series in ("IntGD", "IntDIANA"))
    stuck, reached = (last(rows, series, "gap") for series in ("IntGD, 16-bit words", "IntDIANA, 8-bit words"))
    together = last(rows, "IntGD", "bits of the sum")
    text = f"integers need {plain:.1f} bits with IntGD, their sum {together:.1f}, and with IntDIANA {shifted:.1f}"
    text += f"; in words of 16 bits IntGD stops at {stuck:.0e}, in words of 8 IntDIANA reaches {reached:.0e}"
    conditions = [
        at_least("IntGD's bits", plain, WORD),
        at_most("IntDIANA's bits", shifted, FEW),
        *stops("IntGD's gap in 16-bit words", stuck, FLOOR),
        at_most("IntDIANA's gap in 8-bit words", reached, REACHED),
    ]
    return Verdict(text, conditions)


INTEGERS = Experiment(
    name="integers",
    claim="With a scale that grows as the iterates converge, gradients in integers overflow any word where the "
    "workers' data differ (IntGD); differences to shifts stay within 5 bits (IntDIANA; [IntSGD]). "
    "(Integers that wrap around may exceed the word as long as their sum fits.)",
    trials=_trials,
    verdict=_judge,
    axes=Axes("step", "bits"),
    workers=(10,),
    labelled=True,
)
