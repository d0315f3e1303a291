"""A worker's events, as text for people."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

EVENTS = 1000
"""The most events that a worker keeps, and that others accept from it."""
LONGEST = 300
"""The most characters of an event's text."""


class Event(NamedTuple):
    """An event. time: seconds since 1970, by the worker's clock. call: the number of the worker's call at that time."""

    time: float
    call: int
    what: str

    def __str__(self) -> str:
        return f"{clock(self.time)} call {self.call} {self.what}"


def clock(time: float) -> str:
    """The time of day, to a millisecond."""
    return f"{datetime.fromtimestamp(time):%H:%M:%S.%f}"[:-3]
