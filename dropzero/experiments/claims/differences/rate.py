"""DIANA's iterations and longest steps against its theory: compressors x numbers of workers x condition numbers.

Iterations with the paper's step follow from that step alone, whatever is compressed. So steps are tuned here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import log, sqrt

from dropzero.compressors.compression import Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import tuned
from dropzero.methods.catalogue import diana
from dropzero.problems.data import conditioned

SIZE = 32
CONDITIONS = (10, 30)
NONE, MOST = "none", "randk(0.0625)"
OMEGAS = {
    NONE: 0.0,
    "quant(inf)": (sqrt(SIZE) - 1) / 2,
    "randk(0.25)": 4 - 1,
    "quant(2)": sqrt(SIZE) - 1,
    MOST: 16 - 1,
}
"""omega by the papers' formulas. That of random elements is exact, that of quantizers the worst of all vectors."""
TARGET = 1e-8
FACTOR = sqrt(2)
"""Between two steps."""
WITHIN, LONGEST, SLOWER, FEWER = 2, 5, 3, 1.2


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Counts iterations until |x - x*|^2 is TARGET times the first, with the paper's step and with the best.

    theory: kappa (1 + omega / n) + omega; bound: the paper's, max(2 (1 + omega), (kappa + 1) (1/2 + omega / n)); both
    times log(1 / TARGET). longest: the longest step with which it arrives, over the paper's."""
    for condition in CONDITIONS:
        problem = conditioned(network.size, SIZE, condition)
        for spec, omega in OMEGAS.items():
            bound = log(1 / TARGET) * max(2 * (1 + omega), (condition + 1) * (1 / 2 + omega / network.size))
            method = partial(diana, problem, network, spec)
            found = tuned(method, problem.squared_distance, TARGET, limit=2 * bound, factor=FACTOR)
            yield {
                "series": spec,
                "condition": condition,
                "omega": omega,
                "iterations": found.best,
                "paper step": found.paper,
                "longest": found.most,
                "theory": log(1 / TARGET) * (condition * (1 + omega / network.size) + omega),
                "bound": bound,
            }


def _ratio(row: Row) -> float:
    return float(row["iterations"]) / float(row["theory"])


def _constant(rows: Sequence[Row]) -> float:
    """What the theory leaves open: the constant that brings the furthest iterations of random elements equally near."""
    ratios = [_ratio(row) for row in rows if not str(row["series"]).startswith("quant")]
    return sqrt(min(ratios) * max(ratios))


def _judge(rows: Sequence[Row]) -> Verdict:
    constant, most = _constant(rows), max(float(row["paper step"]) / float(row["bound"]) for row in rows)
    off = max(_ratio(row) for row in rows if not str(row["series"]).startswith("quant")) / constant
    longest = max(float(row["longest"]) for row in rows)
    best = {(row["series"], row["workers"], row["condition"]): float(row["iterations"]) for row in rows}
    few, many = (pick(float(row["workers"]) for row in rows) for pick in (min, max))
    kappas = dict.fromkeys(row["condition"] for row in rows)
    slower = min(best[MOST, few, each] / best[NONE, few, each] for each in kappas)
    conditions = [
        at_most("iterations with the paper's step over its bound, worst", most, 1),
        at_most("random elements' iterations over the theory's, or the reverse, worst", off, WITHIN),
        at_most("quantizers' iterations over the theory's, worst", max(map(_ratio, rows)) / constant, WITHIN),
        at_most("the longest step that arrives over the paper's, most", longest, LONGEST),
        at_least(f"iterations of {MOST} over uncompressed, n = {few:.0f}", slower, SLOWER),
    ]
    if many > few:
        fewer = [best[MOST, few, each] / best[MOST, many, each] for each in kappas]
        conditions.append(at_least(f"iterations of {MOST}, n = {few:.0f} over n = {many:.0f}", min(fewer), FEWER))
    return Verdict(
        f"with the best steps, iterations with random elements are {1 / off:.2f} to {off:.2f} times {constant:.2f} "
        f"(kappa (1 + omega / n) + omega) log(1 / {TARGET:.0e}), {MOST} takes at least {slower:.1f} times those "
        f"without compression, and no step above {longest:.1f} times the paper's arrives; with the paper's steps they "
        f"are at most {most:.2f} times its bound",
        conditions,
    )


def _table(rows: Sequence[Row]) -> str:
    """Iterations with the best step, and in brackets with the paper's."""
    columns = dict.fromkeys((row["workers"], row["condition"]) for row in rows)
    heads = [f"n = {workers:.0f}, kappa = {condition:.0f}" for workers, condition in columns]
    lines = [f"| compressor | omega | {' | '.join(heads)} |", "|---" * (2 + len(heads)) + "|"]
    for spec, omega in dict.fromkeys((row["series"], row["omega"]) for row in rows):
        cells = [f"{row['iterations']:.0f} ({row['paper step']:.0f})" for row in rows if row["series"] == spec]
        lines.append(f"| `{spec}` | {omega:.2f} | {' | '.join(cells)} |")
    return "\n".join(lines)


RATE = Experiment(
    name="rate",
    claim="With its paper's steps DIANA takes no more iterations than its bound ([DIANA] corollary 1), and with steps "
    "more than five times as long it does not arrive. With the best steps and random elements, it takes (kappa (1 + "
    "omega / n) + omega) log(1 / target) iterations, to within a factor of 2, with one constant for all omega, numbers "
    "of workers and condition numbers ([VR-DIANA]); quantizers, whose omega is that of the worst vector, take no more.",
    trials=_trials,
    verdict=_judge,
    axes=Axes("theory", "iterations", log="xy"),
    workers=(4, 16),
    table=_table,
)
