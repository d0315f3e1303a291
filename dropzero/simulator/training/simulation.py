"""Steps of training in virtual time: all-reduces in the simulator, other collectives by their formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dropzero.simulator.collectives.simulation import simulation
from dropzero.simulator.formulas import Scheme, collective_seconds
from dropzero.simulator.simulation import Plan
from dropzero.simulator.training.schedule import Span, schedule
from dropzero.simulator.training.trace import Node, Trace, TraceError, read
from dropzero.softswitch.engine.wire import SECOND


@dataclass(frozen=True)
class Steps:
    """Steps with one scheme.

    Attributes:
        scheme: that all-reduces.
        seconds: of the last step: from the end of the one before on the last worker, to its own.
        all_reduce_seconds: of its all-reduces together, each from the time at which all workers had come to it.
        exact: every worker's sums are exact.
        events: of the simulation.
        spans: of rank 0 in the last step, from its begin on.
    """

    scheme: Scheme
    seconds: float
    all_reduce_seconds: float
    exact: bool
    events: int
    spans: Sequence[Span]


def load(path: Path, workers: int, flops: float = 0.0, durations: dict[str, float] | None = None) -> list[Trace]:
    """Reads the trace of each rank.

    Args:
        path: of the file that all ranks share; or PATH, where rank r's is PATH.r.et.
        flops, durations: see trace.read.

    Raises:
        OSError, TraceError: see trace.read.
    """
    if path.exists() or not Path(f"{path}.0.et").exists():
        return [read(path, flops, durations)] * workers
    return [read(Path(f"{path}.{rank}.et"), flops, durations) for rank in range(workers)]


def compute_seconds(traces: Sequence[Trace]) -> float:
    """Returns the seconds of a step whose collectives take no time."""
    spans = schedule(traces, lambda _, start: [start] * len(traces), [0] * len(traces))
    return max(span.end for own in spans for span in own) / SECOND


def train(plan: Plan, traces: Sequence[Trace], steps: int = 2, look: Callable[[], None] = lambda: None) -> Steps:
    """Runs steps on a plan's network, one after the other. In the first, windows have yet to open.

    Args:
        plan: its size does not matter, and it has one job.
        traces: by rank.
        look: called now and then.

    Raises:
        SimulationError: an all-reduce does not end.
        TraceError: see `schedule`.
    """
    if plan.jobs > 1:
        raise TraceError("a trace is that of one job")
    simulated = simulation(plan)
    network = simulated.network
    exact = True
    calls = 0
    spent = 0

    def communicate(node: Node, start: int) -> Sequence[int]:
        nonlocal exact, calls, spent
        if node.collective != "ALL_REDUCE":
            assert node.collective is not None
            seconds = collective_seconds(node.collective, node.size, plan.workers, plan.quality.rate, plan.latency)
            return [start + round(seconds * SECOND)] * plan.workers
        network.rest(start)
        exact &= simulated.call(max(1, -(-node.size // 4)), plan.seed + calls, look)
        calls += 1
        ends: list[int] = network.state.hosts["finished"][: plan.workers].tolist()
        spent += max(ends) - start
        return ends

    begins = [0] * plan.workers
    for _ in range(steps):
        spent = 0
        before = max(begins)
        spans = schedule(traces, communicate, begins)
        begins = [own[-1].end for own in spans]
    own = [Span(span.node, span.begin - before, span.end - before) for span in spans[0]]
    return Steps(plan.scheme, (max(begins) - before) / SECOND, spent / SECOND, exact, network.events, own)
