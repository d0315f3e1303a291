"""The errors that calls end with, by name, as far as the documents speak of them."""

from __future__ import annotations

from chaos.records import Record

DOCUMENTED = {
    *("Disagreement", "Stalled", "WorkerLost", "MembershipError", "Aborted", "Closed", "NotFinite", "ValueError"),
    *("KeyboardInterrupt", "Leaving", "Breakage"),
}
"""The last two are those of the workers' own program."""
SHARED = {"Aborted", "NotFinite"}
"""Those whose text is the same on all workers."""
LOST_IN_CALL = "was lost in call"
"""What WorkerLost says in a job that does not go on without a worker; the others make the next call."""


def is_own_affair(record: Record) -> bool:
    """Whether a worker may get that error though others get a result: it was removed from the job, has left it, or a
    signal or its own timeout ended its call."""
    if record.error == "WorkerLost":
        return LOST_IN_CALL not in record.text
    if record.error == "Stalled":
        return record.timeout is not None
    return record.error in ("Closed", "MembershipError", "KeyboardInterrupt", "Leaving")
