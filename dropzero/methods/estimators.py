"""Estimators of the gradient of each worker's own f_i.

Each returns one row for each local worker. A worker's draws depend only on the seed and its rank, so k workers in one
process draw the same numbers as in separate processes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.problems.linear import Array, Rows, Shards
from dropzero.problems.tasks import Task
from dropzero.streams import stream


class Estimator(ABC):
    @abstractmethod
    def estimate(self, x: Any, /) -> NDArray[Any]:
        """Estimates (k, d) of the f_i's gradients at `x` (d,), in its type."""

    def learn(self, sent: NDArray[Any], /) -> None:  # noqa: B027 - most learn nothing from it
        """Learns which part of the last estimates was sent, shape (k, d)."""


class Full(Estimator):
    """The gradient itself."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards

    def estimate(self, x: Array) -> Array:
        return self._shards.gradients(x)


class Minibatch(Estimator):
    """The mean over `batch` samples, drawn with replacement: unbiased, with a variance that does not vanish."""

    def __init__(self, shards: Shards, batch: int = 1, seed: int = 0) -> None:
        self._shards, self._draw = shards, _Draw(shards, batch, seed)

    def estimate(self, x: Array) -> Array:
        mean: Array = self._shards.sample_gradients(x, self._draw()).mean(axis=1)
        return mean


class Svrg(Estimator):
    """Loopless SVRG ([SVRG], [L-SVRG]): grad f_ij(x) - grad f_ij(w) + grad f_i(w).

    One coin for all workers moves w to x, with probability 1 / m. The variance vanishes as x and w approach x*.
    """

    def __init__(self, shards: Shards, seed: int = 0) -> None:
        self._shards, self._draw = shards, _Draw(shards, 1, seed)
        self._coin = stream(seed, "anchor")
        self._anchor: Array | None = None

    def estimate(self, x: Array) -> Array:
        shards = self._shards
        if self._anchor is None or self._coin.random() < 1 / shards.samples:
            self._anchor, self._full = x.copy(), shards.gradients(x)
        rows = self._draw()
        difference = shards.sample_gradients(x, rows) - shards.sample_gradients(self._anchor, rows)
        return difference[:, 0] + self._full


class Difference:
    """grad f_i(x) - grad f_i(w) at two points: of all samples, or the mean over the same `batch` of each worker's,
    drawn with replacement."""

    def __init__(self, shards: Shards, batch: int | None, seed: int) -> None:
        self._shards, self._draw = shards, _Draw(shards, batch, seed) if batch else None

    def estimate(self, x: Array, w: Array) -> Array:
        shards = self._shards
        if not self._draw:
            return shards.gradients(x) - shards.gradients(w)
        rows = self._draw()
        mean: Array = (shards.sample_gradients(x, rows) - shards.sample_gradients(w, rows)).mean(axis=1)
        return mean


class Saga(Estimator):
    """[SAGA]: grad f_ij(x) - a_ij + mean_j a_ij, and then a_ij becomes grad f_ij(x)."""

    def __init__(self, shards: Shards, seed: int = 0) -> None:
        """The table a_ij, (k, m, d), starts with the gradients at 0."""
        self._shards, self._draw = shards, _Draw(shards, 1, seed)
        every = np.tile(np.arange(shards.samples), (shards.workers, 1))
        self.table = shards.sample_gradients(np.zeros(shards.size), every)
        self._mean = self.table.mean(axis=1)
        self._workers = np.arange(shards.workers)

    def estimate(self, x: Array) -> Array:
        self._rows = self._draw()[:, 0]
        self._fresh = self._shards.sample_gradients(x, self._rows[:, None])[:, 0]
        estimates: Array = self._fresh - self.table[self._workers, self._rows] + self._mean
        return estimates

    def learn(self, sent: NDArray[Any]) -> None:
        self._store(np.ones(sent.shape, bool))

    def _store(self, kept: NDArray[np.bool_]) -> None:
        old = self.table[self._workers, self._rows]
        new = np.where(kept, self._fresh, old)
        self._mean += (new - old) / self._shards.samples
        self.table[self._workers, self._rows] = new


class PartialSaga(Saga):
    """SAGA of ISAGA ([IBGD]): only the sent part of the gradient is stored in the table."""

    def learn(self, sent: NDArray[Any]) -> None:
        self._store(sent != 0)


class Training(Estimator):
    """Minibatches of a task, float32: `batch` distinct examples of each worker's own share."""

    def __init__(self, task: Task, ranks: Sequence[int], workers: int, batch: int, seed: int = 0) -> None:
        """Raises ValueError when a worker has fewer than `batch` examples."""
        self._model = task.model
        self._shards = [task.training.shard(rank, workers) for rank in ranks]
        if batch > len(self._shards[0]):
            raise ValueError(f"batch of {batch} examples, but each of {workers} workers has {len(self._shards[0])}")
        self._generators = [stream(seed, "minibatches", rank) for rank in ranks]
        self._batch = batch

    def estimate(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        rows = np.empty((len(self._shards), len(x)), np.float32)
        for row, shard, draw in zip(rows, self._shards, self._generators, strict=True):
            batch = shard[draw.choice(len(shard), self._batch, replace=False)]
            _, row[:] = self._model.loss_and_gradient(x, batch.images, batch.labels)
        return rows


class _Draw:
    """Draws indices of samples, (k, b), with a generator for each worker."""

    def __init__(self, shards: Shards, batch: int, seed: int) -> None:
        self._generators = [stream(seed, "samples", rank) for rank in shards.ranks]
        self._samples, self._batch = shards.samples, batch

    def __call__(self) -> Rows:
        return np.array([each.integers(self._samples, size=self._batch) for each in self._generators])
