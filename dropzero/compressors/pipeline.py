"""A pipeline: applies the sparsifier, memory, quantizer and schedule of one spec to some parameters' vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dropzero.compressors.constants import contraction, variance
from dropzero.compressors.network import Group
from dropzero.compressors.part import Part
from dropzero.compressors.quantizers import Sum
from dropzero.compressors.rules import Parameter
from dropzero.compressors.sample import Sample
from dropzero.compressors.sparsifiers import Sparsifier
from dropzero.compressors.spec import Spec, SpecError
from dropzero.compressors.vectors import Floats
from dropzero.streams import stream


class Measured(NamedTuple):
    """What the last sum did to a parameter; see Compression.report."""

    name: str
    shape: tuple[int, ...]
    spec: str
    error: float
    bytes: float
    omega: float | None


class Pipeline:
    """Sums vectors that consist of some parameters, compressed by one spec.

    Args:
        spec: it has state, and belongs to this pipeline.
        group: the workers.
        parameters: what the vectors consist of.
        shaped: tell the parts the parameters' shapes.

    Attributes:
        omega, delta: see Compression.
    """

    def __init__(self, spec: Spec, group: Group, parameters: Sequence[Parameter], shaped: bool) -> None:
        self.spec, self.parameters = spec, parameters
        self.elements = sum(each.elements for each in parameters)
        self._group = group
        spec.sparsifier.join(group.size)
        if shaped:
            for _, part in self._parts():
                part.see([each.shape for each in parameters])
        self.omega = variance(spec, self.elements, group.size)
        self.delta = contraction(spec, self.elements, group.size)
        try:
            spec.memory.fit(self.omega, self.delta)
        except ValueError as error:
            raise SpecError(f"the memory of {spec} {error}") from None
        self._ended: float | None = None
        self._sample = Sample([each.elements for each in parameters])
        self._sampled: tuple[Floats, Floats] | None = None

    def aggregate(self, contributions: Floats, rate: float, step: int, seed: int) -> Sum:
        """Makes sum number `step`; see Compression.aggregate. An error leaves this pipeline as it was."""
        spec, group = self.spec, self._group
        compensated = spec.memory.compensate(contributions, rate)
        sparsifier = spec.schedule.at(step, spec.sparsifier)
        vectors = compensated if sparsifier.wide else compensated.astype(np.float32, copy=False)
        # One stream per step: it needs no state, and differs between a worker and a later one of the same rank.
        draws = [stream(seed, "compressor", rank, step) for rank in group.ranks]
        rows = sparsifier.select(vectors, self._pattern_draws(sparsifier, draws, step, seed), group, step)
        added = spec.quantizer.add(rows, sparsifier.block, group, draws, spec.memory.exact)
        # A contribution that was late for the sum counts as not sent.
        late = [rank not in group.contributors for rank in group.ranks]
        sent = np.where(np.array(late)[:, None], np.float32(0), added.sent) if any(late) else added.sent
        now = group.seconds
        if self._ended is not None:
            spec.sparsifier.observe(added.total.astype(np.float32, copy=False), now - self._ended)
        total = added.total.astype(contributions.dtype, copy=False)
        # Before the memory overwrites them.
        sampled = self._sample.of(compensated), self._sample.of(sent)
        total = spec.memory.settle(compensated, sent, total, group)
        spec.quantizer.observe(total, group.size)
        self._ended = now
        self._sampled = sampled
        return Sum(total, sent, added.largest, added.largest_sum)

    def report(self, sent: int) -> list[Measured]:
        """What the last sum did to each parameter. sent: its bytes."""
        errors, carried = np.full(len(self.parameters), np.nan), np.zeros(len(self.parameters))
        if self._sampled:
            errors = self._sample.errors(*self._sampled)
            carried = np.array(self.spec.quantizer.carried() or self._sample.held(self._sampled[1]), np.float64)
        shares = carried / max(1.0, carried.sum())
        figures = zip(self.parameters, errors.tolist(), (sent * shares).tolist(), strict=True)
        return [
            Measured(each.name, each.shape, str(self.spec), error, spent, self.omega) for each, error, spent in figures
        ]

    def state(self, shared: bool = False) -> dict[str, NDArray[Any]]:
        return {f"{kind}.{name}": value for kind, part in self._parts() for name, value in part.state(shared).items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continues from a result of `state`; ignores other names."""
        for kind, part in self._parts():
            start = f"{kind}."
            part.restore({key.removeprefix(start): value for key, value in state.items() if key.startswith(start)})

    def _parts(self) -> tuple[tuple[str, Part], ...]:
        return ("sparsifier", self.spec.sparsifier), ("memory", self.spec.memory), ("quantizer", self.spec.quantizer)

    def _pattern_draws(self, sparsifier: Sparsifier, draws: list[Generator], step: int, seed: int) -> list[Generator]:
        if sparsifier.shared:
            return [stream(seed, "blocks for all", step) for _ in draws]
        return draws
