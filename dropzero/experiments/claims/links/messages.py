"""Quantized messages that every worker gathers, against integers that the switch adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dropzero.compressors.compression import Compression, Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import Traffic
from dropzero.streams import stream

ELEMENTS = 200_000
BITS, SUMMED_BITS = 2, 8
"""Bits of a message's element, and of the sum of up to 64 workers' elements."""
HEADERS, OVERHEAD = 0.2, 1.25
GATHERED, SUMMED, DENSE = "gathered", "added by the switch", "float32, added by the switch"
SPECS = {GATHERED: "terngrad(own)", SUMMED: "terngrad", DENSE: "none"}


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """up, down: bits of an element that a worker sends and receives, headers and scales included."""
    for series, spec in SPECS.items():
        compression, traffic = Compression(spec, network, ELEMENTS), Traffic(network)
        draws = (stream(0, "gathered", rank) for rank in compression.ranks)
        compression.aggregate(np.stack([draw.standard_normal(ELEMENTS, np.float32) for draw in draws]))
        counted = traffic.row()
        bits: Row = {way: 8 * float(counted[f"bytes {way}"]) / ELEMENTS for way in ("up", "down")}
        yield {"series": series, "seconds": counted["seconds"], **bits}


def _judge(rows: Sequence[Row]) -> Verdict:
    told, conditions = [], []
    for workers in dict.fromkeys(float(row["workers"]) for row in rows):
        of = {str(row["series"]): row for row in rows if row["workers"] == workers}
        gathered, summed = (float(of[series]["down"]) for series in (GATHERED, SUMMED))
        at = f"n = {workers:.0f}"
        told.append(f"{at}: {gathered:.1f} and {summed:.1f}")
        others = BITS * (workers - 1)
        conditions += [
            at_least(f"bits gathered over those of the others' messages, {at}", gathered / others, 1 - HEADERS),
            at_most(f"bits of the sum over {SUMMED_BITS}, {at}", summed / SUMMED_BITS, OVERHEAD),
        ]
        if others > SUMMED_BITS * OVERHEAD:
            conditions.append(at_most(f"bits of the sum over those gathered, {at}", summed / gathered, 1))
    return Verdict(f"bits of an element that a worker receives, gathered and as a sum, {'; '.join(told)}", conditions)


MESSAGES = Experiment(
    name="messages",
    claim="Ternary messages with scales of the workers' own have to be gathered: each worker receives 2 bits of an "
    "element from each other worker. Integers at a common scale are added by the switch: it receives 8 bits, whatever "
    "the number of workers. So from 8 workers on a sum takes fewer ([DIANA], [TernGrad]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("workers", "down", log="xy"),
    workers=(4, 8, 16, 32),
    rate=100.0,
)
