"""Convex finite sums over linear models, with known constants and optimum, to check theory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


class Linear(ABC):
    """f(x) = mean_i f_i(x) over n workers, f_i(x) = mean_j f_ij(x) over m samples each, all float64, with

    f_ij(x) = curve(a_ij . x, b_ij) + (penalty / 2) |x|^2.

    Attributes:
        features: (n, m, d), the a_ij.
        targets: (n, m), the b_ij.
        penalty: of the square of x.
    """

    curvature: float
    """The largest second derivative of the curve."""

    def __init__(self, features: Array, targets: Array, penalty: float = 0.0) -> None:
        """Raises ValueError for shapes that do not fit or a negative penalty."""
        if features.ndim != 3 or targets.shape != features.shape[:2]:
            raise ValueError(
                f"features must have shape (n, m, d) and targets (n, m), not {features.shape} and {targets.shape}"
            )
        if penalty < 0:
            raise ValueError(f"a penalty must not be negative: {penalty}")
        self.features, self.targets, self.penalty = features, targets, penalty
        self.workers, self.samples, self.size = features.shape

    @abstractmethod
    def curve(self, margins: Array, targets: Array) -> Array:
        """The losses of the predictions `margins`."""

    @abstractmethod
    def slope(self, margins: Array, targets: Array) -> Array:
        """Their first derivatives."""

    @abstractmethod
    def bend(self, margins: Array, targets: Array) -> Array:
        """Their second derivatives."""

    def shards(self, ranks: Sequence[int]) -> Shards:
        """The parts of these workers."""
        return Shards(self, ranks)

    def loss(self, x: Array) -> float:
        """f(x); `x`: (d,)."""
        return float(self.curve(self.features @ x, self.targets).mean() + self.penalty / 2 * (x @ x))

    def gradient(self, x: Array) -> Array:
        """f's gradient at `x`, (d,)."""
        slopes = self.slope(self.features @ x, self.targets)
        gradient: Array = np.tensordot(slopes, self.features, 2) / slopes.size + self.penalty * x
        return gradient

    def hessian(self, x: Array) -> Array:
        """f's second derivatives at `x`, (d, d)."""
        rows = self.features.reshape(-1, self.size)
        bends = self.bend(rows @ x, self.targets.reshape(-1))
        return (rows.T * bends) @ rows / len(rows) + self.penalty * np.eye(self.size)

    def gap(self, x: Array) -> float:
        """f(x) - f(x*), at least 0; rounding hides gaps below about 1e-16 f(x*)."""
        return max(self.loss(x) - self._least, 0.0)

    def squared_distance(self, x: Array) -> float:
        """|x - x*|^2."""
        return float(np.square(x - self.optimum).sum())

    @cached_property
    def optimum(self) -> Array:
        """x*, by Newton's method: |f'(x*)| < 1e-12. Raises ArithmeticError when it does not converge."""
        x: Array = np.zeros(self.size)
        for _ in range(100):
            gradient = self.gradient(x)
            if np.linalg.norm(gradient) < 1e-14:
                break
            x = x - self._newton(x, gradient)
        if not np.linalg.norm(self.gradient(x)) < 1e-12:
            raise ArithmeticError("Newton's method found no optimum; a larger penalty makes the problem better posed")
        return x

    def _newton(self, x: Array, gradient: Array) -> Array:
        """Newton's step: the inverse of the Hessian at `x` times the gradient."""
        rows = self.features.reshape(-1, self.size)
        if not self.penalty or len(rows) >= self.size:
            return np.asarray(np.linalg.lstsq(self.hessian(x), gradient, rcond=None)[0], np.float64)
        # More columns than rows: by Woodbury's identity a system of the rows' size.
        rows = rows * np.sqrt(self.bend(rows @ x, self.targets.reshape(-1)) / len(rows))[:, None]
        system = rows @ rows.T + self.penalty * np.eye(len(rows))
        return (gradient - rows.T @ np.linalg.solve(system, rows @ gradient)) / self.penalty

    @cached_property
    def _least(self) -> float:
        return self.loss(self.optimum)

    @cached_property
    def smoothness(self) -> float:
        """L of f."""
        return self._smoothness(self.features.reshape(-1, self.size))

    @cached_property
    def worker_smoothness(self) -> float:
        """max_i L_i of the f_i."""
        return max(self._smoothness(rows) for rows in self.features)

    @cached_property
    def sample_smoothness(self) -> float:
        """max_ij L_ij of the f_ij."""
        return self.curvature * float(np.square(self.features).sum(axis=2).max()) + self.penalty

    def _smoothness(self, rows: Array) -> float:
        return self.curvature * float(np.linalg.norm(rows, 2)) ** 2 / len(rows) + self.penalty

    @property
    def convexity(self) -> float:
        """mu: f is mu-strongly convex."""
        return self.penalty

    @property
    def growth(self) -> float:
        """rho with mean_i |grad f_i(x)|^2 <= rho |grad f(x)|^2, where all grad f_i(x*) are 0."""
        return self.worker_smoothness / self.convexity


