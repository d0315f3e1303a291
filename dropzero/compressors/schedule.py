"""Schedules: how the density changes over the steps. (Cat, Dynamic and BlockCat adapt by themselves.)"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dropzero.compressors.sparsifiers import Share, Sparsifier


class Schedule:
    """Fixed: always the sparsifier's own density."""

    def at(self, step: int, sparsifier: Sparsifier) -> Sparsifier:
        """The sparsifier to use in step `step`, from 0."""
        return sparsifier

    def stages(self, sparsifier: Sparsifier) -> list[Sparsifier]:
        """All that `at` returns."""
        return [sparsifier]


@dataclass(frozen=True)
class Warmup(Schedule):
    """Each density in turn for `every` steps, then the sparsifier's own ([DGC] section 3.3; [gTop-k]). Values that are
    sent late by error feedback do most harm at first, while gradients change fast."""

    densities: tuple[float, ...]
    every: int

    def __post_init__(self) -> None:
        if not self.densities or not all(0 < density <= 1 for density in self.densities):
            raise ValueError("the stages' densities must be in (0, 1]")
        if self.every < 1:
            raise ValueError(f"a stage must have at least 1 step, not {self.every}")

    def at(self, step: int, sparsifier: Sparsifier) -> Sparsifier:
        stage = step // self.every
        if stage >= len(self.densities) or not isinstance(sparsifier, Share):
            return sparsifier
        return replace(sparsifier, density=self.densities[stage])

    def stages(self, sparsifier: Sparsifier) -> list[Sparsifier]:
        return [self.at(stage * self.every, sparsifier) for stage in range(len(self.densities) + 1)]
