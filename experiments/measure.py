"""What trials measure along the way of an optimizer, in process and on the rack the same."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from dropzero.compressors.ensemble import Ensemble
from dropzero.compressors.network import Network
from dropzero.experiments.experiment import Row
from dropzero.methods.optimizers import Optimizer
from dropzero.problems.linear import Linear

DIVERGED = 1e12


def clock(network: Network | Ensemble) -> float:
    """Seconds, of which only differences mean something; on an Ensemble those that its links would have taken."""
    return network.seconds if isinstance(network, Ensemble) else time.monotonic()


class Traffic:
    """Bytes and seconds since it was made: of one worker, headers included."""

    def __init__(self, network: Network | Ensemble) -> None:
        self._network = network
        self._start = self._now()

    def _now(self) -> dict[str, float]:
        counts, network = self._network.statistics, self._network
        share = network.size if isinstance(network, Ensemble) else 1
        counted = {"bytes up": "bytes_sent", "bytes down": "bytes_received", "retransmissions": "retransmissions"}
        return {name: counts[key] / share for name, key in counted.items()} | {"seconds": clock(network)}

    def row(self) -> Row:
        """`bytes up`, `bytes down`, `retransmissions`, `seconds`."""
        return {name: now - self._start[name] for name, now in self._now().items()}


def descend(
    series: str,
    optimizer: Optimizer,
    problem: Linear,
    network: Network | Ensemble,
    steps: int,
    *,
    enough: float = 1e-16,
    points: int = 50,
) -> Iterator[Row]:
    """So many steps; rows with the `gap` f(x) - f(x*), relative to the first, at about so many of them, and the largest
    integers so far: a worker's own, and of their sum.

    It ends early where the gap is below `enough` or the optimizer diverges.
    """
    first = problem.gap(optimizer.x)
    traffic = Traffic(network)
    own, total = 0.0, 0.0
    yield {"series": series, "step": 0, "gap": 1.0, **traffic.row()}
    for step in range(1, steps + 1):
        aggregate = optimizer.step()
        own, total = max(own, aggregate.largest), max(total, aggregate.largest_sum)
        if step == steps or step % max(1, steps // points) == 0:
            gap = problem.gap(optimizer.x) / first
            # A logarithmic axis has no 0.
            row: Row = {"series": series, "step": step, "gap": max(gap, 1e-17), **traffic.row()}
            yield row | {"largest integer": own, "largest sum": total}
            if not enough <= gap < DIVERGED:
                return


def iterations(optimizer: Optimizer, problem: Linear, target: float, limit: int) -> int:
    """How many steps bring the gap to `target` times the first; `limit` if they do not."""
    goal = target * problem.gap(optimizer.x)
    for step in range(limit):
        if problem.gap(optimizer.x) <= goal:
            return step
        optimizer.step()
    return limit


def last(rows: Sequence[Row], series: str, measure: str) -> float:
    """The measure in the last row of a series that has it."""
    return float([row[measure] for row in rows if row["series"] == series and measure in row][-1])
