"""VR-DIANA's iterations against its theory, in omega and in the number of samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log, sqrt

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import iterations
from dropzero.methods.catalogue import vr_diana
from dropzero.problems.data import zipf

SIZE = 32
OMEGAS = {"none": 0.0, "quant(inf)": (sqrt(SIZE) - 1) / 2, "randk(0.25)": 4 - 1}
"""omega by the papers' formulas."""
SAMPLES = (4, 40, 200)
TARGET = 1e-8
WITHIN = 1.5
SLOWER = 1.1
FASTER = 1 / 3


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Counts iterations until |x - x*|^2 is TARGET times the first.

    theory: kappa (1 + 36 (omega + 1) / n); bound: the paper's, the largest of that, 2 (1 + omega) and 8 m / 3; both
    times log(1 / TARGET).
    """
    for samples in SAMPLES[:: 2 if quick else 1]:
        problem = zipf(network.size, SIZE, samples=samples, held=10, penalty=0.05)
        condition = problem.sample_smoothness / problem.convexity
        for spec, omega in OMEGAS.items():
            theory = condition * (1 + 36 * (omega + 1) / network.size) * log(1 / TARGET)
            bound = max(theory, log(1 / TARGET) * max(2 * (1 + omega), 8 * samples / 3))
            optimizer = vr_diana(problem, network, spec)
            yield {
                "series": f"{spec}, m = {samples}",
                "samples": samples,
                "iterations": iterations(optimizer, problem.squared_distance, TARGET, ceil(2 * bound)),
                "theory": theory,
                "bound": bound,
            }


def _judge(rows: Sequence[Row]) -> Verdict:
    few, many = ([row for row in rows if row["samples"] == each] for each in (min(SAMPLES), max(SAMPLES)))
    ratios = [float(row["iterations"]) / float(row["theory"]) for row in few]
    off, constant = sqrt(max(ratios) / min(ratios)), sqrt(max(ratios) * min(ratios))
    most = max(float(row["iterations"]) / float(row["bound"]) for row in rows)
    # Without compression the samples weigh most.
    slower = [
        float(last["iterations"]) / float(first["iterations"])
        for first, last in zip(few, many, strict=True)
        if str(first["series"]).startswith("none")
    ]
    samples = max(SAMPLES) / min(SAMPLES)
    return Verdict(
        f"with {min(SAMPLES)} samples iterations are {1 / off:.2f} to {off:.2f} times {constant:.2f} "
        f"kappa (1 + 36 (omega + 1) / n) log(1 / {TARGET:.0e}), with {samples:.0f} times the samples, uncompressed, "
        f"{min(slower):.2f} to {max(slower):.2f} times as many, and at most {most:.2f} times the paper's bound",
        [
            at_most("iterations over the theory's, or the reverse, worst", off, WITHIN),
            at_most("iterations over the paper's bound, worst", most, 1),
            at_least("iterations with many samples over those with few", min(slower), SLOWER),
            at_most("the same over the ratio of these samples", max(slower) / samples, FASTER),
        ],
    )


VARIANCE_RATE = Experiment(
    name="vr-rate",
    claim="With few samples, VR-DIANA takes iterations in proportion to kappa (1 + 36 (omega + 1) / n), where kappa is "
    "that of the samples. More samples add iterations and do not multiply them. The iterations stay within the bound "
    "max(kappa (1 + 36 (omega + 1) / n), 2 (1 + omega), 8 m / 3) log(1 / target) ([VR-DIANA]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("theory", "iterations", log="xy"),
    workers=(8, 32),
    hosts=8,
)
