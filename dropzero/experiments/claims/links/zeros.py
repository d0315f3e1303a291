"""Gradients with blocks that are zero by themselves, and what a switch that skips them saves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from dropzero.compressors.compression import Compression, Workers
from dropzero.experiments.trials.experiment import Axes, Experiment, Row, Verdict, at_least, at_most
from dropzero.experiments.trials.measure import Traffic
from dropzero.experiments.trials.training import BLOCK
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Descent
from dropzero.problems import words
from dropzero.problems.digits import Examples
from dropzero.problems.tasks import Task, task

SELDOM = (80, 20, 5)
"""How often a word occurs at least, for models from small to large."""
BATCHES = (16, 64, 256)
STEPS = 5
LARGER = (64, 128, 256)
"""Other block sizes."""
FEW, FULL, HEADERS, COARSE = 1 / 4, 0.9, 0.2, 2


def _trials(network: Workers, quick: bool) -> Iterator[Row]:
    """Trains embeddings of words without any compression, and a transformer, which has hardly any such blocks.

    held: the mean share of its blocks that a worker holds; union: the share that any worker holds.
    union, blocks of B: the same for other block sizes.
    dense: a gradient of that size without zeros. up, down: its bytes over those of dense.
    """
    for seldom in SELDOM:
        vocabulary, pairs, labels = words.text(seldom)
        examples, model = Examples(pairs, labels), words.Words(vocabulary)
        for batch in BATCHES:
            small = Task(model, examples, examples[:1], 1.0, batch)
            yield {"series": f"batch {batch}", "batch": batch, **_measured(small, network, batch)}
    yield {"series": "transformer", **_measured(task("characters"), network, 1)}


def _measured(task: Task, network: Workers, batch: int) -> Row:
    size = task.model.size
    compression = Compression("none", network, size)
    estimator = Training(task, compression.ranks, network.size, batch)
    optimizer = Descent(task.model.initial(0), estimator, compression, network.size, task.learning_rate)
    held, totals, traffic = [], [], Traffic(network)
    for _ in range(STEPS):
        aggregate = optimizer.step()
        held.append(_share(aggregate.sent))
        totals.append(aggregate.total)
    sparse, traffic = traffic.row(), Traffic(network)
    for _ in range(STEPS):
        compression.aggregate(np.ones((len(compression.ranks), size), np.float32))
    dense = traffic.row()
    ratios: Row = {way: float(sparse[f"bytes {way}"]) / float(dense[f"bytes {way}"]) for way in ("up", "down")}
    unions: Row = {f"union, blocks of {block}": _share(np.array(totals), block) for block in LARGER}
    return {"elements": size, "held": float(np.mean(held)), "union": _share(np.array(totals)), **unions, **ratios}


def _share(rows: np.ndarray[tuple[int, ...], np.dtype[np.floating]], block: int = BLOCK) -> float:
    """The share of the blocks that are not zero."""
    blocks = np.pad(rows, ((0, 0), (0, -rows.shape[1] % block))).reshape(len(rows), -1, block)
    return float(blocks.any(axis=2).mean())


def _judge(rows: Sequence[Row]) -> Verdict:
    sparse, others = ([row for row in rows if ("batch" in row) is held] for held in (True, False))
    by_size, by_batch = (_groups(sparse, key) for key in ("elements", "batch"))
    most, least = max(float(row["elements"]) for row in sparse), min(float(row["batch"]) for row in sparse)
    best = [row for row in sparse if row["elements"] == most and row["batch"] == least]
    union, up, down = (max(float(row[key]) for row in best) for key in ("union", "up", "down"))
    headers = max(float(row[way]) - float(row[of]) for row in sparse for way, of in (("up", "held"), ("down", "union")))
    full = min(float(row["union"]) for row in others)
    coarse = min(float(row[f"union, blocks of {LARGER[-1]}"]) / float(row["union"]) for row in best)
    return Verdict(
        f"embeddings of {most:,.0f} elements, {least:.0f} examples a worker: at most {100 * union:.0f} % of blocks are "
        f"not zero, and take {up:.2f} of dense's bytes up and {down:.2f} down; of blocks of {LARGER[-1]} at least "
        f"{coarse:.1f} times that share are not zero; of a transformer {100 * full:.0f} % are not",
        [
            at_most("bytes up over dense's, largest model and smallest batch", up, FEW),
            at_most("bytes down over dense's, largest model and smallest batch", down, FEW),
            at_most("share of blocks over that in the next smaller model, worst", max(_growth(by_batch)), 1),
            at_most("share of blocks over that with the next larger batch, worst", 1 / min(_growth(by_size)), 1),
            at_most("share of dense's bytes above that of its blocks, worst", headers, HEADERS),
            at_least(f"share of blocks of {LARGER[-1]} over that of {BLOCK}, least", coarse, COARSE),
            at_least("share of a transformer's blocks that are not zero", full, FULL),
        ],
    )


def _groups(rows: Sequence[Row], key: str) -> list[list[Row]]:
    """The rows with equal `key` and number of workers."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["workers"], row[key]), []).append(row)
    return list(groups.values())


def _growth(groups: Sequence[Sequence[Row]]) -> list[float]:
    """The factors from the union of one row to that of the next."""
    return [float(after["union"]) / float(before["union"]) for rows in groups for before, after in pairwise(rows)]


ZEROS = Experiment(
    name="zeros",
    claim="Gradients of embeddings have zero blocks without any compression, the more the larger the model and the "
    "smaller the batch. A sum that skips them takes the share of the other blocks of a dense sum's bytes, plus "
    "headers. Fewer of the larger blocks are zero. Gradients of a transformer on characters have hardly any "
    "([OmniReduce]).",
    trials=_trials,
    verdict=_judge,
    axes=Axes("elements", "union", log="x"),
    workers=(2, 4, 8),
)
