"""What `dropzero simulate training` does: a step of training, with and without in-network aggregation."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.filesize import decimal
from rich.table import Table

from dropzero.console import table_of
from dropzero.figures import COLOURS, MUTED, drawn
from dropzero.help import TrainingOption
from dropzero.simulator.formulas import Scheme
from dropzero.simulator.simulation import Plan
from dropzero.simulator.training.coarse import coarser, smaller
from dropzero.simulator.training.schedule import Span
from dropzero.simulator.training.simulation import SoFar, Steps, compute_seconds, load, train
from dropzero.simulator.training.trace import SEND, TraceError
from dropzero.softswitch.engine.wire import SECOND
from dropzero.units import RATES, parse, span


@dataclass(frozen=True)
class Profile:
    """Where a step's operations and durations come from."""

    trace: Annotated[
        Path,
        typer.Argument(
            help="A Chakra execution trace, the same for all workers; or PATH, if PATH.0.et, PATH.1.et, ... are theirs;"
            " or a schedule in GOAL, as LogGOPSim and ATLAHS have."
        ),
    ]
    flops: Annotated[str, TrainingOption(help="Operations a second, for nodes without a duration: 100T.")] = "0"
    durations: Annotated[
        Path | None, TrainingOption(metavar="JSON", help="Microseconds by names of nodes, instead of the trace's.")
    ] = None
    groups: Annotated[
        Path | None,
        TrainingOption(
            metavar="JSON", help="Lists of ranks by names of process groups; else a trace says whose it is."
        ),
    ] = None
    exact: Annotated[
        bool,
        TrainingOption("--exact", help="Simulate all packets, also of operations that take as long as one before."),
    ] = False
    coarse: Annotated[
        int,
        TrainingOption(min=1, help="Simulate one packet in place of this many: faster by as much, but not exact."),
    ] = 1
    steps: Annotated[int, TrainingOption(min=1, help="Steps to simulate; the last one counts.")] = 2


@dataclass(frozen=True)
class Training:
    """A step, by scheme: Dropzero first. compute_seconds: of the step if collectives took no time. coarse: how many
    packets one stands for."""

    plan: Plan
    coarse: int
    compute_seconds: float
    steps: Sequence[Steps]

    @property
    def exact(self) -> bool:
        return all(each.exact for each in self.steps)

    def json(self) -> str:
        """As JSON; times of rank 0's operations in seconds from the step's begin on."""
        plan = self.plan
        schemes = {
            str(each.scheme): {
                "step_seconds": each.seconds,
                "kind_seconds": each.kinds,
                "exact": each.exact,
                "events": each.events,
                "operations_between_ranks": each.operations,
                "simulated": each.simulated,
                "link_bytes": each.link_bytes,
                "operations": [
                    {"name": node.name, "begin": begin / SECOND, "end": end / SECOND} for node, begin, end in each.spans
                ],
            }
            for each in self.steps
        }
        about = {"workers": plan.workers, "racks": plan.racks, "rate": plan.quality.rate, "density": plan.density}
        about |= {"coarse": self.coarse, "spines": plan.spines}
        fabric = {"placement": plan.placement, "domain": None if plan.domain is None else asdict(plan.domain)}
        written = about | fabric | {"exact": self.exact, "compute_seconds": self.compute_seconds, "schemes": schemes}
        return json.dumps(written, indent=2) + "\n"

    def table(self) -> Table:
        table = table_of(["", *(str(each.scheme) for each in self.steps)], ())
        times = [each.seconds for each in self.steps]
        table.add_row("a step", *map(span, times))
        table.add_row("without communication", *[span(self.compute_seconds)] * len(times))
        table.add_row("waiting for communication", *(span(time - self.compute_seconds) for time in times))
        for kind in self.steps[0].kinds:
            name = "messages" if kind == SEND else f"{kind.lower().replace('_', '-')}s"
            table.add_row(f"{name} of rank 0", *(span(each.kinds[kind]) for each in self.steps))
        for kind in self.steps[0].link_bytes:
            carried = [each.link_bytes[kind].values() for each in self.steps]
            table.add_row(f"bytes on links {kind}", *(decimal(sum(each)) for each in carried))
            table.add_row("on one of these, at most", *(decimal(max(each)) for each in carried))
        table.add_row("times as long", *(f"{time / times[0]:.2f}" if times[0] else "" for time in times))
        table.add_row("every sum exact", *("yes" if each.exact else "NO" for each in self.steps))
        if self.coarse > 1:
            table.add_row("packets that one stands for", *[str(self.coarse)] * len(times))
        table.add_row("operations between ranks", *(f"{each.operations:,}" for each in self.steps))
        table.add_row("of these simulated", *(f"{each.simulated:,}" for each in self.steps))
        return table

    def draw(self, path: Path) -> None:
        """Draws rank 0's last step: when each processor and the network are busy."""
        lanes = sorted({_lane(each) for steps in self.steps for each in steps.spans if each.end > each.begin})
        colours = dict(zip(lanes, COLOURS, strict=False))
        end = max(each.seconds for each in self.steps)
        with drawn(path, (9, 1.2 + len(self.steps) * (0.5 + 0.35 * len(lanes))), rows=len(self.steps)) as (_, all_axes):
            for axes, steps in zip(all_axes, self.steps, strict=True):
                for node, first, last in steps.spans:
                    lane = _lane(Span(node, first, last))
                    if last > first:
                        bar = [(1e3 * first / SECOND, 1e3 * (last - first) / SECOND)]
                        place = (lanes.index(lane) - 0.4, 0.8)
                        axes.broken_barh(bar, place, color=colours[lane], edgecolor="white", linewidth=0.5)
                axes.axvline(1e3 * steps.seconds, color=MUTED, lw=1)
                axes.set(xlim=(0, 1.02e3 * end), title=f"{steps.scheme}: a step takes {span(steps.seconds)}")
                axes.set_yticks(range(len(lanes)), lanes)
                axes.invert_yaxis()
                axes.grid(visible=False)
            all_axes[-1].set_xlabel("milliseconds on rank 0")


