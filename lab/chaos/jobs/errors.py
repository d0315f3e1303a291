"""The documented errors of calls."""

from __future__ import annotations

from lab.chaos.jobs.records import Record

DOCUMENTED = {
    *("Disagreement", "Stalled", "WorkerLost", "MembershipError", "Aborted", "Closed", "NotFinite", "ValueError"),
    *("KeyboardInterrupt", "Leaving", "Unusable"),
}
"""By name. The last two are raised by the workers' program itself."""
SHARED = {"Aborted", "NotFinite"}
"""Errors with the same text on all workers."""
LOST_IN_CALL = "was lost in call"
"""Text of WorkerLost in a job that does not continue a call without the lost worker."""


def concerns_one_worker(record: Record) -> bool:
    """Return whether a worker may get this error while others get a result: it was removed from the job, or left it, or
    a signal or its own timeout ended its call."""
    if record.error == "WorkerLost":
        return LOST_IN_CALL not in record.text
    if record.error == "Stalled":
        return record.timeout is not None
    return record.error in ("Closed", "MembershipError", "KeyboardInterrupt", "Leaving")
