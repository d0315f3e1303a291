"""What happened to one worker at one moment, for people."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

EVENTS = 1000
"""Events that a worker keeps, and that others accept from it, at most."""
LONGEST = 300
"""Characters of an event's text, at most."""


class Event(NamedTuple):
    """`time`: seconds since 1970, by that worker's clock. `call`: the number of the worker's call at that time."""

    time: float
    call: int
    what: str

    def __str__(self) -> str:
        return f"{clock(self.time)} call {self.call} {self.what}"


def clock(time: float) -> str:
    """The time of day, to a millisecond."""
    return f"{datetime.fromtimestamp(time):%H:%M:%S.%f}"[:-3]