def run(plan: Plan, profile: Profile, look: Callable[[Scheme, SoFar], None] = lambda scheme, now: None) -> Training:
    """Simulates a plan's step, with Dropzero and with the plan's scheme, or a ring. look: called now and then. Raises
    OSError, ValueError or SimulationError if it cannot be simulated."""
    durations = None if profile.durations is None else _durations(profile.durations)
    traces = load(profile.trace, plan.workers, parse(profile.flops, RATES), durations)
    other = Scheme.RING if plan.scheme is Scheme.DROPZERO else plan.scheme
    groups = None if profile.groups is None else _groups(profile.groups)
    plans = [coarser(replace(plan, scheme=scheme), profile.coarse) for scheme in (Scheme.DROPZERO, other)]
    shrunk = [smaller(trace, profile.coarse) for trace in traces]
    trained = [
        train(each, shrunk, profile.steps, partial(look, each.scheme), groups, reuse=not profile.exact)
        for each in plans
    ]
    return Training(plan, profile.coarse, compute_seconds(traces, groups, profile.steps), trained)


def _groups(path: Path) -> dict[str, list[int]]:
    """Reads ranks by the names of groups. Raises OSError, TraceError."""
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    lists = [*found.values()] if isinstance(found, dict) else [None]
    if not all(isinstance(each, list) and each and all(type(rank) is int for rank in each) for each in lists):
        raise TraceError(f"{path} is not a JSON object with a list of ranks for each group")
    return dict(found or {})


def _durations(path: Path) -> dict[str, float]:
    """Reads microseconds by the names of nodes. Raises OSError, TraceError."""
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        found = None
    if not (isinstance(found, dict) and all(isinstance(each, int | float) for each in found.values())):
        raise TraceError(f"{path} is not a JSON object with a number of microseconds for each name")
    if bad := [name for name, each in found.items() if not 0 <= each < math.inf]:
        raise TraceError(f"{path}: {bad[0]} takes {found[bad[0]]} us")
    return found


def _lane(span: Span) -> str:
    return "network" if span.node.collective is not None else span.node.processor
