"""Problems with a non-smooth regularizer, which methods handle by its proximal step."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dropzero.problems.linear import Array, Linear


class Composite:
    """F(x) = f(x) + l1 |x|_1 + (l2 / 2) |x|^2, f a strongly convex problem of the workers."""

    def __init__(self, smooth: Linear, *, l1: float = 0.0, l2: float = 0.0) -> None:
        """Raises ValueError for a negative weight."""
        if l1 < 0 or l2 < 0:
            raise ValueError(f"weights of a regularizer must not be negative: l1={l1:g}, l2={l2:g}")
        self.smooth, self.l1, self.l2 = smooth, l1, l2

    def proximal(self, x: Array, gamma: float) -> Array:
        """argmin_u gamma R(u) + |u - x|^2 / 2, (d,): elements of magnitude up to gamma l1 become 0."""
        shrunk: Array = np.sign(x) * np.maximum(np.abs(x) - gamma * self.l1, 0) / (1 + gamma * self.l2)
        return shrunk

    def loss(self, x: Array) -> float:
        """F(x); `x`: (d,)."""
        return self.smooth.loss(x) + self.l1 * float(np.abs(x).sum()) + self.l2 / 2 * float(x @ x)

    def gap(self, x: Array) -> float:
        """F(x) - F(x*), at least 0; rounding hides gaps below about 1e-16 F(x*)."""
        return max(self.loss(x) - self._least, 0.0)

    @cached_property
    def optimum(self) -> Array:
        """x*, by accelerated proximal gradient steps ([FISTA]), whose last one is shorter than 1e-14.

        Raises ArithmeticError when they do not converge."""
        gamma = 1 / self.smooth.smoothness
        root = np.sqrt((self.smooth.convexity + self.l2) / (self.smooth.smoothness + self.l2))
        x = far = np.zeros(self.smooth.size)
        for _ in range(100_000):
            moved = self.proximal(far - gamma * self.smooth.gradient(far), gamma)
            if np.linalg.norm(moved - far) < 1e-14:
                return moved
            x, far = moved, moved + (1 - root) / (1 + root) * (moved - x)
        raise ArithmeticError("no optimum was found; a larger penalty makes the problem better posed")

    @cached_property
    def _least(self) -> float:
        return self.loss(self.optimum)
