"""ATP's contention: many jobs that share links, and many jobs that share few slots."""

from __future__ import annotations

from collections.abc import Sequence

from bench.papers.chart import Curve, Kind, Panel
from bench.papers.runs import links, run
from dropzero.simulator.formulas import Scheme
from dropzero.simulator.simulation import Plan

ABSTRACT = "ATP, abstract: training of several jobs is up to 38 % to 66 % faster than with existing systems"
GAINS = (1.38, 1.66)
JOBS = (1, 2, 4, 8)
SLOTS = 64
"""The slots of all jobs together, in the last panel."""
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
    gains = [
        Curve("simulated", Kind.SIMULATED, best),
        *(
            Curve(f"ATP, up to {gain}", Kind.PUBLISHED, [(counts[0], gain), (counts[-1], gain)], 1, ABSTRACT)
            for gain in GAINS
        ),
    ]
    shares = []
    for jobs in counts:
        result = run(Plan(8, 1, links(100), size, jobs=jobs, lanes=SLOTS // jobs))
        shares.append((jobs, 8e-9 * size / result.seconds))
    return [
        Panel("8 workers per job on 4 racks, 100 Gbit/s", "jobs", "Gbit/s of all jobs", together, "x", counts),
        Panel("Dropzero over the best of the others", "jobs", "speed-up", gains, "x", counts),
        Panel(
            f"one switch, {SLOTS} slots for all jobs",
            "jobs",
            "Gbit/s of a job",
            [Curve("equal shares", Kind.SIMULATED, shares)],
            "x",
            counts,
        ),
    ]
