"""What this version of the product promises of calls that fail; looked up, so that older ones can be tried as well."""

from __future__ import annotations

from inspect import signature

import protocol.lanes
from protocol.wire import HEADER
from worker.communicator import connect

DECIDED = hasattr(protocol.lanes, "Aborted") and "timeout" in signature(connect).parameters
"""A call that fails on one worker fails on all, and all go on."""
SECRETS = "secret" in (HEADER.names or ())
"""Packets carry a number that only their worker and the switch know."""
PROPAGATES = "nonfinite" in signature(connect).parameters
"""What is not finite travels, and comes out everywhere."""

DOCUMENTED = {
    *("ProtocolError", "Disagreement", "Stalled", "WorkerLost", "MembershipError", "Aborted", "Closed", "NotFinite"),
    *("ValueError", "TimeoutError", "KeyboardInterrupt", "Leaving", "Breakage"),
}
"""The errors that a call may end with, by name; the last two are those of the programs."""
ALONE = {"WorkerLost", "Closed", "MembershipError", "KeyboardInterrupt", "Leaving"}
"""Those that a worker may get alone: it was removed from the job, has left it, or a signal ended its call."""
ROOT_LEFT = "whose array was to be broadcast"
"""What WorkerLost says when the root of a broadcast has left: the call has ended, on all workers."""


def ends(error: BaseException) -> bool:
    """Whether the worker can make no more calls."""
    name = type(error).__name__
    if name == "WorkerLost":
        return ROOT_LEFT not in str(error)
    return not DECIDED or name in ("Closed", "MembershipError")
