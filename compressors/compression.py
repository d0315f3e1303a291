"""A compressed sum: sparsifier, memory, quantizer and schedule at work, for the workers that a process hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from dropzero.compressors.ensemble import Ensemble
from dropzero.compressors.network import Alone, Group, Network
from dropzero.compressors.sparsifiers import Sparsifier
from dropzero.compressors.spec import Spec, SpecError
from dropzero.compressors.vectors import Floats, Rows, stacked


@dataclass(frozen=True)
class Aggregate:
    """A sum over all workers."""

    total: Floats
    """What the optimizer takes, shape (d,), of the contributions' type; the same bits everywhere."""
    sent: Rows
    """What the local workers' messages decode to, (k, d), without the memory's part."""
    largest: float
    """Magnitude of the largest integer that a local worker made of its vector; 0 with fixed point."""
    largest_sum: float
    """That of the largest integer in the switch's sum, likewise."""


class Compression:
    """Sums of vectors of `elements` elements, compressed as `spec` says. All workers make the same sums in the same
    order.

    A process hosts one worker on a Communicator, and all of them on an Ensemble; with the same seed both give the same
    bits.

    Args:
        spec: see `dropzero.compressors.spec`.
        network: what the workers are on.
        seed: of all random numbers; every worker has its own from it, and they share one more.

    Attributes:
        ranks: of the local workers.
        omega: E Q(x) = x, E|Q(x) - x|^2 <= omega |x|^2 for what travels, memory aside; None: biased.
        delta: E|C(x) - x|^2 <= (1 - delta) |x|^2; None: not contractive, or no constant.
        step: how many sums were made.

    Raises:
        SpecError: a wrong spec, or parts that do not go together, or not with this number of workers.
    """

    def __init__(self, spec: str | Spec, network: Network | Ensemble, elements: int, *, seed: int = 0) -> None:
        self.spec = Spec.parse(str(spec))
        self.spec.check(network.size)
        self.elements = elements
        self.memory = self.spec.memory
        self.step = 0
        self._group: Group = network if isinstance(network, Ensemble) else Alone(network)
        self._seed = seed
        self._draws = [default_rng((seed, 0, rank)) for rank in self.ranks]
        sparsifier, quantizer = self.spec.sparsifier, self.spec.quantizer
        omegas = sparsifier.omega(elements), quantizer.omega(elements)
        self.omega = None if None in omegas else (1 + (omegas[0] or 0)) * (1 + (omegas[1] or 0)) - 1
        self.delta = sparsifier.delta(elements) if quantizer.delta(elements) == 1 else None
        try:
            self.memory.fit(self.omega)
        except ValueError as error:
            raise SpecError(f"the memory of {self.spec} {error}") from None
        sparsifier.calibrate(elements, self._group)

    @staticmethod
    def rehearse(spec: str) -> None:
        """Makes one sum alone. What there is to compile is compiled, or loaded, before others wait for it."""
        Compression(spec, Ensemble(1), 256).aggregate(np.ones((1, 256), np.float32))

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._group.ranks

    def aggregate(self, contributions: NDArray[np.floating[Any]]) -> Aggregate:
        """The sum over all workers of their vectors.

        Args:
            contributions: the local workers', shape (k, d), float32 or float64. What a sparsifier leaves out of, and
                fixed point, is float32.

        Raises:
            ValueError: another shape or type.
            FloatingPointError: an element is not finite; says which.
        """
        expected = (len(self.ranks), self.elements)
        if contributions.shape != expected or contributions.dtype not in (np.float32, np.float64):
            found = f"{contributions.shape} {contributions.dtype}"
            raise ValueError(f"contributions have shape {expected}, in float32 or float64, not {found}")
        compensated = self.memory.compensate(contributions)
        sparsifier = self.spec.schedule.at(self.step, self.spec.sparsifier)
        vectors = compensated if sparsifier.wide else compensated.astype(np.float32, copy=False)
        draws = zip(vectors, self._pattern_draws(sparsifier), strict=True)
        rows = sparsifier.agree(stacked([sparsifier.compress(vector, draw) for vector, draw in draws]), self._group)
        added = self.spec.quantizer.add(rows, sparsifier.block, self._group, self._draws, self.memory.exact)
        # What came too late for the sum is kept like what was not sent.
        self.memory.update(compensated, np.zeros_like(added.sent) if self._group.left_out else added.sent)
        total = self.memory.restore(added.total.astype(contributions.dtype, copy=False), self._group)
        self.spec.quantizer.observe(total, self._group.size)
        self.step += 1
        return Aggregate(total, added.sent, added.largest, added.largest_sum)

    def _pattern_draws(self, sparsifier: Sparsifier) -> list[Generator]:
        if sparsifier.shared:
            return [default_rng((self._seed, 1, self.step)) for _ in self.ranks]
        return self._draws
