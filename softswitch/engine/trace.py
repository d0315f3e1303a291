"""What the log says of packets: the steps that a traced program reports, in BMv2's words."""

from __future__ import annotations

from dropzero.softswitch.program.model import Program
from dropzero.softswitch.program.steps import ARRIVED, CLONED, COPIED, Steps
from dropzero.softswitch.state.reports import Report

PIECE = 64
"""Packets whose steps are read at once: many more, and their reports would find no room."""


class Entries(list[str]):
    """Of the log, each of one line or more; see logs.py."""

    def __str__(self) -> str:
        return "\n".join(self)


KNOWN = 4096
"""Texts that are kept."""


class Trace:
    """Numbers packets as BMv2 does, [packet.copy], and collects what is to be said of them."""

    def __init__(self, program: Program) -> None:
        self._steps = Steps(program)
        self._arrived = Steps.number_of_event(ARRIVED)
        self._numbering = {self._arrived, *map(Steps.number_of_event, (COPIED, CLONED))}
        self._packet, self._copy = -1, 0
        self._prefix = ""
        self._entries = Entries()
        self._lost = 0
        self._known: dict[Report, str] = {}
        """The texts of reports; most come again and again."""

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
        """What has come together. lost: how many reports were, so far."""
        entries, self._entries = self._entries, Entries()
        if lost > self._lost:
            entries.append(f"{lost - self._lost} steps of these packets found no room")
            self._lost = lost
        return entries
