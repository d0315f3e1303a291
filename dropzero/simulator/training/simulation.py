"""Steps of training in virtual time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dropzero.simulator.formulas import Scheme
from dropzero.simulator.simulation import Plan
from dropzero.simulator.training import goal
from dropzero.simulator.training.hierarchy import Hierarchy
from dropzero.simulator.training.schedule import Operation, Over, Span, groups_of, schedule
from dropzero.simulator.training.trace import SEND, Trace, TraceError, read
from dropzero.softswitch.engine.wire import SECOND

Groups = Mapping[str, Sequence[int]]
"""Ranks by the names of groups."""


@dataclass(frozen=True)
class Steps:
    """Steps with one scheme.

    Attributes:
        scheme: that all-reduces.
        seconds: of the last step: from the end of the one before on the last worker, to its own.
        kinds: seconds of all operations of each kind in which rank 0 takes part, each from the time at which all ranks
            had come to it.
        exact: every worker's sums are exact.
        events: of the simulation.
        operations, simulated: between ranks, in all steps, those of each stage, and those of them whose packets were
            simulated.
        link_bytes: that each link carried in the last step, by kind and ends: see Cluster.links.
        spans: of rank 0 in the last step, from its begin on.
    """

    scheme: Scheme
    seconds: float
    kinds: Mapping[str, float]
    exact: bool
    events: int
    operations: int
    simulated: int
    link_bytes: Mapping[str, Mapping[str, int]]
    spans: Sequence[Span]


class SoFar(NamedTuple):
    """How far a simulation is.

    Attributes:
        operations, total: between ranks, those that are over, and all.
        seconds: of virtual time.
        events: so far.
    """

    operations: int
    total: int
    seconds: float
    events: int


def load(path: Path, workers: int, flops: float = 0.0, durations: dict[str, float] | None = None) -> list[Trace]:
    """Reads the trace of each rank.

    Args:
        path: of the file that all ranks share; or PATH, where rank r's is PATH.r.et; or of a schedule in GOAL.
        flops, durations: see trace.read; a schedule in GOAL has all durations.

    Raises:
        OSError, TraceError: see trace.read.
    """
    if path.exists() and goal.is_goal(path):
        traces = goal.read(path)
        if len(traces) != workers:
            raise TraceError(f"{path} has {len(traces)} ranks, and there are {workers} workers")
        return traces
    if path.exists() or not Path(f"{path}.0.et").exists():
        return [read(path, flops, durations)] * workers
    if (more := Path(f"{path}.{workers}.et")).exists():
        raise TraceError(f"{more} is the trace of one more rank, and there are {workers} workers")
    return [read(Path(f"{path}.{rank}.et"), flops, durations) for rank in range(workers)]


class _Instant:
    """A medium that takes no time."""

    def __init__(self) -> None:
        self._over: list[Over] = []

    def begin(self, operation: Operation, start: int) -> None:
        self._over += [Over(operation, rank, start) for rank in operation.ranks]

    def advance(self, until: int | None) -> Sequence[Over]:
        over, self._over = self._over, []
        return over


def compute_seconds(traces: Sequence[Trace], groups: Groups | None = None, steps: int = 1) -> float:
    """Returns the seconds of the last step, as in Steps, if operations between ranks took no time. groups: see
    `groups_of`."""
    known, medium, begins = groups_of(traces, groups), _Instant(), [0] * len(traces)
    for _ in range(steps):
        before = max(begins)
        begins = _ends(schedule(traces, known, medium, begins), begins)
    return (max(begins) - before) / SECOND


def _ends(spans: Sequence[Sequence[Span]], begins: Sequence[int]) -> list[int]:
    """When each rank's step ends."""
    return [own[-1].end if own else begin for own, begin in zip(spans, begins, strict=True)]


def train(
    plan: Plan,
    traces: Sequence[Trace],
    steps: int = 2,
    look: Callable[[SoFar], None] = lambda progress: None,
    groups: Groups | None = None,
    *,
    reuse: bool = True,
) -> Steps:
    """Runs steps on a plan's network, one after the other. In the first, windows have yet to open.

    Args:
        plan: its size does not matter, and it has one job.
        traces: by rank.
        look: called now and then.
        groups: see `groups_of`.
        reuse: see Cluster. With it, bytes of links are those of the operation whose times were reused.

    Raises:
        SimulationError: an operation does not end.
        TraceError: see `schedule`.
    """
    if plan.jobs > 1:
        raise TraceError("a trace is that of one job")
    known = groups_of(traces, groups)
    before_step, operations = 0, _operations(traces, known)

    def progress() -> None:
        over = before_step + len(medium.finished)
        look(SoFar(over, steps * operations, cluster.network.time / SECOND, cluster.network.events))

    medium = Hierarchy(plan, known, reuse=reuse, look=progress)
    cluster = medium.cluster
    begins = [0] * plan.workers
    for step in range(steps):
        before_step = step * operations
        medium.finished.clear()
        before, carried = max(begins), cluster.bytes
        spans = schedule(traces, known, medium, begins)
        begins = _ends(spans, begins)
    spent: Counter[str] = Counter()
    for operation, begin, end in medium.finished:
        if 0 in operation.ranks:
            spent[operation.kind] += end - begin
    carried = (cluster.bytes - carried) * plan.coarse
    own = [Span(span.node, span.begin - before, span.end - before) for span in spans[0]]
    return Steps(
        plan.scheme,
        (max(begins) - before) / SECOND,
        {kind: nanoseconds / SECOND for kind, nanoseconds in sorted(spent.items())},
        cluster.exact,
        cluster.network.events,
        cluster.begun,
        cluster.simulated,
        {kind: {ends: int(carried[each]) for ends, each in links.items()} for kind, links in cluster.links.items()},
        own,
    )


def _operations(traces: Sequence[Trace], groups: Mapping[str, tuple[int, ...]]) -> int:
    """The operations between ranks in a step."""
    collectives = (node.group == name for name, ranks in groups.items() for node in traces[ranks[0]].collectives)
    return sum(collectives) + sum(node.collective == SEND for trace in traces for node in trace.nodes)
