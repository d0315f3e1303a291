"""A transformer that predicts characters, trained with top-k and error feedback."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from statistics import fmean, median

from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import ends, last
from dropzero.experiments.trials.training import trainings
from dropzero.problems.transformer import SYMBOLS

STEPS, QUICK_STEPS = 1600, 400
SEEDS = 5
SENT = 0.0101
NEAR = 0.02
"""Nats."""
LEARNED = 0.8
"""0.85 is that of the frequencies of characters."""
DENSE, FEEDBACK, PLAIN = "dense", "top 1 %, EF", "top 1 %"
SCHEMES = {DENSE: "none", FEEDBACK: "topk(0.01)+ef", PLAIN: "topk(0.01)"}


def _judge(rows: Sequence[Row]) -> Verdict:
    losses = ends(rows, "held-out loss")
    dense, kept, lost = (losses[series] for series in (DENSE, FEEDBACK, PLAIN))
    above = [kept[seed] - dense[seed] for seed in dense]
    without = [lost[seed] - dense[seed] for seed in dense]
    return Verdict(
        f"dense ends at {fmean(dense.values()):.3f} nats a character, the top 1 % with error feedback "
        f"{median(above):+.3f} ({min(above):+.3f} to {max(above):+.3f}), without it {median(without):+.3f}",
        [
            at_most("share of its elements that a worker sends", last(rows, FEEDBACK, "sent"), SENT),
            at_most("nats above dense, median of the seeds", median(above), NEAR),
            at_least("nats above dense without EF, median of the seeds", median(without), NEAR),
            at_most("nats of dense over those of guessing", fmean(dense.values()) / log(len(SYMBOLS)), LEARNED),
        ],
    )


TRANSFORMER = Experiment(
    name="transformer",
    claim="A transformer that predicts characters learns as much from the top 1 % of its gradients with error feedback "
    "as from all of them, to within 0.02 nats after the same number of steps. Without error feedback it does not "
    "([GaussianK], [DGC]).",
    trials=trainings(SCHEMES, "characters", steps=STEPS, quick=QUICK_STEPS, seeds=SEEDS, falls=True, points=8),
    verdict=_judge,
    axes=Axes("step", "held-out loss"),
    workers=(4,),
)
