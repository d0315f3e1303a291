"""Collectives of groups that span scale-up domains, in stages.

If a group has equally many ranks, and more than one, in each of several domains, an all-reduce is a reduce-scatter in
each domain, then an all-reduce of each part between the ranks that have it, one in each domain and each with its own
network card, and last an all-gather in each domain. Other collectives have such stages, too. In a domain, or between
the ranks in one place of each domain, a stage begins when the last of these ranks has come to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dropzero.simulator.simulation import Plan
from dropzero.simulator.training.cluster import OF_EACH, Cluster
from dropzero.simulator.training.schedule import Operation, Over
from dropzero.simulator.training.trace import SEND

_Group = tuple[str, tuple[int, ...]]
"""A name and ranks."""

WITHIN, BETWEEN, FIRST = range(3)
"""Who has a stage: the ranks of each domain; those in the same place of each domain; the first ranks of the domains."""
_SCATTER = ((WITHIN, "REDUCE_SCATTER"), (BETWEEN, "REDUCE_SCATTER"))
STAGES: Mapping[str, Sequence[tuple[int, str]]] = {
    "ALL_REDUCE": ((WITHIN, "REDUCE_SCATTER"), (BETWEEN, "ALL_REDUCE"), (WITHIN, "ALL_GATHER")),
    "REDUCE_SCATTER": _SCATTER,
    "REDUCE_SCATTER_BLOCK": _SCATTER,
    "ALL_GATHER": ((BETWEEN, "ALL_GATHER"), (WITHIN, "ALL_GATHER")),
    "ALL_TO_ALL": ((WITHIN, "ALL_TO_ALL"), (BETWEEN, "ALL_TO_ALL")),
    "GATHER": ((WITHIN, "GATHER"), (FIRST, "GATHER")),
    "SCATTER": ((FIRST, "SCATTER"), (WITHIN, "SCATTER")),
    "BROADCAST": ((FIRST, "BROADCAST"), (WITHIN, "BROADCAST")),
    "REDUCE": ((WITHIN, "REDUCE"), (FIRST, "REDUCE")),
    "BARRIER": ((WITHIN, "BARRIER"), (FIRST, "BARRIER"), (WITHIN, "BARRIER")),
}
"""The stages of each collective, in order."""


class Finished(NamedTuple):
    """An operation that is over. begin, end: nanoseconds."""

    operation: Operation
    begin: int
    end: int


@dataclass
class _Step:
    """What some ranks do together. reached: when each of them has come to it. over: how many have ended it."""

    kind: str
    size: int
    ranks: tuple[int, ...]
    group: str
    reached: list[int] = field(default_factory=list)
    over: int = 0


@dataclass
class _Call:
    """An operation that is not over. steps: those before each rank. ends: of the ranks whose part is over."""

    operation: Operation
    start: int
    steps: dict[int, list[_Step]]
    ends: list[int] = field(default_factory=list)


class Hierarchy:
    """A medium (see `schedule`), on a cluster. plan, groups, reuse, look: see Cluster.

    Attributes:
        finished: the operations that are over.
    """

    def __init__(
        self,
        plan: Plan,
        groups: Mapping[str, tuple[int, ...]],
        *,
        reuse: bool = True,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.finished: list[Finished] = []
        self._look = look
        self._groups = {
            name: _split(name, plan.domain.parts(ranks))
            for name, ranks in groups.items()
            if plan.domain is not None and plan.domain.staged(ranks)
        }
        parts = (group for split in self._groups.values() for groups in split for group in groups)
        self.cluster = Cluster(plan, {**groups, **dict(parts)}, reuse=reuse, look=look)
        self._begun = 0
        """The cluster's operations so far."""
        self._under_way: dict[int, tuple[_Call, _Step]] = {}
        """By the number of the cluster's operation."""

    def begin(self, operation: Operation, start: int) -> None:
        call = _Call(operation, start, {rank: [] for rank in operation.ranks})
        for step in self._steps(operation):
            for rank in {*step.ranks}:
                call.steps[rank].append(step)
        for rank in call.steps:
            self._go(call, rank, start)

    def advance(self, until: int | None) -> Sequence[Over]:
        while over := self.cluster.advance(until):
            if done := [own for each in over if (own := self._end(each)) is not None]:
                return done
        return []

    def _steps(self, operation: Operation) -> Iterator[_Step]:
        """What an operation consists of, in order."""
        _, kind, size, ranks, group = operation
        if kind == SEND or group not in self._groups:
            yield _Step(kind, size, ranks, group)
            return
        for who, stage in STAGES[kind]:
            for name, members in self._groups[group][who]:
                yield _Step(stage, size, members, name)
            if stage in ("REDUCE_SCATTER", "SCATTER"):
                size = -(-size // len(members))
            elif stage in OF_EACH:
                size *= len(members)

    def _end(self, over: Over) -> Over | None:
        """Notes that a rank's step is over. Returns its part of the whole operation, if that is over, too."""
        call, step = self._under_way[over.operation.number]
        step.over += 1
        if step.over == len(step.reached):
            del self._under_way[over.operation.number]
        if call.steps[over.rank]:
            self._go(call, over.rank, over.time)
            return None
        call.ends.append(over.time)
        if len(call.ends) == len(call.steps):
            self.finished.append(Finished(call.operation, call.start, max(call.ends)))
            self._look()
        return over._replace(operation=call.operation)

    def _go(self, call: _Call, rank: int, time: int) -> None:
        """Brings a rank to its next step, which begins when all have come to it."""
        step = call.steps[rank].pop(0)
        step.reached.append(time)
        if len(step.reached) == len({*step.ranks}):
            operation = Operation(self._begun, step.kind, step.size, step.ranks, step.group)
            self._under_way[self._begun] = call, step
            self._begun += 1
            self.cluster.begin(operation, max(step.reached))


def _split(name: str, parts: Sequence[tuple[int, ...]]) -> tuple[list[_Group], list[_Group], list[_Group]]:
    """The groups of WITHIN, BETWEEN and FIRST. parts: ranks by domain."""
    within = [(f"{name} in domain {number}", part) for number, part in enumerate(parts)]
    between = [(f"{name} in place {number}", part) for number, part in enumerate(zip(*parts, strict=True))]
    return within, between, between[:1]
