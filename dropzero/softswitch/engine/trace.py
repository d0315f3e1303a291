"""The log of packets: the steps that a traced program reports, in BMv2's format."""

from __future__ import annotations

from dropzero.softswitch.program.steps import ARRIVED, CLONED, COPIED, Steps
from dropzero.softswitch.state.reports import Report

PIECE = 64
"""Packets in a call of a traced program. The reports of many more would not fit."""


class Entries(list[str]):
    """Log entries, each of one or more lines (see logs.py)."""

    def __str__(self) -> str:
        return "\n".join(self)


KNOWN = 4096
"""The most texts in the cache."""


class Trace:
    """Collects log entries of packets, which it numbers like BMv2: [packet.copy]."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._arrived = Steps.number_of_event(ARRIVED)
        self._numbering = {self._arrived, *map(Steps.number_of_event, (COPIED, CLONED))}
        self._packet, self._copy = -1, 0
        self._prefix = ""
        self._entries = Entries()
        self._lost = 0
        self._known: dict[Report, str] = {}
        """Cached texts. Most reports repeat."""

    def add(self, report: Report) -> None:
        text = self._known.get(report)
        if text is None:
            if len(self._known) >= KNOWN:
                self._known.clear()
            text = self._known[report] = self._steps.text(report.number, report.values)
        if report.number in self._numbering:
            self._packet += report.number == self._arrived
            self._copy = 0 if report.number == self._arrived else self._copy + 1
            self._prefix = f"[{self._packet}.{self._copy}] [cxt 0] "
        self._entries.append(self._prefix + text)

    def take(self, lost: int) -> Entries:
        """Removes and returns the collected entries. lost: the number of reports lost so far."""
        entries, self._entries = self._entries, Entries()
        if lost > self._lost:
            entries.append(f"{lost - self._lost} steps of these packets found no room")
            self._lost = lost
        return entries
