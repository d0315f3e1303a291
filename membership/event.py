"""What happened to one worker at one moment, for people."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

EVENTS = 1000
"""What a worker keeps of them, and others take of it, at most."""
LONGEST = 300
"""Characters of what happened, at most."""


class Event(NamedTuple):
    """time: seconds since 1970, by that worker's clock. call: the number of the call that the worker was at."""

    time: float
    call: int
    what: str

    def __str__(self) -> str:
        return f"{clock(self.time)} call {self.call} {self.what}"


def clock(time: float) -> str:
    """The time of day, to a millisecond."""
    return f"{datetime.fromtimestamp(time):%H:%M:%S.%f}"[:-3]
