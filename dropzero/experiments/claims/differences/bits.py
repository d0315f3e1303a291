"""Sparsification, quantization and differences together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log2
from statistics import fmean

import numpy as np

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most, stops
from dropzero.experiments.trials.measure import last
from dropzero.methods.catalogue import diana, gd
from dropzero.problems.data import conditioned

SIZE = 128
CONDITION = 10
FLOAT = 32
PAIR = 1 + ceil(log2(SIZE))
REACHED = 1e-12
FLOOR = 1e-6
LINEAR = 1.5
FEW = 1.0
FEWER = 1 / 4
GD, TWO, PLAIN = "GD", "differences and quantization", "without differences"
THREE, SHARED = "all three", "all three, added by the switch"
MOST = 5000
STEPS = {PLAIN: 500}


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Counts a worker's bits in its message: of each element that is not zero its index and sign, and of each
    magnitude a float. A message of ternary elements has one magnitude. halfway: the iterations of the first six
    digits, or all of them so far."""
    problem = conditioned(network.size, SIZE, CONDITION)
    three = diana(problem, network, "randk(0.25)+terngrad(own)")
    for series, optimizer in {
        GD: gd(problem, network),
        TWO: diana(problem, network, "terngrad(own)"),
        THREE: three,
        SHARED: diana(problem, network, "randk(0.25)+terngrad"),
        PLAIN: gd(problem, network, "randk(0.25)+terngrad(own)", gamma=three.gamma),
    }.items():
        first, bits, sums, halfway = problem.gap(optimizer.x), 0.0, 0.0, 0
        for step in range(1, STEPS.get(series, MOST) + 1):
            aggregate = optimizer.step()
            count = np.count_nonzero(aggregate.sent) / len(aggregate.sent)
            magnitudes = fmean(len(np.unique(np.abs(row[row != 0]))) for row in aggregate.sent)
            bits += FLOAT * SIZE if series == GD else FLOAT * magnitudes + PAIR * count
            sums = max(sums, aggregate.largest_sum)
            gap = problem.gap(optimizer.x) / first
            if gap <= REACHED**0.5:
                halfway = halfway or step
            if step % 10 == 0 or gap <= REACHED:
                row: Row = {"series": series, "step": step, "bits": bits, "gap": max(gap, 1e-17), "largest sum": sums}
                yield row | {"halfway": halfway or step}
            if gap <= REACHED:
                break


def _judge(rows: Sequence[Row]) -> Verdict:
    workers = int(rows[0]["workers"])
    bits = {series: last(rows, series, "bits") for series in (GD, TWO, THREE)}
    gap, steps = last(rows, THREE, "gap"), last(rows, THREE, "step")
    each = bits[THREE] / steps / SIZE
    return Verdict(
        f"all three reach {gap:.0e} after {steps:.0f} iterations of {each:.2f} bits an element, with "
        f"{bits[THREE] / bits[GD]:.3f} of GD's bits; without differences they stop at {last(rows, PLAIN, 'gap'):.0e}",
        [
            *(at_most(f"gap of {series}", last(rows, series, "gap"), REACHED) for series in (GD, TWO, THREE)),
            at_most(
                "its last six digits' iterations over the first six's", steps / last(rows, THREE, "halfway") - 1, LINEAR
            ),
            at_most("bits of an element in an iteration", each, FEW),
            at_most("bits in all over those of GD", bits[THREE] / bits[GD], FEWER),
            at_most("bits in all over those of differences and quantization", bits[THREE] / bits[TWO], 1),
            *stops("gap without differences", last(rows, PLAIN, "gap"), FLOOR),
            at_most("gap of all three, added by the switch", last(rows, SHARED, "gap"), REACHED),
            at_most("largest sum of these integers", last(rows, SHARED, "largest sum"), workers),
        ],
    )


BITS = Experiment(
    name="bits",
    claim="Random elements, ternary values and differences together converge linearly to 1e-12 with less than a bit "
    "per element and iteration: in total at most a quarter of the bits of gradient descent, and fewer than with "
    "differences and ternary values alone. So do integers that the switch adds up, in more iterations ([DIANA], "
    "[VR-DIANA]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("bits", "gap", log="y"),
    workers=(16,),
)
