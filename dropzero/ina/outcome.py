"""The outcome of a run in which every sum is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dropzero.ina.audit import Audit
from dropzero.ina.conditions import Conditions
from dropzero.ina.protocol import Protocol, Tensor, Worker
from dropzero.ina.window import CHUNK
from dropzero.softswitch.engine.wire import SECOND
from dropzero.streams import stream

SMALL = 1 << 14
"""A bound of elements: with 32 workers, and 4,096 of them added up in a transform, no sum of int32 wraps around."""
PATIENCE = 10 * SECOND
"""Nanoseconds without progress after which a run is given up, once all workers have started."""


def tensors(protocol: Protocol, elements: int, conditions: Conditions) -> list[Tensor]:
    """Random tensors, one for each worker. Sums of int32 wrap around, in the switch and in numpy, unless the protocol's
    may leave out workers: then their mean must mean something."""
    bound = SMALL if protocol.partial else 1 << 31
    made = []
    for rank in range(protocol.workers):
        luck = stream(conditions.seed, "tensors", rank)
        tensor = luck.integers(-bound, bound, elements, np.int32)
        if conditions.density < 1:
            blocks = luck.random(-(-elements // CHUNK)) < conditions.density
            tensor *= np.repeat(blocks, CHUNK)[:elements]
        made.append(tensor)
    return made


@dataclass(frozen=True)
class Outcome:
    """What a run has shown.

    Attributes:
        seconds: from the start until all workers have their sums.
        jobs: the same for each job's workers.
        ended: the same for each worker that was not killed, by rank.
        packets: checked: those that hosts sent, and those that a switch sent to hosts; emulated, also those between
            switches, at both ends.
        sums: those of them that claimed a sum of several workers.
        whole: the share of elements, of all workers, that are the sum of all workers' elements.
        identical: whether all workers of a job have the same sum.
        error: of the mean of a worker's job as the worker knows it, squared, as a share of the mean's square; the mean
            over the workers.
    """

    seconds: float
    jobs: list[float]
    ended: dict[int, float]
    packets: int
    sums: int
    whole: float
    identical: bool
    error: float

    @classmethod
    def of(cls, workers: Sequence[Worker], protocol: Protocol, ended: Mapping[int, float], audit: Audit) -> Self:
        """Audits the sums of the workers that are left. ended: seconds after which each had its sums, by rank. Raises
        AuditError."""
        for worker in workers:
            audit.worker(worker)
        teams = [protocol.team(worker.rank) for worker in workers]
        whole = float(np.mean([worker.contributors == team for worker, team in zip(workers, teams, strict=True)]))
        first = {team: worker for worker, team in zip(reversed(workers), reversed(teams), strict=True)}
        identical = all(
            np.array_equal(worker.total, first[team].total) for worker, team in zip(workers, teams, strict=True)
        )
        error = 0.0
        if whole < 1 or protocol.bits < 32:
            error = float(np.mean([_error(protocol, worker, audit.tensors) for worker in workers]))
        jobs = [0.0] * protocol.jobs
        for worker in workers:
            job = protocol.job(worker.rank)
            jobs[job] = max(jobs[job], ended[worker.rank])
        return cls(max(jobs), jobs, dict(ended), audit.packets, audit.sums, whole, identical, error)


def _error(protocol: Protocol, worker: Worker, tensors: NDArray[np.int32]) -> float:
    counts = np.bitwise_count(worker.contributors)
    known = protocol.decode(worker.total / np.maximum(counts, 1))[: tensors.shape[1]]
    team = [rank for rank in range(len(tensors)) if protocol.team(worker.rank) >> rank & 1]
    true = tensors[team].mean(0)
    return float(((known - true) ** 2).sum() / (true**2).sum())
