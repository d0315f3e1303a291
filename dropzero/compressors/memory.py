"""Memory: keeps the parts of gradients that a compressor drops, so that they are not lost.

Gradients are rows, one for each hosted worker, shape (k, d), float32 or float64; the memory has their dtype. In every
step, `compensate` returns the vectors to compress. `settle` then learns what was sent, and turns the sum of all
workers' messages into the sum for the optimizer.

The memory of a worker that enters begins at zero; that of a worker that leaves is gone. A late contribution counts as
not sent: its worker keeps all of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.network import Group
from dropzero.compressors.part import Part
from dropzero.compressors.quantizers import FixedPoint
from dropzero.compressors.vectors import Floats, Rows, refuse_non_finite_floats


class Memory(Part):
    """Remembers nothing: unsent parts are lost.

    Attributes:
        exact: whether the sum of the messages must not be rounded.
    """

    exact: ClassVar[bool] = False

    def fit(self, omega: float | None, delta: float | None) -> None:
        """Takes the compressor's constants, as in Compression. Raises ValueError if this memory cannot work with
        them."""

    def compensate(self, gradients: Floats, rate: float) -> Floats:
        """Returns the vectors to compress instead of the gradients, (k, d); does not change the gradients. rate: see
        Compression.aggregate."""
        return gradients

    def settle(self, compensated: Floats, sent: Rows, total: Floats, group: Group) -> Floats:
        """Learns the outcome of a step. Returns the sum for the optimizer, shape (d,). An error leaves the memory as it
        was.

        Args:
            compensated: the vectors from `compensate`, shape (k, d).
            sent: the messages that were sent for them, shape (k, d).
            total: the sum of all workers' messages, shape (d,).
        """
        return total


class ErrorFeedback(Memory):
    """Error feedback: adds the unsent rest to the next gradient ([1-bit]; [Mem-SGD] algorithm 1; [EF-SGD] algorithm 2).

    u_t = g_t + (r_{t-1} / r_t) e_t, e_{t+1} = u_t - C(u_t), e_0 = 0, at the rates r_t; the papers compress r_t u_t. So
    the part of a step that is held back is not lost, only late. For contractive C (delta) and equal rates, E|e|^2 is at
    most 4 (1 - delta) / delta^2 times the largest squared gradient.

    Attributes:
        beta: below 1, e_{t+1} = (1 - beta) e_t + beta (u_t - C(u_t)), which sends the rest of a step in several later
            ones (the low-pass filter of [ScaleCom], for large batches). Altogether e_t / beta is still to be sent.
        residual: e_t, shape (k, d); zero before the first step.
        rate: r_{t-1}.
    """

    local: ClassVar[tuple[str, ...]] = ("residual", "rate")
    beta = 1.0
    residual: Floats | float = 0.0
    rate = 1.0

    def __init__(self, beta: float = 1.0) -> None:
        """Raises ValueError unless beta is in (0, 1]."""
        if not 0 < beta <= 1:
            raise ValueError(f"beta must be in (0, 1], not {beta:g}")
        self.beta = beta

    def fit(self, omega: float | None, delta: float | None) -> None:
        """Raises ValueError unless the compressor never expands: the errors would grow without bound."""
        if delta is None:
            found = "has no constant" if omega is None else f"has an omega of {omega:.3g}"
            raise ValueError(f"needs a compressor whose error is never larger than the vector, but this one {found}")

    def compensate(self, gradients: Floats, rate: float) -> Floats:
        self._rate = rate
        if rate == self.rate:
            return gradients + self.residual
        compensated: Floats = np.multiply(self.residual, gradients.dtype.type(self.rate / rate))
        return np.add(compensated, gradients, out=compensated if compensated.ndim else None)

    def settle(self, compensated: Floats, sent: Rows, total: Floats, group: Group) -> Floats:
        held = self.residual
        self.residual = np.subtract(compensated, sent, out=compensated)
        if self.beta < 1:
            kept = compensated.dtype.type((1 - self.beta) * self.rate / self._rate) * held
            self.residual = kept + compensated.dtype.type(self.beta) * self.residual
        self.rate = self._rate
        return total


class Shift(Memory):
    """Compresses the difference from a shift that learns the worker's gradient ([DIANA] algorithm 1). The noise of an
    unbiased Q (omega) then vanishes with the differences.

    m_i = Q(g_i - h_i), h_i += alpha m_i. Every worker holds H = sum h_i: the sum is H + sum m_i, and then H += alpha
    sum m_i. Converges for alpha <= 1 / (1 + omega).

    H is never sent, so an error in the sum of the m_i would stay forever: hence `exact`.

    H is the sum of the shifts of the contributors to the last sum. When the contributors change, because a worker was
    late, left or entered, the workers sum their shifts again, and round them to their values in the sum, so that it is
    exact again. In every step, they tell each other whether a shift is missing from H, because a newcomer may have the
    rank of a worker that left.

    Attributes:
        alpha: the step of the shifts.
        shifts: h_i, shape (k, d); zero before the first step.
        total: H, shape (d,); zero before the first step.
        counted: the ranks whose shifts are in H; none before the first step.
        missing: H lacks shifts of this process.
    """

    exact: ClassVar[bool] = True
    common: ClassVar[tuple[str, ...]] = ("total", "counted")
    local: ClassVar[tuple[str, ...]] = ("shifts", "missing")

    def __init__(self, alpha: float | None = None) -> None:
        """alpha: None for 1 / (1 + omega). Raises ValueError unless alpha is in (0, 1]."""
        if alpha is not None and not 0 < alpha <= 1:
            raise ValueError(f"alpha must be in (0, 1], not {alpha:g}")
        self.alpha = alpha or 0.0
        self.shifts: Floats | float = 0.0
        self.total: Floats | float = 0.0
        self.counted = np.zeros(0, np.int64)
        self.missing = False

    def fit(self, omega: float | None, delta: float | None) -> None:
        """Raises ValueError if there is neither an alpha nor an omega to compute it from."""
        if not self.alpha and omega is None:
            raise ValueError("needs alpha=NUMBER in (0, 1], because this compressor is biased or has no omega")
        self.alpha = self.alpha or 1 / (1 + (omega or 0.0))

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        super().restore({"missing": np.array("shifts" not in state)} | dict(state))

    def compensate(self, gradients: Floats, rate: float) -> Floats:
        return gradients - self.shifts

    def settle(self, compensated: Floats, sent: Rows, total: Floats, group: Group) -> Floats:
        present = np.array(group.contributors)
        alpha = total.dtype.type(self.alpha)
        shifts: Floats = self.shifts + alpha * sent.astype(compensated.dtype, copy=False)
        missing = group.all_reduce(np.full((len(group.ranks), 1), self.missing, np.int32))[0]
        # The shift of a worker that did not answer may be missing, too.
        found = (present, np.array(group.contributors)) if len(self.counted) else ()
        if missing or not all(np.array_equal(ranks, self.counted) for ranks in found):
            added = FixedPoint().add(shifts, 32, group, (), exact=True)
            present = np.array(group.contributors)
            in_it = np.isin(group.ranks, present)
            shifts = np.where(in_it[:, None], added.sent.astype(shifts.dtype), shifts)
            self.total = added.total.astype(total.dtype)
            # As if H had had these shifts before.
            restored: Floats = self.total + (1 - alpha) * total
            self.missing = not in_it.all()
        else:
            restored = self.total + total
            self.total = self.total + alpha * total
        self.shifts, self.counted = shifts, present
        return restored


class Ef21(Shift):
    """[EF21] (algorithm 2): the shift of a contractive C (delta) moves by all that is sent, alpha = 1.

    Unlike ErrorFeedback it converges with a fixed step size where the workers' gradients differ at the optimum.
    """

    def __init__(self) -> None:
        super().__init__(1.0)

    def fit(self, omega: float | None, delta: float | None) -> None:
        """Raises ValueError unless the compressor is contractive."""
        if not delta:
            raise ValueError("needs a compressor that brings each vector nearer: with a delta above 0")

    def shorter(self, delta: float) -> float:
        """How many times as short as without compression theory allows steps to be ([EF21] theorem 1)."""
        return 1 / (1 - math.sqrt(1 - delta))


class Ef21Sgdm(Ef21):
    """[EF21-SGDM] (algorithm 1): EF21 of a moving average of the worker's gradients: v_i = (1 - eta) v_i + eta g_i.

    A biased C does not average out the noise of minibatches, not even over many workers; that of v_i is smaller
    (theorem 3). The sum is a momentum: the optimizer needs none of its own.

    v_i begins at the worker's first gradient, as in the paper, also if the worker enters later.

    Attributes:
        eta: 1 is EF21.
        momentum: v_i, shape (k, d).
        begun: there is a v_i.
    """

    local: ClassVar[tuple[str, ...]] = (*Shift.local, "momentum", "begun")
    momentum: Floats | float = 0.0
    begun = False

    def __init__(self, eta: float = 0.1) -> None:
        """Raises ValueError unless eta is in (0, 1]."""
        super().__init__()
        if not 0 < eta <= 1:
            raise ValueError(f"eta must be in (0, 1], not {eta:g}")
        self.eta = eta

    def shorter(self, delta: float) -> float:
        """[EF21-SGDM] theorem 3."""
        return max(20 / delta, 7 / self.eta)

    def compensate(self, gradients: Floats, rate: float) -> Floats:
        kind = gradients.dtype.type
        self._next = kind(1 - self.eta) * self.momentum + kind(self.eta) * gradients if self.begun else gradients
        return super().compensate(self._next, rate)

    def settle(self, compensated: Floats, sent: Rows, total: Floats, group: Group) -> Floats:
        found = super().settle(compensated, sent, total, group)
        # Last, so that an error changes nothing.
        self.momentum, self.begun = self._next, True
        return found


class Momentum(ErrorFeedback):
    """Momentum correction, gradient clipping and factor masking ([DGC] sections 3.2 and 3.3).

    v_t = m v + g_t, u_t = u + v_t: the velocity accumulates, so that a value that is sent late counts as in plain
    momentum. What is sent is removed from u, and its velocity is cleared, so that no stale momentum remains. As in the
    paper, values are applied with the step size of the time of sending.

    Attributes:
        factor: m.
        clip: the largest norm of a worker's gradient; larger ones are scaled down to it. The paper uses 1 / sqrt(n) of
            the limit for the sum. 0: no limit.
        velocity, residual: v and u, shape (k, d); zero before the first step.
    """

    local: ClassVar[tuple[str, ...]] = ("residual", "velocity")
    velocity: Floats | float = 0.0

    def __init__(self, factor: float = 0.9, clip: float = 0.0) -> None:
        """Raises ValueError unless the factor is in [0, 1), and clip finite and not negative."""
        if not 0 <= factor < 1:
            raise ValueError(f"the momentum factor must be in [0, 1), not {factor:g}")
        if not 0 <= clip < np.inf:
            raise ValueError(f"clip must be a norm, 0 or larger, not {clip:g}")
        self.factor = factor
        self.clip = clip

    def compensate(self, gradients: Floats, rate: float) -> Floats:
        if self.clip:
            for row in gradients:
                refuse_non_finite_floats(row)
            norms = np.sqrt(np.square(gradients, dtype=np.float64).sum(axis=1, keepdims=True))
            gradients = gradients * (self.clip / np.maximum(norms, self.clip)).astype(gradients.dtype)
        self._next = gradients + gradients.dtype.type(self.factor) * np.asarray(self.velocity, gradients.dtype)
        return super().compensate(self._next, self.rate)

    def settle(self, compensated: Floats, sent: Rows, total: Floats, group: Group) -> Floats:
        # Last, so that a rejected gradient changes nothing.
        self.velocity = np.where(sent, compensated.dtype.type(0), self._next)
        return super().settle(compensated, sent, total, group)
