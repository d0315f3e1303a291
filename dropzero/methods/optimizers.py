"""Optimizers: estimate the gradients, aggregate them through the network, move. The papers' methods combine these with
estimators and compressors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.compression import Aggregate, Compression
from dropzero.methods.estimators import Difference, Estimator
from dropzero.streams import stream

Vector = NDArray[Any]
Proximal = Callable[[Vector, float], Vector]
"""(x, gamma) -> argmin_u gamma R(u) + |u - x|^2 / 2, for a regularizer R."""


class Optimizer(Protocol):
    """x: the iterate, (d,), the same on every worker."""

    x: Vector

    def step(self) -> Aggregate:
        """Moves x once. Returns what was aggregated for it."""


class Descent:
    """x <- x - gamma v with v <- momentum v + (1 / n) sum_i estimate_i: SGD, optionally with heavy-ball momentum,
    and with a regularizer's proximal step after it, of the length gamma / (1 - momentum).

    Attributes:
        gamma: the step size.
        estimator: of the local workers' gradients.
    """

    def __init__(
        self,
        x: Vector,
        estimator: Estimator,
        compression: Compression,
        workers: int,
        gamma: float,
        momentum: float = 0.0,
        decay: Callable[[int], float] | None = None,
        proximal: Proximal | None = None,
    ) -> None:
        """x: the start, (d,); workers: n; decay: the factor of gamma in step 0, 1, ..., above 0; None: 1."""
        self.x, self.gamma = x, gamma
        self.estimator, self._compression, self._workers = estimator, compression, workers
        self._momentum, self._decay, self._proximal = momentum, decay, proximal
        self._velocity = np.zeros_like(x)
        self._steps = 0

    def step(self) -> Aggregate:
        gamma = self.gamma * (self._decay(self._steps) if self._decay else 1)
        aggregate = self._compression.aggregate(self.estimator.estimate(self.x), rate=gamma)
        self.estimator.learn(aggregate.sent)
        self._steps += 1
        self._move(aggregate.total, gamma)
        return aggregate

    def _move(self, total: Vector, gamma: float) -> None:
        self._velocity = self._momentum * self._velocity + total / self._workers
        self.x = self.x - gamma * self._velocity
        if self._proximal:
            # At rest the velocity is 1 / (1 - momentum) gradients, which the regularizer has to balance.
            self.x = self._proximal(self.x, gamma / (1 - self._momentum))


class Adam(Descent):
    """[Adam] of the mean of the workers' messages: x <- x - gamma m / (sqrt(v) + 1e-8), where m and v are moving
    averages of it and of its square, divided by the sums of their weights."""

    def __init__(
        self,
        x: Vector,
        estimator: Estimator,
        compression: Compression,
        workers: int,
        gamma: float,
        momentum: float = 0.9,
        decay: Callable[[int], float] | None = None,
    ) -> None:
        """momentum: beta 1; the rest is as for Descent."""
        super().__init__(x, estimator, compression, workers, gamma, momentum, decay)
        self._weights, self._averages = (momentum, 0.999), np.zeros((2, len(x)))

    def _move(self, total: Vector, gamma: float) -> None:
        mean = total.astype(np.float64) / self._workers
        for average, weight, value in zip(self._averages, self._weights, (mean, np.square(mean)), strict=True):
            average += (1 - weight) * (value - average)
        m, v = (each / (1 - weight**self._steps) for each, weight in zip(self._averages, self._weights, strict=True))
        self.x = (self.x - gamma * m / (np.sqrt(v) + 1e-8)).astype(self.x.dtype)


class AdamW(Adam):
    """[AdamW] with PyTorch's decay of weights: first x <- (1 - gamma / 100) x."""

    def _move(self, total: Vector, gamma: float) -> None:
        self.x = self.x * self.x.dtype.type(1 - gamma / 100)
        super()._move(total, gamma)


class Marina:
    """x <- x - gamma g. In a share `odds` of the rounds, drawn by one coin for all workers, g is the mean of their
    whole gradients; in the others it changes by the mean of the compressed differences from their last ones ([MARINA]
    algorithm 1). Whole gradients end the errors of g, so it needs neither shifts nor another memory.
    """

    def __init__(
        self,
        x: Vector,
        whole: Estimator,
        difference: Difference,
        exact: Compression,
        compression: Compression,
        workers: int,
        gamma: float,
        odds: float,
        seed: int,
    ) -> None:
        """x: the start, (d,); exact: sums whole gradients; compression: sums differences; workers: n."""
        self.x, self.gamma = x, gamma
        self._last: Vector | None = None
        self._mean = x
        self._whole, self._difference = whole, difference
        self._exact, self._compression, self._workers = exact, compression, workers
        self._odds, self._coin = odds, stream(seed, "whole gradients")

    def step(self) -> Aggregate:
        if self._last is None or self._coin.random() < self._odds:
            aggregate = self._exact.aggregate(self._whole.estimate(self.x))
            self._mean = aggregate.total / self._workers
        else:
            aggregate = self._compression.aggregate(self._difference.estimate(self.x, self._last))
            self._mean = self._mean + aggregate.total / self._workers
        self._last, self.x = self.x, self.x - self.gamma * self._mean
        return aggregate


class Accelerated:
    """Nesterov's method under strong growth ([Growth]): for estimates with a variance of at most
    (growth - 1) |grad f|^2, such as IASGD's where grad f_i(x*) = 0."""

    def __init__(
        self,
        x: Vector,
        estimator: Estimator,
        compression: Compression,
        workers: int,
        smoothness: float,
        convexity: float,
        growth: float,
    ) -> None:
        """x: the start, (d,); workers: n; smoothness: L of f; convexity: mu > 0 of f."""
        self.x = x
        self._far = x
        self._estimator, self._compression, self._workers = estimator, compression, workers
        self._eta = 1 / (growth * smoothness)
        self._beta = 1 - np.sqrt(convexity * self._eta / growth)
        self._reach = 1 / np.sqrt(convexity * self._eta * growth)
        weight = self._reach * convexity * self._eta
        self._mix = weight / (1 + weight)

    def step(self) -> Aggregate:
        y = self._mix * self._far + (1 - self._mix) * self.x
        aggregate = self._compression.aggregate(self._estimator.estimate(y))
        self._estimator.learn(aggregate.sent)
        move = self._eta * aggregate.total / self._workers
        self.x = y - move
        self._far = self._beta * self._far + (1 - self._beta) * y - self._reach * move
        return aggregate
