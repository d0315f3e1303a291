"""One worker's training, from joining the job to its records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from dropzero.membership.client import MembershipError
from dropzero.problems import digits
from dropzero.protocol.lanes.errors import ProtocolError
from dropzero.training.records import Records, Result
from dropzero.training.replica import Metrics, Replica, Settings, train
from dropzero.worker import communicator

FAILURES = (MembershipError, ProtocolError, OSError, FloatingPointError)
"""Errors outside this process, and diverging training; their messages are for the user."""


@dataclass(frozen=True)
class JobOptions:
    """A worker's options for joining its job; see dropzero.connect."""

    controller: str
    job: int
    workers: int
    rank: int | None = None
    quorum: int = 0
    straggler: float | None = None

    @property
    def elastic(self) -> bool:
        """Whether the job starts with a quorum, and workers enter it while it runs."""
        return self.quorum > 0

    def connect(self) -> communicator.Communicator:
        return communicator.connect(
            self.controller,
            self.job,
            self.workers,
            rank=self.rank,
            straggler=self.straggler,
            elastic=self.elastic,
            quorum=self.quorum,
        )


def run(options: JobOptions, settings: Settings, out: Path, progress: Callable[[Metrics], None]) -> Result:
    """Joins the job, trains and leaves; `progress` is called after each step.

    Raises one of FAILURES, or ValueError for settings that do not fit.
    """
    examples = digits.load()
    with (
        # One thread: workers share this machine, and the order of sums must not depend on the number of cores.
        threadpool_limits(1, user_api="blas"),
        options.connect() as reducer,
        Records(out, reducer.rank) as records,
    ):
        replica = Replica(reducer.rank, reducer.size, settings, examples)
        for metrics in train(replica, reducer, reducer if options.elastic else None):
            records.add(metrics)
            progress(metrics)
        return records.finish(replica, metrics)
