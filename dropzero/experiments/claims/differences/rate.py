"""DIANA's iterations against its theory: compressors x numbers of workers x condition numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, log, sqrt

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most
from dropzero.experiments.trials.measure import iterations
from dropzero.methods.catalogue import diana
from dropzero.problems.data import conditioned

SIZE = 32
CONDITIONS = (10, 30, 100)
OMEGAS = {
    "natural": 1 / 8,
    "quant(inf,bucket=8)": (sqrt(8) - 1) / 2,
    "qsgd(4,own)": sqrt(SIZE) / 4,
    "quant(inf)": (sqrt(SIZE) - 1) / 2,
    "randk(0.25)": 4 - 1,
    "quant(2)": sqrt(SIZE) - 1,
}
"""omega by the papers' formulas."""
TARGET = 1e-8
WITHIN = 1.5


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Counts iterations until |x - x*|^2 is TARGET times the first.

    theory: kappa (1 + omega / n) + omega; bound: the paper's, max(2 (1 + omega), (kappa + 1) (1/2 + omega / n)); both
    times log(1 / TARGET)."""
    for condition in CONDITIONS[: 2 if quick else None]:
        problem = conditioned(network.size, SIZE, condition)
        for spec, omega in OMEGAS.items():
            optimizer = diana(problem, network, spec)
            bound = log(1 / TARGET) * max(2 * (1 + omega), (condition + 1) * (1 / 2 + omega / network.size))
            yield {
                "series": spec,
                "condition": condition,
                "omega": omega,
                "iterations": iterations(optimizer, problem.squared_distance, TARGET, ceil(2 * bound)),
                "theory": log(1 / TARGET) * (condition * (1 + omega / network.size) + omega),
                "bound": bound,
            }


def _constant(rows: Sequence[Row]) -> float:
    """What the theory leaves open: the constant that brings the furthest iterations equally near."""
    ratios = [float(row["iterations"]) / float(row["theory"]) for row in rows]
    return sqrt(min(ratios) * max(ratios))


def _judge(rows: Sequence[Row]) -> Verdict:
    constant = _constant(rows)
    off = max(float(row["iterations"]) / float(row["theory"]) for row in rows) / constant
    most = max(float(row["iterations"]) / float(row["bound"]) for row in rows)
    return Verdict(
        f"iterations are {1 / off:.2f} to {off:.2f} times {constant:.2f} (kappa (1 + omega / n) + omega) "
        f"log(1 / {TARGET:.0e}), and at most {most:.2f} times the paper's bound",
        [
            at_most("iterations over the theory's, or the reverse, worst", off, WITHIN),
            at_most("iterations over the paper's bound, worst", most, 1),
        ],
    )


def _table(rows: Sequence[Row]) -> str:
    """Iterations, and in brackets how many times the theory's these are, with the constant."""
    constant, columns = _constant(rows), dict.fromkeys((row["workers"], row["condition"]) for row in rows)
    heads = [f"n = {workers:.0f}, kappa = {condition:.0f}" for workers, condition in columns]
    lines = [f"| compressor | omega | {' | '.join(heads)} |", "|---" * (2 + len(heads)) + "|"]
    for spec, omega in dict.fromkeys((row["series"], row["omega"]) for row in rows):
        cells = [
            f"{row['iterations']:.0f} ({float(row['iterations']) / float(row['theory']) / constant:.2f})"
            for row in rows
            if row["series"] == spec
        ]
        lines.append(f"| `{spec}` | {omega:.2f} | {' | '.join(cells)} |")
    return "\n".join(lines)


RATE = Experiment(
    name="rate",
    claim="DIANA takes (kappa (1 + omega / n) + omega) log(1 / target) iterations, to within a factor of 1.5, with one "
    "constant for all compressors, numbers of workers and condition numbers ([VR-DIANA]), and no more than its paper's "
    "bound ([DIANA] corollary 1).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("theory", "iterations", log="xy"),
    workers=(4, 8, 16),
    table=_table,
)
