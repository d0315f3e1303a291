"""Keeps crews of workers running on the system under test."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from lab.chaos.stage.crew import Crew
from lab.chaos.stage.leftovers import on_switches
from lab.chaos.stage.report import Report
from lab.chaos.stage.schedule import Schedule
from lab.chaos.stage.system import SystemUnderTest

TICK = 0.1


class UnexpectedExit(Exception):
    """Raised when a switch or the controller has ended without being killed."""


class Site:
    """Runs the crews of a stage. All methods may raise UnexpectedExit."""

    def __init__(
        self, system: SystemUnderTest, schedule: Schedule, report: Report, folder: Path, watch: Callable[[], None]
    ) -> None:
        """folder: for the crews' files. watch: called at every tick."""
        self.system = system
        self._report, self._watch = report, watch
        self.crews: list[Crew] = []
        for number, size in enumerate(system.stage.crews):
            records = folder / f"crew-{number}"
            records.mkdir(parents=True)
            self.crews.append(Crew(system, schedule, report, number, size, records))

    def tick(self, pause: float = TICK) -> None:
        """Let all crews tick, and wait for `pause` seconds."""
        for crew in self.crews:
            crew.tick()
        if dead := self.system.dead():
            self._report.died += [process.failure_report() for process in dead]
            raise UnexpectedExit
        self._watch()
        time.sleep(pause)

    def until(self, condition: Callable[[], bool]) -> None:
        """Keep ticking until the condition holds."""
        while not condition():
            self.tick()

    def finish(self) -> None:
        """End all jobs, and look for leftovers on the switches."""
        for crew in self.crews:
            crew.end()
        self.until(lambda: all(crew.over for crew in self.crews))
        left = on_switches(self.system.network)
        self._report.left_behind += [f"stage {self.system.stage.number}: {each}" for each in left]
