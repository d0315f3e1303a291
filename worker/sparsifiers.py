"""Sparsifiers: which blocks of a gradient a worker sends.

A sparsifier maps a float32 vector of d elements to one of the same shape and dtype, in which the blocks that are not to
be sent are zero. The vector is cut into nb = ceil(d / block) blocks; the last one may be shorter.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


class Sparsifier(Protocol):
    def compress(self, x: Vector) -> Vector:
        """The part of `x` (1-D float32) that is sent: same shape and dtype, zero elsewhere. `x` is not changed."""


class Dense:
    """Sends every block. Contractive with delta = 1 (and unbiased with omega = 0)."""

    def compress(self, x: Vector) -> Vector:
        """A copy of `x`. Raises TypeError and FloatingPointError as `refuse_non_finite` does."""
        refuse_non_finite(x)
        return x.copy()


class BlockTopK:
    """Sends the k blocks of largest l2 norm, k = max(1, round(density * nb)) with halves to even.

    Block Top-k of OmniReduce (Fei et al., SIGCOMM 2021): Top-k (Stich et al., MEM-SGD, 2018) by whole blocks, so that
    the switch has blocks to skip. Contractive with delta = k / nb: |x - C(x)|^2 <= (1 - k / nb) |x|^2. Biased, so it
    needs error feedback. Of equal norms the lower index goes first, so the choice is deterministic.
    """

    def __init__(self, density: float, block: int = 32) -> None:
        """`density`: fraction of the blocks to send, in (0, 1]; `block`: elements. Raises ValueError for others."""
        if not 0 < density <= 1:
            raise ValueError(f"density is a fraction in (0, 1], not {density}")
        if block < 1:
            raise ValueError(f"a block has at least 1 element, not {block}")
        self.density = density
        self.block = block

    def kept(self, blocks: int) -> int:
        """k: how many of `blocks` blocks are sent."""
        return min(blocks, max(1, round(self.density * blocks)))

    def compress(self, x: Vector) -> Vector:
        """Raises TypeError and FloatingPointError as `refuse_non_finite` does."""
        refuse_non_finite(x)
        selected = self._select(self._squared_norms(x))
        whole = len(x) // self.block
        sent = np.zeros_like(x)
        rows = np.flatnonzero(selected[:whole])
        shape = (whole, self.block)
        sent[: whole * self.block].reshape(shape)[rows] = x[: whole * self.block].reshape(shape)[rows]
        if selected[whole:].any():
            sent[whole * self.block :] = x[whole * self.block :]
        return sent

    def _squared_norms(self, x: Vector) -> NDArray[np.float64]:
        """(nb,) squared norms; float64, in which no square of a float32 overflows or vanishes."""
        whole = len(x) // self.block
        body, tail = x[: whole * self.block].reshape(whole, self.block), x[whole * self.block :]
        norms = np.einsum("ij,ij->i", body, body, dtype=np.float64)
        return np.append(norms, np.square(tail, dtype=np.float64).sum()) if len(tail) else norms

    def _select(self, norms: NDArray[np.float64]) -> NDArray[np.bool_]:
        k = self.kept(len(norms))
        if k == len(norms):
            return np.ones(len(norms), bool)
        smallest_kept = np.partition(norms, len(norms) - k)[len(norms) - k]
        selected: NDArray[np.bool_] = norms > smallest_kept
        ties = np.flatnonzero(norms == smallest_kept)
        selected[ties[: k - np.count_nonzero(selected)]] = True
        return selected


def refuse_non_finite(x: Vector) -> None:
    """Raises TypeError unless `x` is 1-D float32, FloatingPointError with the place of the first NaN or infinity."""
    if x.dtype != np.float32 or x.ndim != 1:
        raise TypeError(f"a gradient is a 1-D float32 array, not {x.ndim}-D {x.dtype}")
    finite = np.isfinite(x)
    if not finite.all():
        place = int(np.argmin(finite))
        raise FloatingPointError(f"gradient element {place} of {len(x)} is {x[place]}")
