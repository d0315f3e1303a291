"""An experiment: what a paper says, the trials that would show it, and the judgement over what they measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dropzero.compressors.ensemble import Ensemble
from dropzero.compressors.network import Network

Row = dict[str, str | float]
"""One line of the CSV. `series`: what is compared; `workers`: how many; the rest are an experiment's own measures."""


@dataclass(frozen=True)
class Verdict:
    """`measured`: one sentence with the numbers; `holds`: whether the claim does."""

    measured: str
    holds: bool


@dataclass(frozen=True)
class Axes:
    """What the figure shows of the rows: `y` over `x`, a line a series. `log`: which of "x" and "y" are logarithmic.
    `bars`: a bar a series instead, of `y` at the last `x`."""

    x: str
    y: str
    log: str = ""
    bars: bool = False


@dataclass(frozen=True)
class Experiment:
    """One claim.

    Attributes:
        name: for the command line.
        claim: what the paper says, and which one.
        trials: yields rows, measured with the workers of this network; `quick` does less, for a first look.
        judge: says what the rows of one place, of all sizes there, show.
        axes: of the figure.
        workers: the sizes tried in process.
        hosts: the workers on the emulated rack.
        rate: of the rack's links, Mbit/s; None for no limit.
    """

    name: str
    claim: str
    trials: Callable[[Network | Ensemble, bool], Iterator[Row]]
    judge: Callable[[Sequence[Row]], Verdict]
    axes: Axes
    workers: tuple[int, ...] = (8,)
    hosts: int = 4
    rate: float | None = None
