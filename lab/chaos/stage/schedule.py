"""The schedule of a seed: its networks, jobs and faults in sequence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dropzero.streams import stream
from dropzero.topologies.networks.faults import Faults
from dropzero.topologies.networks.kind import PortKind
from lab.chaos.jobs.worker import Terms

LONGEST = {
    "stop-worker": 5.0,
    "stop-all-workers": 4.0,
    "stop-switch": 4.0,
    "stop-controller": 5.0,
    "kill-worker": 0.0,
    "kill-switch": 2.0,
    "kill-controller": 3.0,
    "host-link-down": 3.0,
    "switch-port-down": 3.0,
    "host-mtu": 3.0,
    "switch-port-mtu": 3.0,
    "cut-workers-from-controller": 4.0,
    "cut-controller-from-switch": 4.0,
    "loss": 6.0,
    "clock": 5.0,
    "full-disk": 4.0,
    "second-run": 0.0,
    "interrupt": 0.0,
    "forgery": 3.0,
}
"""Kinds of faults, with the longest duration in seconds: too short for a process to be taken for dead."""
REST = 0.5, 2.5
"""Range of the seconds between two faults."""
SETTING_UP = 3.0
"""Seconds until the controller has set up a restarted switch. Until then the controller alone has the state, and must
not fail."""
STAGE = 40.0
"""Approximate seconds that a network runs."""
JOB = 20.0
"""Approximate seconds that a job runs."""
MISBEHAVIOUR = 0.02
"""The probability that a worker misbehaves in a call, by default."""
PATIENCE = 12.0
"""The controller's --patience, seconds, in networks where its connections to workers may break: longer than a cut
followed by a stop of the worker."""


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        after: seconds after the end of the previous fault.
        lasts: seconds.
        target: an index into the possible targets, modulo their number.
        strength: from 0 to 1; its meaning depends on the kind.
    """

    kind: str
    after: float
    lasts: float
    target: int
    strength: float


@dataclass(frozen=True)
class Stage:
    """One network. ports: of its switches to the hosts. crews: the number of workers of each crew. patience: the
    controller's --patience, seconds."""

    number: int
    seconds: float
    racks: int
    hosts: int
    crews: tuple[int, ...]
    links: Faults
    ports: PortKind
    loss: float
    patience: float
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class Schedule:
    """The events that follow from a seed. workers: hosts of a network, over all racks. racks: 0 lets the seed
    decide."""

    seed: int
    workers: int = 4
    racks: int = 0
    kinds: Collection[str] = tuple(LONGEST)
    misbehaviour: float = MISBEHAVIOUR

    def stage(self, number: int) -> Stage:
        draw = stream(self.seed, "stages", number)
        racks = self.racks or (2 if number % 2 and self.workers >= 4 else 1)
        crews = (self.workers,) if draw.random() < 0.5 else (self.workers, max(2, self.workers // 2))
        # Half of the networks have good links.
        delay = float(draw.choice([0, 0, 0.2, 1]))
        links = Faults(delay, duplicate=0.02 * (delay > 0), reorder=0.1 * (delay > 0))
        loss = float(draw.choice([0, 0.005, 0.02]))
        # By default, the others have time to get the last result of a worker that has ended.
        patience = draw.choice([1.0, PATIENCE])
        seconds = STAGE * float(draw.uniform(0.7, 1.3))
        faults = self._faults(draw, seconds)
        ports = draw.choice(list(PortKind))
        return Stage(number, seconds, racks, self.workers, crews, links, PortKind(ports), loss, patience, faults)

    def _faults(self, draw: np.random.Generator, seconds: float) -> tuple[Fault, ...]:
        faults, at, after = [], 0.0, 1.0
        possible = sorted(self.kinds)
        # All kinds in turn, in a different order in each stage, so that short runs see many.
        order: list[str] = []
        while possible and at < seconds:
            order = order or [possible[each] for each in draw.permutation(len(possible))]
            kind = order.pop()
            lasts = LONGEST[kind] * float(draw.uniform(0.1, 1))
            faults.append(Fault(kind, after, lasts, int(draw.integers(1 << 16)), float(draw.random())))
            at += after + lasts
            after = float(draw.uniform(*REST)) + (SETTING_UP if kind == "kill-switch" else 0.0)
        return tuple(faults)

    def terms(self, stage: int, crew: int, job: int, size: int) -> Terms:
        """Return the options of the `job`-th job of a crew."""
        draw = stream(self.seed, "jobs", stage, crew, job)
        straggler = float(draw.uniform(0.3, 2)) if draw.random() < 0.25 else None
        token = "open sesame" if draw.random() < 0.5 else ""
        lanes = int(draw.choice([0, 0, 3, 16, 64]))
        on_loss = "raise" if draw.random() < 0.2 else "continue"
        nonfinite = "raise" if draw.random() < 0.2 else "propagate"
        seconds = JOB * float(draw.uniform(0.5, 1.5))
        return Terms(size, seconds, straggler, token, lanes, on_loss=on_loss, nonfinite=nonfinite)
