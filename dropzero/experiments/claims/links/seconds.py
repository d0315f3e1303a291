"""Seconds until a transformer has learned, on slow links: fixed compressions, and one that chooses what it sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from dropzero.compressors.compression import Compression, Workers, group_of
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_most
from dropzero.experiments.trials.measure import Traffic
from dropzero.experiments.trials.training import load
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Descent

TARGET = 2.55
"""Nats a character, of held-out text."""
LIMIT = 1000
EVERY = 10
"""Steps between two evaluations, whose time does not count."""
SEEDS = 5
SLACK = 1.1
DENSE, TUNED = "dense", "tuned"
SCHEMES = {
    DENSE: "none",
    "blocks, 10 %": "topk(0.1,block=32)+ef",
    "blocks, 10 %, 8 bits": "topk(0.1,block=128)+ef+fixed8",
    "GaussianK, 1 %": "gaussiank(0.01)+ef",
    "DIANA": "qsgd(7,bucket=128)+diana",
    TUNED: "blockcat+ef+fixed8",
}


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    for seed in range(1 if quick else SEEDS):
        for series, spec in SCHEMES.items():
            yield until(series, spec, network, seed)


def until(series: str, spec: str, network: Workers, seed: int) -> Row:
    """Trains until the held-out loss is TARGET. seconds: until then; `seconds so far` if it is not after LIMIT steps.
    In one process they are those of the network alone, by its model; on the rack everything counts that a step does."""
    task, group = load("characters"), group_of(network)
    compression = Compression(spec, network, task.model.named_parameters, seed=seed)
    estimator = Training(task, compression.ranks, network.size, task.batch, seed)
    optimizer = Descent(task.model.initial(seed), estimator, compression, network.size, task.learning_rate)
    traffic, seconds, step, loss = Traffic(network), 0.0, 0, np.inf
    while loss > TARGET and step < LIMIT:
        start = group.seconds
        for _ in range(EVERY):
            optimizer.step()
        seconds += group.seconds - start
        step += EVERY
        loss = task.model.loss(optimizer.x, task.held_out.images, task.held_out.labels)
    row = traffic.row() | {"series": series, "spec": spec, "seed": seed, "step": step, "held-out loss": loss}
    del row["seconds"]
    return row | {"seconds" if loss <= TARGET else "seconds so far": seconds}


def seconds(row: Row, own: str) -> float:
    """The seconds of a run of `until`. One that was given up would have taken longer: a lower bound, but a failure of
    the series `own`."""
    return float(row.get("seconds", np.inf if row["series"] == own else row.get("seconds so far", np.inf)))


def _judge(rows: Sequence[Row]) -> Verdict:
    taken: dict[str, dict[float, float]] = {}
    for row in rows:
        taken.setdefault(str(row["series"]), {})[float(row["seed"])] = seconds(row, TUNED)
    own = taken.pop(TUNED)
    best = min(taken, key=lambda series: median(taken[series].values()))

    def against(series: str) -> list[float]:
        return [own[seed] / each for seed, each in taken[series].items()]

    told = [
        f"{series} {median(each.values()):.2f} s ({min(each.values()):.2f} to {max(each.values()):.2f})"
        for series, each in {TUNED: own, **taken}.items()
    ]
    ratios, dense = against(best), against(DENSE)
    return Verdict(
        f"until {TARGET} nats: {', '.join(told)}; the tuned one takes {median(ratios):.2f} times as long as the best "
        f"fixed one, {best} ({min(ratios):.2f} to {max(ratios):.2f} with one seed), and {median(dense):.2f} times "
        f"as long as dense ({min(dense):.2f} to {max(dense):.2f})",
        [
            at_most("seconds over the best fixed one's, median of the seeds", median(ratios), SLACK),
            at_most("seconds over dense's, median of the seeds", median(dense), 1),
        ],
    )


SECONDS = Experiment(
    name="seconds",
    claim="A worker that chooses in each step how many blocks to send, by what they cost on this network and by how "
    "much of the gradient they hold, trains a transformer on links of 100 Mbit/s in at most 1.1 times the seconds of "
    "the best fixed compression in hindsight, and no slower than dense ([CAT]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("workers", "seconds", bars=True),
    workers=(4,),
    rate=100.0,
)
