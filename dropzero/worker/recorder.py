"""Records a worker's latest events, to explain a call that hangs or fails."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from dropzero.membership.event import EVENTS, LONGEST, Event
from dropzero.protocol.lanes.call import Call

Noted = list[Any]
"""[time.monotonic(), call number, (format string, fields)]; a suffix may be appended. Most events are never
formatted."""
_BEGINS = (
    "{call.signature.name} of {call.signature.dtype}[{call.signature.length}]: epoch {epoch}, digest {call.digest:08x}"
)


class Recorder:
    """The latest EVENTS events. Another thread may read them at any time."""

    def __init__(self) -> None:
        self._noted: deque[Noted] = deque(maxlen=EVENTS)
        # The system clock may be set later; all events use its current setting.
        self._began = time.time() - time.monotonic()

    def note(self, call: int, what: str, /, **fields: object) -> Noted:
        """Records an event of a call. what: a format string for `fields`, which must not change later."""
        noted: Noted = [time.monotonic(), call, (what, fields)]
        self._noted.append(noted)
        return noted

    def begin(self, call: Call, epoch: int) -> Noted:
        """Records that a call begins. Cheaper than `note`."""
        noted: Noted = [time.monotonic(), call.number, (_BEGINS, {"call": call, "epoch": epoch})]
        self._noted.append(noted)
        return noted

    def amend(self, noted: Noted, what: str, /, **fields: object) -> None:
        """Replaces an event's text and fields, not its time. The field `seconds` is the time since the event, unless
        given."""
        known = noted[2][1]
        known["seconds"] = time.monotonic() - noted[0]
        known.update(fields)
        noted[2] = what, known

    def lines(self, last: int = EVENTS, since: int = 0) -> list[Event]:
        """Returns the last `last` events of calls numbered `since` or higher, the oldest first."""
        chosen = [each for each in self._noted.copy() if each[1] >= since]
        return [
            Event(self.wall(at), call, _text(*said, *more))
            for at, call, said, *more in chosen[max(len(chosen) - last, 0) :]
        ]

    def wall(self, at: float) -> float:
        """Converts a time.monotonic() to seconds since 1970."""
        return self._began + at


def _text(what: str, fields: dict[str, object], more: str = "") -> str:
    text = what.format_map(fields) + more
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
