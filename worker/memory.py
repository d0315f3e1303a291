"""Memory: what a worker remembers of the gradients that its sparsifier held back."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from worker.sparsifiers import Vector


class Memory(Protocol):
    def compensate(self, gradient: Vector) -> Vector:
        """The vector to compress in place of `gradient` (same shape, float32)."""

    def update(self, compensated: Vector, sent: Vector) -> None:
        """Takes note that of `compensated` only `sent` went out."""


class NoMemory:
    """Remembers nothing: what was not sent is lost."""

    def compensate(self, gradient: Vector) -> Vector:
        return gradient

    def update(self, compensated: Vector, sent: Vector) -> None:
        pass


class ErrorFeedback:
    """Adds to every gradient what was held back before (Seide et al., 1-bit SGD, 2014; Stich et al., MEM-SGD, 2018).

    u_t = g_t + e_t, e_{t+1} = u_t - C(u_t), e_0 = 0; so sum C(u_t) + e_T = sum g_t: nothing is lost, only late.
    With a contractive C (delta), E|e|^2 stays within 4 (1 - delta) / delta^2 of the largest squared gradient.
    """

    def __init__(self, size: int) -> None:
        """`size`: elements of the gradient. `residual`: e_t, float32."""
        self.residual: Vector = np.zeros(size, np.float32)

    def compensate(self, gradient: Vector) -> Vector:
        """g + e. Raises ValueError if the length is not the memory's own."""
        if gradient.shape != self.residual.shape:
            raise ValueError(f"gradient of shape {gradient.shape}, but the memory is of shape {self.residual.shape}")
        return gradient + self.residual

    def update(self, compensated: Vector, sent: Vector) -> None:
        np.subtract(compensated, sent, out=self.residual)
