"""What a worker sends and receives through a switch, against a ring, and how exact the sum is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dropzero.compressors.compression import Workers, group_of
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most
from dropzero.experiments.trials.measure import Traffic
from dropzero.streams import stream

ELEMENTS = 200_000
BLOCK = 256
HEADERS = 1.1
EQUAL = 1.02
SWITCH, RING = "switch", "ring"


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """bytes up, bytes down: of a worker, over those of its vector. A ring's are 2 (n - 1) / n, without headers.

    error: of the sum in the Euclidean norm, over that of adding in float32, worker by worker.
    """
    group, workers = group_of(network), network.size
    rows = stream(0, "vectors to add").standard_normal((workers, ELEMENTS)).astype(np.float32)
    exact = rows.sum(axis=0, dtype=np.float64)
    traffic = Traffic(network)
    total = group.all_reduce(rows[list(group.ranks)], block=BLOCK)
    counted = traffic.row()
    floats = np.zeros(ELEMENTS, np.float32)
    for row in rows:
        floats += row
    error = float(np.linalg.norm(total - exact) / np.linalg.norm(floats - exact))
    sent: Row = {key: float(counted[key]) / (4 * ELEMENTS) for key in ("bytes up", "bytes down")}
    yield {"series": SWITCH, **sent, "error": error}
    yield {"series": RING, **dict.fromkeys(sent, 2 * (workers - 1) / workers)}


def _judge(rows: Sequence[Row]) -> Verdict:
    switch, ring = ([row for row in rows if row["series"] == series] for series in (SWITCH, RING))
    conditions = []
    for way in ("bytes up", "bytes down"):
        found = [float(row[way]) for row in switch]
        ratios = [each / float(other[way]) for each, other in zip(found, ring, strict=True)]
        conditions += [
            at_most(f"{way} over the vector's, worst", max(found), HEADERS),
            at_most(f"{way}, most over least", max(found) / min(found), EQUAL),
            at_most(f"{way} over a ring's, worst", max(ratios), 1),
        ]
    error = max(float(row["error"]) for row in switch)
    return Verdict(
        "; ".join(
            f"n = {row['workers']:.0f}: {float(row['bytes up']):.3f} times the vector up, "
            f"{float(row['bytes down']):.3f} down, a ring {float(other['bytes up']):.3f}"
            for row, other in zip(switch, ring, strict=True)
        ),
        [*conditions, at_most("error over that of float32, worst", error, 1)],
    )


CONSTANT = Experiment(
    name="constant",
    claim="With aggregation in the switch, a worker sends and receives its vector once, whatever the number of "
    "workers, which is less than with a ring. Integers of 32 bits with an exponent for each block are as accurate as "
    "sums in float32 ([SwitchML]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("workers", "bytes up", log="x"),
    workers=(4, 8, 16, 32),
)
