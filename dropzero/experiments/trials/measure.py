"""Measures optimizers, in process and on the rack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from statistics import fmean
from typing import NamedTuple

import numpy as np

from dropzero.compressors.compression import Workers, group_of
from dropzero.experiments.trials.experiment import Row
from dropzero.methods.optimizers import Descent, Optimizer, Vector
from dropzero.problems.composite import Composite
from dropzero.problems.linear import Linear
from dropzero.protocol.wire import OUTER_BYTES, payload_bytes

DIVERGED = 1e12


QUERY = OUTER_BYTES + payload_bytes(0, 0)
"""Bytes of a query about a contribution, and of its answer."""


class Traffic:
    """One worker's bytes, headers included, and seconds since this object was made. Queries and their answers are not
    counted: they depend on how long this machine lets the other workers wait."""

    def __init__(self, network: Workers) -> None:
        self._network = network
        self._start = self._now()

    def _now(self) -> dict[str, float]:
        counts, group = self._network.statistics, group_of(self._network)
        again, asked = counts["retransmissions"] + counts["queries"], QUERY * counts["queries"]
        up, down = counts["bytes_sent"] - asked, counts["bytes_received"] - asked
        total = {"bytes up": up, "bytes down": down, "retransmissions": again}
        return {name: count / len(group.ranks) for name, count in total.items()} | {"seconds": group.seconds}

    def row(self) -> Row:
        """`bytes up`, `bytes down`, `retransmissions` (with the queries instead of them), `seconds`."""
        return {name: now - self._start[name] for name, now in self._now().items()}


def descend(
    series: str,
    optimizer: Optimizer,
    problem: Linear | Composite,
    network: Workers,
    steps: int,
    *,
    enough: float = 1e-16,
    points: int = 50,
) -> Iterator[Row]:
    """Makes `steps` steps. Yields rows at about `points` of them, with the `gap` f(x) - f(x*) relative to the first,
    the non-zero elements that a worker `sent`, counted, and the largest integers so far, of a worker and of the sum.

    It ends early when the gap is below `enough`, or the optimizer diverges.
    """
    first = problem.gap(optimizer.x)
    traffic = Traffic(network)
    own, total, sent = 0.0, 0.0, 0.0
    yield {"series": series, "step": 0, "gap": 1.0, **traffic.row()}
    for step in range(1, steps + 1):
        aggregate = optimizer.step()
        own, total = max(own, aggregate.largest), max(total, aggregate.largest_sum)
        sent += np.count_nonzero(aggregate.sent) / len(aggregate.sent)
        if step == steps or step % max(1, steps // points) == 0:
            gap = problem.gap(optimizer.x) / first
            # A logarithmic axis has no 0.
            row: Row = {"series": series, "step": step, "gap": max(gap, 1e-17), "sent": sent, **traffic.row()}
            yield row | {"largest integer": own, "largest sum": total}
            if not enough <= gap < DIVERGED:
                return


class Arrival(NamedTuple):
    """steps: until the target; infinite for a method that diverges or takes too many, so that nothing is measured
    against it. sent: the non-zero elements of a worker's message, counted, on average."""

    steps: float
    sent: float


def arrival(optimizer: Optimizer, error: Callable[[Vector], float], target: float, limit: float) -> Arrival:
    """Steps until the `error` of x is `target` times the first one; infinite for `limit` or more."""
    first, step, count = error(optimizer.x), 0, 0.0
    while (now := error(optimizer.x)) > target * first and step + 1 < limit and now < DIVERGED * first:
        sent = optimizer.step().sent
        count += np.count_nonzero(sent) / len(sent)
        step += 1
    return Arrival(step if now <= target * first else inf, count / max(step, 1))


def iterations(optimizer: Optimizer, error: Callable[[Vector], float], target: float, limit: float) -> float:
    """The steps of `arrival`."""
    return arrival(optimizer, error, target, limit).steps


class Tuned(NamedTuple):
    """paper: iterations with the paper's step; best: the fewest, with steps from it upward; most: how many times the
    paper's step may be for the method to arrive within twice those."""

    paper: float
    best: float
    most: float


def tuned(
    method: Callable[..., Descent],
    error: Callable[[Vector], float],
    target: float,
    *,
    limit: float,
    factor: float,
) -> Tuned:
    """Makes steps longer by `factor`, again and again, until the method does not arrive within twice the fewest
    iterations so far. method: makes it, with the paper's step or with `gamma`. error, target, limit: see `arrival`."""
    first, times = method(), 1.0
    paper = best = iterations(first, error, target, limit)
    while (found := iterations(method(gamma=times * factor * first.gamma), error, target, min(limit, 2 * best))) < inf:
        times, best = times * factor, min(best, found)
    return Tuned(paper, best, times)


def last(rows: Sequence[Row], series: str, measure: str) -> float:
    """The value of `measure` in the last row of a series that has one."""
    return float([row[measure] for row in rows if row["series"] == series and measure in row][-1])


def ends(rows: Sequence[Row], measure: str, by: str = "seed") -> dict[str, dict[float, float]]:
    """The last value of each series with each seed, or number of another kind."""
    found: dict[str, dict[float, float]] = {}
    for row in rows:
        found.setdefault(str(row["series"]), {})[float(row[by])] = float(row[measure])
    return found


def final(rows: Sequence[Row], measure: str = "accuracy") -> dict[str, float]:
    """The mean over the seeds of each series' last value."""
    return {series: fmean(each.values()) for series, each in ends(rows, measure).items()}
