"""A session: one worker, from joining its job to the records of its training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from dropzero.controller.client import MembershipError
from dropzero.protocol.lanes.errors import ProtocolError
from dropzero.worker import communicator, digits
from dropzero.worker.records import Records, Result
from dropzero.worker.training import Metrics, Replica, Settings, train

# What can go wrong outside this process, and training that diverges; the texts are for the person at the terminal.
FAILURES = (MembershipError, ProtocolError, OSError, FloatingPointError)


@dataclass(frozen=True)
class Seat:
    """Which place a worker takes, in which job: see communicator.connect."""

    controller: str
    job: int
    workers: int
    rank: int | None = None
    quorum: int = 0
    straggler: float | None = None

    @property
    def elastic(self) -> bool:
        """The job starts with a quorum, and workers enter it while it runs."""
        return self.quorum > 0

    def take(self) -> communicator.Communicator:
        return communicator.connect(
            self.controller,
            self.job,
            self.workers,
            rank=self.rank,
            straggler=self.straggler,
            elastic=self.elastic,
            quorum=self.quorum,
        )


def run(seat: Seat, settings: Settings, out: Path, progress: Callable[[Metrics], None]) -> Result:
    """Takes a seat, trains and leaves; `progress` is called after each step.

    Raises one of FAILURES, or ValueError for settings that do not fit.
    """
    examples = digits.load()
    with (
        # The workers share this machine, and the order of a sum must not hang on how many cores it has.
        threadpool_limits(1, user_api="blas"),
        seat.take() as reducer,
        Records(out, reducer.rank) as records,
    ):
        replica = Replica(reducer.rank, reducer.size, settings, examples)
        for metrics in train(replica, reducer, reducer if seat.elastic else None):
            records.add(metrics)
            progress(metrics)
        return records.finish(replica, metrics)
