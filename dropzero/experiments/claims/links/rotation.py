"""Rotated integers of few bits: their error, and the seconds that they save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from dropzero.compressors.compression import Compression, Workers, group_of
from dropzero.compressors.vectors import Rows
from dropzero.experiments.claims.links.seconds import DENSE, SEEDS, TARGET, seconds, until
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import Traffic
from dropzero.experiments.trials.training import load
from dropzero.methods.estimators import Training
from dropzero.streams import stream

DRAWS = 5
THC, QSGD, TERNGRAD = "THC", "QSGD", "TernGrad"
TRANSFORMER, HEAVY = "transformer", "log-normal"
BITS = (2, 3, 4, 5, 6)
FEW = 4
"""The bits that TernGrad is compared with."""
AGAINST_QSGD, AGAINST_TERNGRAD = 1 / 4, 1 / 20
NEAR = 1.03
"""The most bytes over those of the other; THC fills its last bucket with zeros."""
FASTER, SENT = 1.3, 0.3


def _vectors(network: Workers) -> Iterator[tuple[str, Rows]]:
    """Gradients of a transformer at its start, each worker's of a minibatch of its own; and log-normal numbers with
    random signs, all workers' times noise of each."""
    task, ranks = load("characters"), group_of(network).ranks
    yield TRANSFORMER, Training(task, ranks, network.size, task.batch).estimate(task.model.initial(0))
    draw = stream(0, HEAVY)
    common = draw.lognormal(size=task.model.size) * draw.choice([-1, 1], task.model.size)
    noise = np.array([stream(0, HEAVY, rank).standard_normal(task.model.size) for rank in ranks])
    yield HEAVY, (common * (1 + noise / 2)).astype(np.float32)


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """nmse: the squared error of the sum over the squared norm of the exact one, on average over DRAWS sums."""
    for vectors, rows in _vectors(network):
        exact = Compression("none", network, rows.shape[1]).aggregate(rows).total.astype(np.float64)
        for bits in BITS:
            levels = (1 << (bits - 1)) - 1
            for series, spec in {THC: f"thc({bits})", QSGD: f"qsgd({levels})", TERNGRAD: "terngrad"}.items():
                compression, traffic = Compression(spec, network, rows.shape[1]), Traffic(network)
                errors = [np.square(compression.aggregate(rows).total - exact).sum() for _ in range(DRAWS)]
                nmse = float(np.mean(errors) / np.square(exact).sum())
                yield {"series": f"{series}, {vectors}", "bits": bits, "nmse": nmse, **traffic.row()}


def _judge(rows: Sequence[Row]) -> Verdict:
    def over(measure: str, other: Sequence[Row]) -> list[float]:
        """THC's over another's."""
        return [
            float(own[measure]) / max(1e-300, float(each[measure])) for own, each in zip(rows[::3], other, strict=True)
        ]

    qsgd, terngrad, few = rows[1::3], rows[2::3], [row["bits"] == FEW for row in rows[::3]]
    ternary, ternary_bytes = (
        [each for each, chosen in zip(over(measure, terngrad), few, strict=True) if chosen]
        for measure in ("nmse", "bytes up")
    )
    by_workers: dict[object, dict[float, float]] = {}
    for row in rows[::3]:
        by_workers.setdefault((row["series"], row["bits"]), {})[float(row["workers"])] = float(row["nmse"])
    # A rack has one number of workers.
    fall = [each[max(each)] / each[min(each)] for each in by_workers.values() if len(each) > 1]
    more = [at_most("NMSE with the most workers over that with the fewest, worst", max(fall), 1)] if fall else []
    ratios = over("nmse", qsgd)
    return Verdict(
        f"NMSE {min(ratios):.3f} to {max(ratios):.3f} times QSGD's, with {FEW} bits {min(ternary):.4f} to "
        f"{max(ternary):.4f} times TernGrad's",
        [
            at_most("NMSE over QSGD's with as many values, worst", max(ratios), AGAINST_QSGD),
            at_most(f"NMSE of {FEW} bits over TernGrad's, worst", max(ternary), AGAINST_TERNGRAD),
            at_most("bytes up over theirs, worst", max(*over("bytes up", qsgd), *ternary_bytes), NEAR),
            *more,
        ],
    )


ROTATION = Experiment(
    name="thc",
    claim="After a random rotation, integers of 2 to 6 bits with a scale common to all workers have at most a quarter "
    "of the squared error of QSGD's with as many values, and with 4 bits at most a twentieth of TernGrad's, in as many "
    "bytes (within 3 %). More workers do not make it worse ([THC]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("bits", "nmse", log="y"),
    workers=(4, 16),
)


def _until(network: Workers, quick: bool) -> Iterator[Row]:
    for seed in range(1 if quick else SEEDS):
        for series, spec in {DENSE: "none", THC: f"thc({FEW})+ef"}.items():
            yield until(series, spec, network, seed)


def _judge_seconds(rows: Sequence[Row]) -> Verdict:
    times = [seconds(row, THC) for row in rows]
    faster = [dense / own for dense, own in zip(times[::2], times[1::2], strict=True)]
    each = [float(row["bytes up"]) / float(row["step"]) for row in rows]
    sent = [own / dense for dense, own in zip(each[::2], each[1::2], strict=True)]
    return Verdict(
        f"until {TARGET} nats dense takes {median(times[::2]):.2f} s and THC {median(times[1::2]):.2f} s, "
        f"{median(faster):.2f} times less ({min(faster):.2f} to {max(faster):.2f} with one seed)",
        [
            at_least("dense's seconds over THC's, median of the seeds", median(faster), FASTER),
            at_most("bytes up in a step over dense's, most", max(sent), SENT),
        ],
    )


ROTATION_SECONDS = Experiment(
    name="thc-seconds",
    claim="On links of 100 Mbit/s a transformer learns from rotated integers of 4 bits, added in 8 bits, at least 1.3 "
    "times faster than from float32, with at most 0.3 of the bytes ([THC]).",
    trials=_until,
    verdict=_judge_seconds,
    axes=Axes("workers", "seconds", bars=True),
    workers=(4,),
    rate=100.0,
)
