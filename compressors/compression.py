"""Compressed sums: applies sparsifier, memory, quantizer and schedule for the workers that a process hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import Collectives, Group, SingleWorker
from dropzero.compressors.sparsifiers import Sparsifier
from dropzero.compressors.spec import Spec, SpecError
from dropzero.compressors.vectors import Floats, Rows, stacked

Workers = Collectives | InProcessNetwork
"""One worker with a Communicator, or all workers in this process."""


@dataclass(frozen=True)
class Aggregate:
    """A sum over all workers."""

    total: Floats
    """For the optimizer, shape (d,), of the contributions' type; the same bits on every worker."""
    sent: Rows
    """The local workers' decoded messages, (k, d), without the memory's part."""
    largest: float
    """Magnitude of the largest integer in the local workers' messages; 0 with fixed point."""
    largest_sum: float
    """Magnitude of the largest integer in the switch's sum; 0 with fixed point."""


class Compression:
    """Sums vectors of `elements` elements, compressed by `spec`. All workers make the same sums in the same order.

    A process hosts one worker on a Communicator, or all on an InProcessNetwork; with the same seed both give the same
    bits.

    Args:
        spec: see dropzero.compressors.spec.
        network: the workers.
        elements: d, of each vector.
        seed: seeds all random numbers; each worker has its own stream, and all share another one.

    Attributes:
        ranks: of the local workers.
        omega: E Q(x) = x, E|Q(x) - x|^2 <= omega |x|^2 for the messages, memory aside; None: biased.
        delta: E|C(x) - x|^2 <= (1 - delta) |x|^2; None: not contractive, or no constant.
        step: the number of sums so far.

    Raises:
        SpecError: the spec is wrong, or its parts do not fit each other or the number of workers.
    """

    def __init__(self, spec: str | Spec, network: Workers, elements: int, *, seed: int = 0) -> None:
        self.spec = Spec.parse(str(spec))
        self.spec.check(network.size)
        self.elements = elements
        self.memory = self.spec.memory
        self.step = 0
        self._group: Group = network if isinstance(network, InProcessNetwork) else SingleWorker(network)
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
        """Makes a sum in process, to compile or load all code before other workers wait for it."""
        Compression(spec, InProcessNetwork(1), 256).aggregate(np.ones((1, 256), np.float32))

    @property
    def ranks(self) -> tuple[int, ...]:
        return self._group.ranks

    def aggregate(self, contributions: NDArray[np.floating[Any]]) -> Aggregate:
        """Sums all workers' vectors.

        Args:
            contributions: the local workers' vectors, shape (k, d), float32 or float64. Sparsifiers and fixed point
                work in float32.

        Raises:
            ValueError: another shape or type.
            FloatingPointError: an element is not finite; names it.
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
        # A contribution that was late for the sum counts as not sent.
        self.memory.update(compensated, np.zeros_like(added.sent) if self._group.left_out else added.sent)
        total = self.memory.restore(added.total.astype(contributions.dtype, copy=False), self._group)
        self.spec.quantizer.observe(total, self._group.size)
        self.step += 1
        return Aggregate(total, added.sent, added.largest, added.largest_sum)

    def _pattern_draws(self, sparsifier: Sparsifier) -> list[Generator]:
        if sparsifier.shared:
            return [default_rng((self._seed, 1, self.step)) for _ in self.ranks]
        return self._draws
