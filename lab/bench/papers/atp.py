"""ATP's contention: many jobs that share links, and many jobs that share few slots, with a host for those without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dropzero.simulator.formulas import Scheme
from dropzero.simulator.simulation import Plan
from dropzero.softswitch.engine.wire import SECOND
from lab.bench.papers.chart import Curve, Kind, Panel
from lab.bench.papers.runs import links, run

ABSTRACT = "ATP, abstract: training of several jobs is up to 38 % to 66 % faster than with existing systems"
GAINS = (1.38, 1.66)
JOBS = (1, 2, 4, 8)
SLOTS = 64
"""The slots of all jobs together."""
LANES = 32
"""What a job wants of these, once some may get none: it fills a round trip."""
CALLS = 16
"""All-reduces of a job. What is over when a job moves is not made again."""
POLICIES: Mapping[str, tuple[str, bool]] = {
    "first come, in line": ("first-come", False),
    "best effort, host": ("best-effort", True),
    "weighted fair": ("weighted-fair", True),
    "priority, host": ("priority", True),
}
"""Policies, and whether there is an aggregator, by their curves' names."""
SCHEMES = (Scheme.DROPZERO, Scheme.HIERARCHICAL_RING, Scheme.RING, Scheme.PARAMETER_SERVER)


def curves(size: int, counts: Sequence[int] = JOBS) -> list[Panel]:
    """Rates over the number of jobs, of 8 workers at 100 Gbit/s: of all jobs, by scheme; Dropzero's speed-up; of a
    job."""

    def rate(scheme: Scheme, jobs: int) -> float:
        """Gradient of all jobs on four racks, Gbit/s."""
        plan = Plan(8, 4, links(100), size, jobs=jobs, scheme=scheme)
        return 8e-9 * size * jobs / run(plan).seconds

    by_scheme = {scheme: [(jobs, rate(scheme, jobs)) for jobs in counts] for scheme in SCHEMES}
    together = [
        Curve(scheme.replace("drop", "Drop"), Kind.SIMULATED, points, colour)
        for colour, (scheme, points) in enumerate(by_scheme.items())
    ]
    own, *others = by_scheme.values()
    best = [(jobs, mine / max(each[place][1] for each in others)) for place, (jobs, mine) in enumerate(own)]
    gains = [Curve("simulated", Kind.SIMULATED, best)]
    for gain in GAINS:
        everywhere = [(counts[0], gain), (counts[-1], gain)]
        gains.append(Curve(f"ATP, up to {gain}", Kind.PUBLISHED, everywhere, 1, ABSTRACT))
    shared = {jobs: run(Plan(8, 1, links(100), size, jobs=jobs, lanes=SLOTS // jobs)).seconds for jobs in counts}
    shares = [(jobs, 8e-9 * size / seconds) for jobs, seconds in shared.items()]
    equal = [Curve("equal shares", Kind.SIMULATED, shares)]
    return [
        Panel("8 workers per job on 4 racks, 100 Gbit/s", "jobs", "Gbit/s of all jobs", together, "x", counts),
        Panel("Dropzero over the best of the others", "jobs", "speed-up", gains, "x", counts),
        Panel(f"one switch, {SLOTS} slots for all jobs", "jobs", "Gbit/s of a job", equal, "x", counts),
    ]


def slots(size: int, counts: Sequence[int] = range(1, 9)) -> list[Panel]:
    """Time over the number of jobs, of 4 workers at 100 Gbit/s, with slots for two jobs: by policy; on the host."""
    plan = Plan(4, 1, links(100), size, lanes=LANES, slots=SLOTS, calls=CALLS)
    alone = run(plan).seconds

    # One after the other, each of a higher priority than those before it.
    coming = replace(plan, priorities=tuple(range(1, counts[-1] + 1)), stagger=round(alone * SECOND / 4))

    def mean(policy: str, aggregator: bool, jobs: int) -> float:
        times = run(replace(coming, policy=policy, aggregator=aggregator, jobs=jobs)).job_seconds
        return sum(times) / jobs / alone

    def slowest(policy: str, jobs: int) -> float:
        """The slowest of jobs that arrive together. Under first-come, those on the host stay there."""
        return run(replace(plan, policy=policy, aggregator=True, jobs=jobs)).seconds / alone

    means = [
        Curve(label, Kind.SIMULATED, [(jobs, mean(*policy, jobs)) for jobs in counts], colour)
        for colour, (label, policy) in enumerate(POLICIES.items())
    ]
    full = [jobs for jobs in counts if jobs * LANES > SLOTS]
    formula = [(jobs, (jobs - SLOTS // LANES) * plan.hosted_formula_seconds / alone) for jobs in full]
    slow = [
        Curve("on the host", Kind.SIMULATED, [(jobs, slowest("first-come", jobs)) for jobs in full], 1),
        Curve("on the host", Kind.FORMULA, formula, 1),
        Curve("weighted fair", Kind.SIMULATED, [(jobs, slowest("weighted-fair", jobs)) for jobs in counts], 2),
    ]
    title = f"{plan.workers} workers per job, slots for two jobs"
    return [
        Panel(f"{title}, which come and go", "jobs", "mean time of a job, alone: 1", means, "", counts),
        Panel(f"{title}, which come together", "jobs", "time of the slowest job, alone: 1", slow, "y", counts),
    ]
