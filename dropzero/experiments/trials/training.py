"""Trains with a compression spec, and measures it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from statistics import fmean

import numpy as np

from dropzero.compressors.compression import Compression, Workers
from dropzero.experiments.trials.experiment import Row
from dropzero.experiments.trials.measure import Traffic
from dropzero.methods.estimators import Training
from dropzero.methods.optimizers import Descent
from dropzero.problems.tasks import Task, task

BLOCK = 32
"""Elements of the blocks whose union is reported: the smallest that packets carry."""

QUICK_POINTS = 2
"""Rows of a training in a quick run: those between only draw its curve."""

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
    method: type[Descent] = Descent,
) -> Iterator[Row]:
    """Trains for `steps` steps. Yields rows at about `points` of them.

    accuracy, held-out loss: on the held-out examples; sent: the mean fraction of its elements that a worker sent so
    far; received: that of the sum that is not zero; union: the mean fraction of blocks that the switch sent back; and
    the traffic.
    """
    compression = Compression(spec, network, task.model.named_parameters, seed=seed)
    estimator = Training(task, compression.ranks, network.size, batch, seed)
    optimizer = method(task.model.initial(seed), estimator, compression, network.size, rate, momentum, decay)
    traffic, shares, received, unions = Traffic(network), [], [], []
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
                "held-out loss": task.model.loss(optimizer.x, task.held_out.images, task.held_out.labels),
                "sent": fmean(shares),
                "received": fmean(received),
                "union": fmean(unions),
                **traffic.row(),
            }


def trainings(
    schemes: Mapping[str, str],
    kind: str = "mlp",
    *,
    steps: int,
    quick: int | None = None,
    seeds: int = 1,
    examples: int | None = None,
    rate: float | None = None,
    momentum: float = 0.0,
    falls: bool = False,
    points: int = 15,
    method: type[Descent] = Descent,
) -> Callable[[Workers, bool], Iterator[Row]]:
    """The trials of an experiment: trains a task with each scheme (series -> spec), all with the same seeds.

    quick: steps of a quick run, which has one seed; None: as many. examples: of a step, over all workers. rate: the
    step size. examples, rate: None: the task's. momentum: of the sum, where the workers do not correct theirs. falls:
    the step sizes fall to 0."""

    def run(network: Workers, quickly: bool) -> Iterator[Row]:
        task, last = load(kind), quick if quickly and quick else steps
        for series, spec in schemes.items():
            for seed in range(1 if quickly else seeds):
                yield from train(
                    series,
                    network,
                    spec,
                    task=task,
                    steps=last,
                    batch=examples // network.size if examples else task.batch,
                    rate=task.learning_rate if rate is None else rate,
                    momentum=0.0 if "+momentum" in spec else momentum,
                    decay=(lambda step: 1 - step / last) if falls else None,
                    seed=seed,
                    points=min(points, QUICK_POINTS) if quickly else points,
                    method=method,
                )

    return run
