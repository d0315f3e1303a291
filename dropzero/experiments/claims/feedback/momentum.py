"""Claims over training with momentum on the digits: DGC and gTop-k."""

from __future__ import annotations

from collections.abc import Sequence

from dropzero.experiments.claims.feedback.digits import POINT, STEPS, told, trials
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import final

FACTOR, RATE = 0.9, 0.2
FEW = 0.0013
"""DGC keeps up to 1.3 k."""
SHARE = 0.0101
LEARNED = 0.95
"""The least accuracy of dense training for the comparison to count."""


def _judge_dgc(rows: Sequence[Row]) -> Verdict:
    found, sent = final(rows), final(rows, "sent")
    conditions = [
        at_most("share of the elements that a worker sends", sent["without warm-up"], FEW),
        at_least("accuracy of dense", found["dense"], LEARNED),
        at_most("accuracy below dense", found["dense"] - found["DGC"], POINT),
        at_least("accuracy above top-k with momentum", found["DGC"] - found["top-k, momentum of the sum"], POINT),
        at_least("accuracy above that without warm-up", found["DGC"] - found["without warm-up"], POINT / 2),
    ]
    return Verdict(f"accuracies: {told(found)}", conditions)


DGC = Experiment(
    name="dgc",
    claim="With momentum correction and warm-up, 0.1 % of the elements train as well as dense SGD with momentum "
    "(within a point). Top-k with error feedback and momentum of the sum does not, nor does DGC without warm-up "
    "([DGC]). (Its factor masking is not tested: here, training is as good without it.)",
    trials=trials(
        {
            "dense": "none",
            "DGC": f"dgc(0.001)+momentum({FACTOR})+warmup(0.25,0.0625,0.015625,0.004,every=5)",
            "without warm-up": f"dgc(0.001)+momentum({FACTOR})",
            "top-k, momentum of the sum": "topk(0.001)+ef",
        },
        rate=RATE,
        momentum=FACTOR,
    ),
    verdict=_judge_dgc,
    axes=Axes("step", "accuracy"),
    hosts=8,
)


def _judge_gtopk(rows: Sequence[Row]) -> Verdict:
    found, union, received = final(rows), final(rows, "union"), final(rows, "received")
    conditions = [
        at_least("accuracy of top-k", found["top-k"], LEARNED),
        at_most("share of the elements that a worker receives", received["gTop-k"], SHARE),
        at_most("accuracy below top-k", found["top-k"] - found["gTop-k"], POINT),
        at_most("union of blocks over top-k's", union["gTop-k"] / union["top-k"], 1 / 3),
    ]
    return Verdict(f"accuracies: {told(found)}; unions: {told(union)}", conditions)


GTOPK = Experiment(
    name="gtopk",
    claim="The k largest elements of the sum of the workers' k largest train as well as the sum itself (within a "
    "point) in 30 epochs, and the workers receive k elements instead of up to n k ([gTop-k]).",
    trials=trials({"top-k": "topk(0.01)+ef", "gTop-k": "gtopk(0.01)+ef"}, steps=2 * STEPS, rate=RATE, momentum=FACTOR),
    verdict=_judge_gtopk,
    axes=Axes("step", "union"),
    hosts=8,
)
