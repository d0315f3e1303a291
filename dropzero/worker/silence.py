"""Records what a call waits for while no packet arrives."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from dropzero.membership.event import clock
from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.units import intervals
from dropzero.worker.recorder import Noted, Recorder

SPANS = 4
"""Maximum number of lane intervals to list; more lanes are only counted."""
_WAITS = (
    "{call.signature.name} of {call.signature.dtype}[{call.signature.length}]: epoch {epoch}, {lanes} ({rounds}), "
    "{cause}, {again} retransmissions in {seconds:.3g} s"
)


class Silence:
    """Keeps one event for each silence of the lanes, and updates it until a result arrives."""

    def __init__(self, lanes: Lanes, recorder: Recorder, missing: Callable[[], tuple[int, ...]]) -> None:
        """missing: returns the workers that the switch has reported as missing."""
        self._lanes, self._recorder, self._missing = lanes, recorder, missing
        self._noted: Noted = []
        self._since, self._before = -math.inf, 0

    def note(self, number: int, call: Call, now: float) -> None:
        """Records that nothing has arrived for `call` lately. number: of the program's call that `call` is part of."""
        lanes = self._lanes
        statistics, goes_on = lanes.statistics, self._since == lanes.last_progress
        # Contributions, and queries about those that the switch has.
        sent = statistics["queries"] + statistics["retransmissions"]
        if not goes_on:
            self._since, self._before = lanes.last_progress, sent
        again = sent - self._before
        waiting = lanes.waiting
        fields: dict[str, object] = {
            "call": call,
            "epoch": lanes.epoch,
            "lanes": f"lane {spans_of(waiting)} waits" if len(waiting) == 1 else f"lanes {spans_of(waiting)} wait",
            "rounds": f"round {spans_of(sorted(set(waiting.values())))}",
            "cause": self._cause() if again else "nothing has arrived yet",
            "again": again,
            "seconds": now - lanes.last_progress,
        }
        if goes_on:
            self._recorder.amend(self._noted, _WAITS, **fields)
        else:
            self._noted = self._recorder.note(number, _WAITS, **fields)

    def __str__(self) -> str:
        count = len(self._lanes.waiting)
        since = clock(self._recorder.wall(self._lanes.last_progress))
        return f"{self._cause()}; {count} lane{' waits' if count == 1 else 's wait'} since {since}"

    def _cause(self) -> str:
        missing = ", ".join(map(str, self._missing()))
        return f"the switch waits for worker {missing}" if missing else "the switch does not answer"


def spans_of(numbers: Collection[int]) -> str:
    """Describes ascending numbers as intervals, `0-3, 7`; many of them by their count, `9 of 0-31`."""
    spans = intervals(numbers)
    return ", ".join(spans) if len(spans) <= SPANS else f"{len(numbers)} of {min(numbers)}-{max(numbers)}"
