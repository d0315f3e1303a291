"""An experiment: a paper's claim, trials that test it, and a judge of what they measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan

from dropzero.compressors.compression import Workers

Row = dict[str, str | float]
"""One line of the CSV. series: the method compared; workers: their number; the other keys are measurements."""


@dataclass(frozen=True)
class Condition:
    """A measured number, and the threshold that it must not exceed, or, with `least`, not fall below. why: the reason
    for a failure, if it is known."""

    name: str
    measured: float
    threshold: float
    least: bool = False
    why: str = ""

    @property
    def holds(self) -> bool:
        return self.measured >= self.threshold if self.least else self.measured <= self.threshold

    @property
    def slack(self) -> float:
        """How far the measured number is from the threshold, over the threshold; negative if it fails."""
        away = (self.measured - self.threshold) * (1 if self.least else -1)
        return away / abs(self.threshold) if self.threshold else (inf if self.holds else -inf)

    def __str__(self) -> str:
        told = f"{self.name}: {self.measured:.3g}, at {'least' if self.least else 'most'} {self.threshold:.3g}"
        return told if self.holds or not self.why else f"{told} ({self.why})"


def at_most(name: str, measured: float, threshold: float, why: str = "") -> Condition:
    return Condition(name, measured, threshold, why=why)


def at_least(name: str, measured: float, threshold: float, why: str = "") -> Condition:
    return Condition(name, measured, threshold, least=True, why=why)


def stops(name: str, gap: float, floor: float) -> list[Condition]:
    """The conditions that a gap, relative to the first one, stops at a floor: it neither falls below it nor grows."""
    return [at_least(name, gap, floor), at_most(f"{name}, which stops and does not grow", gap, 1)]


@dataclass(frozen=True)
class Verdict:
    """A judgement. measured: a sentence with the numbers. conditions: the claim holds if there are any and all hold."""

    measured: str
    conditions: Sequence[Condition]

    @property
    def holds(self) -> bool:
        return bool(self.conditions) and not self.broken

    @property
    def broken(self) -> list[Condition]:
        return [condition for condition in self.conditions if not condition.holds]

    def __str__(self) -> str:
        """The sentence, and the condition that is nearest to its threshold."""
        if not self.conditions:
            return self.measured
        least = min(self.conditions, key=lambda each: each.slack)
        count = len(self.conditions)
        return f"{self.measured}; of {count} conditions {count - len(self.broken)} hold, with the least slack: {least}"


@dataclass(frozen=True)
class Axes:
    """The axes of the figure: `y` over `x`, a line for each series. log: which of "x" and "y" are logarithmic. bars: a
    bar for each series instead, of `y` at the last `x`."""

    x: str
    y: str
    log: str = ""
    bars: bool = False


@dataclass(frozen=True)
class Experiment:
    """One claim.

    Attributes:
        name: for the command line.
        claim: the paper's claim, with its key in docs/references.md.
        trials: (workers, quick) -> measured rows; `quick` measures fewer, for a first look.
        verdict: rows of one place, for all numbers of workers -> the verdict on them, if all are numbers; see `judge`.
        axes: the axes of the figure.
        workers: numbers of workers to test in process.
        hosts: number of workers on the emulated rack.
        rate: of the rack's links, Mbit/s; None for no limit.
        table: the rows of one place as Markdown, to print; None: no table.
        refuted: why the claim is known not to hold here; empty: it holds.
        labelled: its data are two classes, which may come from a file (`--data`).
        captured: on the rack, bytes are those in captures of the switch's ports; see dropzero.experiments.captured.
    """

    name: str
    claim: str
    trials: Callable[[Workers, bool], Iterator[Row]]
    verdict: Callable[[Sequence[Row]], Verdict]
    axes: Axes
    workers: tuple[int, ...] = (8,)
    hosts: int = 4
    rate: float | None = None
    table: Callable[[Sequence[Row]], str] | None = None
    labelled: bool = False
    captured: bool = False
    refuted: str = ""

    def recorded(self, verdict: Verdict) -> bool:
        """Whether the verdict is the recorded one: the claim holds, or does not for the known reasons alone."""
        if not self.refuted:
            return verdict.holds
        return bool(verdict.broken) and all(condition.why for condition in verdict.broken)

    def judge(self, rows: Sequence[Row]) -> Verdict:
        """The verdict on the rows of one place. A NaN among the measurements also breaks the claim: the largest and the
        least of some numbers may ignore it."""
        verdict = self.verdict(rows)
        values = ((row["series"], key, value) for row in rows for key, value in row.items())
        lost = [f"{key} of {series}" for series, key, value in values if isinstance(value, float) and isnan(value)]
        if not lost:
            return verdict
        conditions = [
            *verdict.conditions,
            at_most(f"measurements that are not numbers, such as {lost[0]}", len(lost), 0),
        ]
        return replace(verdict, conditions=conditions)
