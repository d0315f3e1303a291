"""Schedules: how the density changes over the steps. (`Cat`, `Dynamic` and `BlockCat` adapt by themselves.)"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dropzero.compressors.sparsifiers import Share, Sparsifier


class Schedule:
    """Fixed: the sparsifier's own density."""

    def at(self, step: int, sparsifier: Sparsifier) -> Sparsifier:
        """What to use in step number `step`, from 0."""
        return sparsifier


@dataclass(frozen=True)
class Warmup(Schedule):
    """One density after the other for so many steps each, and then the sparsifier's own (Lin et al., 2018; Shi et al.,
    2019): what error feedback sends late hurts most while the gradients change fast."""

    densities: tuple[float, ...]
    every: int

    def __post_init__(self) -> None:
        if not self.densities or not all(0 < density <= 1 for density in self.densities):
            raise ValueError("the densities of the stages are fractions in (0, 1]")
        if self.every < 1:
            raise ValueError(f"a stage has at least 1 step, not {self.every}")

    def at(self, step: int, sparsifier: Sparsifier) -> Sparsifier:
        stage = step // self.every
        if stage >= len(self.densities) or not isinstance(sparsifier, Share):
            return sparsifier
        return replace(sparsifier, density=self.densities[stage])
