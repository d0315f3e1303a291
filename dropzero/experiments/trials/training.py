"""Trains with a compression spec, and measures it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from statistics import fmean

import numpy as np

from dropzero.compressors.compression import Compression, Workers
from dropzero.experiments.trials.experiment import Row
from dropzero.experiments.trials.measure import Traffic
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Adam, Descent
from dropzero.problems.tasks import Task, task

BLOCK = 32
"""Elements of the blocks whose union is reported: the smallest that packets carry."""

SEEN = 1400
"""All training images of the digits."""

load = cache(task)


def train(
    series: str,
    network: Workers,
    spec: str,
    *,
    task: Task,
    steps: int,
    batch: int,
    rate: float,
    momentum: float = 0.0,
    decay: Callable[[int], float] | None = None,
    seed: int = 0,
    points: int = 15,
    method: type[Adam | Descent] = Descent,
) -> Iterator[Row]:
    """Trains for `steps` steps. Yields rows at about `points` of them.

    accuracy, held-out loss: on the held-out examples; loss: on the first SEEN of the training examples; sent: the mean
    fraction of its elements that a worker sent so far; received: that of the sum that is not zero; union: the mean
    fraction of blocks that the switch sent back; and the traffic.
    """
    compression = Compression(spec, network, task.model.size, seed=seed)
    estimator = Training(task, compression.ranks, network.size, batch, seed)
    optimizer = method(task.model.initial(seed), estimator, compression, network.size, rate, momentum, decay)
    traffic, shares, received, unions, seen = Traffic(network), [], [], [], task.training[:SEEN]
    for step in range(1, steps + 1):
        aggregate = optimizer.step()
        shares.append(np.count_nonzero(aggregate.sent) / aggregate.sent.size)
        received.append(np.count_nonzero(aggregate.total) / aggregate.total.size)
        blocks = np.pad(aggregate.total, (0, -len(aggregate.total) % BLOCK)).reshape(-1, BLOCK)
        unions.append(float(blocks.any(axis=1).mean()))
        if step == steps or step % max(1, steps // points) == 0:
            yield {
                "series": series,
                "spec": spec,
                "seed": seed,
                "step": step,
                "accuracy": task.model.accuracy(optimizer.x, task.held_out.images, task.held_out.labels),
                "loss": task.model.loss(optimizer.x, seen.images, seen.labels),
                "held-out loss": task.model.loss(optimizer.x, task.held_out.images, task.held_out.labels),
                "sent": fmean(shares),
                "received": fmean(received),
                "union": fmean(unions),
                **traffic.row(),
            }