class Logistic(Linear):
    """Logistic regression, targets -1 and 1: curve(z, b) = log(1 + exp(-b z))."""

    curvature = 0.25

    def curve(self, margins: Array, targets: Array) -> Array:
        return np.logaddexp(0, -targets * margins)

    def slope(self, margins: Array, targets: Array) -> Array:
        slopes: Array = -targets * expit(-targets * margins)
        return slopes

    def bend(self, margins: Array, targets: Array) -> Array:
        bends: Array = expit(margins) * expit(-margins)
        return bends


class Ridge(Linear):
    """Least squares: curve(z, b) = (z - b)^2 / 2."""

    curvature = 1.0

    def curve(self, margins: Array, targets: Array) -> Array:
        return np.square(margins - targets) / 2

    def slope(self, margins: Array, targets: Array) -> Array:
        return margins - targets

    def bend(self, margins: Array, targets: Array) -> Array:
        return np.ones_like(margins)

    def gap(self, x: Array) -> float:
        """f(x) - f(x*), without cancellation: f is quadratic."""
        away = x - self.optimum
        return max(float(away @ self._hessian @ away) / 2, 0.0)

    @cached_property
    def convexity(self) -> float:
        return float(np.linalg.eigvalsh(self._hessian)[0])

    @cached_property
    def growth(self) -> float:
        """The smallest possible rho: f and the f_i are quadratic."""
        each = np.matmul(self.features.transpose(0, 2, 1), self.features) / self.samples
        each += self.penalty * np.eye(self.size)
        inverse = np.linalg.inv(self._hessian)
        squares = np.matmul(each, each).mean(axis=0)
        return float(np.linalg.eigvalsh(inverse @ squares @ inverse)[-1])

    @cached_property
    def _hessian(self) -> Array:
        return self.hessian(np.zeros(self.size))


class Shards:
    """The parts of k of a problem's workers."""

    def __init__(self, problem: Linear, ranks: Sequence[int]) -> None:
        self.problem = problem
        self.ranks = tuple(ranks)
        self.features = problem.features[list(ranks)]
        self.targets = problem.targets[list(ranks)]
        self.workers, self.samples, self.size = self.features.shape

    def gradients(self, x: Array) -> Array:
        """The f_i's gradients at `x` (d,): (k, d)."""
        problem = self.problem
        slopes = problem.slope(self.features @ x, self.targets)
        means: Array = np.matmul(slopes[:, None], self.features)[:, 0] / self.samples
        return means + problem.penalty * x

    def sample_gradients(self, x: Array, rows: Rows) -> Array:
        """The gradients at `x` (d,) of b of each worker's samples, numbered `rows` (k, b): (k, b, d)."""
        workers = np.arange(self.workers)[:, None]
        features = self.features[workers, rows]
        slopes = self.problem.slope(features @ x, self.targets[workers, rows])
        return slopes[:, :, None] * features + self.problem.penalty * x
