"""Memory: keeps the parts of gradients that a compressor drops, so that they are not lost.

Gradients are rows, one for each hosted worker, shape (k, d), float32 or float64; the memory keeps their type. In every
step, `compensate` returns the vectors to compress, `update` learns what was sent, and `restore` turns the sum of all
workers' messages into the sum for the optimizer.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dropzero.compressors.network import Group
from dropzero.compressors.vectors import Floats, Rows


class Memory:
    """Remembers nothing: unsent parts are lost.

    Attributes:
        exact: whether the sum of the messages must not be rounded.
    """

    exact: ClassVar[bool] = False

    def fit(self, omega: float | None) -> None:
        """Takes the compressor's constant; None: it is biased. Raises ValueError if it does not fit this memory."""

    def compensate(self, gradients: Floats) -> Floats:
        """Returns the vectors to compress instead of the gradients, (k, d); does not change the gradients."""
        return gradients

    def update(self, compensated: Floats, sent: Rows) -> None:
        """Learns that the messages for `compensated` decode to `sent`, both (k, d)."""

    def restore(self, total: Floats, group: Group) -> Floats:
        """Returns the sum for the optimizer, (d,), given the sum of all workers' messages."""
        return total


class ErrorFeedback(Memory):
    """Error feedback: adds the unsent rest to the next gradient ([1-bit]; [Mem-SGD] algorithm 1; [EF-SGD] algorithm 2).

    u_t = g_t + e_t, e_{t+1} = u_t - C(u_t), e_0 = 0; so sum C(u_t) + e_T = sum g_t: nothing is lost, only late. For
    contractive C (delta): E|e|^2 stays within 4 (1 - delta) / delta^2 of the largest squared gradient.

    Attributes:
        residual: e_t, shape (k, d); zero before the first step.
    """

    residual: Floats | float = 0.0

    def fit(self, omega: float | None) -> None:
        """Raises ValueError for an omega of 1 or more: the errors would accumulate."""
        if omega is not None and omega >= 1:
            raise ValueError(f"needs a compressor that sends less than there is, but this one's omega is {omega:.3g}")

    def compensate(self, gradients: Floats) -> Floats:
        return gradients + self.residual

    def update(self, compensated: Floats, sent: Rows) -> None:
        self.residual = np.subtract(compensated, sent, out=compensated)


class Shift(Memory):
    """Compresses the difference from a shift that learns the worker's gradient ([DIANA] algorithm 1). The noise of an
    unbiased Q (omega) then vanishes with the differences.

    m_i = Q(g_i - h_i), h_i += alpha m_i. Every worker holds H = sum h_i: the sum is H + sum m_i, and then H += alpha
    sum m_i. Converges for alpha <= 1 / (1 + omega).

    H is never sent, so an error in the sum of the m_i would stay for ever: hence `exact`.

    A worker that leaves takes its h_i along. The workers count themselves in every step, and sum the shifts again when
    their number has fallen.

    Attributes:
        alpha: the shifts' step.
        shifts: h_i, shape (k, d); total: H, shape (d,). Zero before the first step.
    """

    exact: ClassVar[bool] = True

    def __init__(self, alpha: float | None = None) -> None:
        """alpha: None for 1 / (1 + omega). Raises ValueError unless alpha is in (0, 1]."""
        if alpha is not None and not 0 < alpha <= 1:
            raise ValueError(f"alpha is in (0, 1], not {alpha:g}")
        self.alpha = alpha or 0.0
        self.shifts: Floats | float = 0.0
        self.total: Floats | float = 0.0
        self._before: Floats | float = 0.0
        self._workers = 0

    def fit(self, omega: float | None) -> None:
        """Raises ValueError when there is neither an alpha nor an omega to compute it from."""
        if not self.alpha and omega is None:
            raise ValueError("needs alpha=NUMBER in (0, 1], because this compressor is biased or has no omega")
        self.alpha = self.alpha or 1 / (1 + (omega or 0.0))

    def compensate(self, gradients: Floats) -> Floats:
        return gradients - self.shifts

    def update(self, compensated: Floats, sent: Rows) -> None:
        self._before = self.shifts
        self.shifts = self.shifts + compensated.dtype.type(self.alpha) * sent.astype(compensated.dtype, copy=False)

    def restore(self, total: Floats, group: Group) -> Floats:
        workers = int(group.all_reduce(np.ones((len(group.ranks), 1), np.int32))[0])
        if workers < self._workers:
            self.total = group.all_reduce(np.asarray(self._before, np.float32)).astype(total.dtype)
        self._workers = workers
        restored: Floats = self.total + total
        self.total = self.total + total.dtype.type(self.alpha) * total
        return restored


class Momentum(ErrorFeedback):
    """Momentum correction and factor masking ([DGC] sections 3.2 and 3.3).

    v_t = m v + g_t, u_t = u + v_t: the velocity accumulates, so that a value sent late counts as in plain momentum.
    What is sent is taken out of u, and its velocity is cleared, so that no stale momentum remains.

    Attributes:
        factor: m.
        velocity, residual: v and u, shape (k, d); zero before the first step.
    """

    velocity: Floats | float = 0.0

    def __init__(self, factor: float = 0.9) -> None:
        """Raises ValueError unless the factor is in [0, 1)."""
        if not 0 <= factor < 1:
            raise ValueError(f"the momentum factor is in [0, 1), not {factor:g}")
        self.factor = factor

    def compensate(self, gradients: Floats) -> Floats:
        self._next = gradients + gradients.dtype.type(self.factor) * np.asarray(self.velocity, gradients.dtype)
        return super().compensate(self._next)

    def update(self, compensated: Floats, sent: Rows) -> None:
        # Last, so that a rejected gradient changes nothing.
        self.velocity = np.where(sent, compensated.dtype.type(0), self._next)
        super().update(compensated, sent)
