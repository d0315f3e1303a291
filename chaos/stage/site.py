"""Crews at work on a system."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from chaos.stage.crew import Crew
from chaos.stage.leftovers import on_switches
from chaos.stage.report import Report
from chaos.stage.schedule import Schedule
from chaos.stage.system import SystemUnderTest

TICK = 0.1


class PartDied(Exception):
    """A switch or the controller is dead, and nobody has killed it."""


class Site:
    """Keeps them at it. Every method may raise PartDied."""

    def __init__(
        self, system: SystemUnderTest, schedule: Schedule, report: Report, folder: Path, watch: Callable[[], None]
    ) -> None:
        """folder: gets the crews' files; watch: is called again and again."""
        self.system = system
        self._report, self._watch = report, watch
        self.crews: list[Crew] = []
        for number, size in enumerate(system.stage.crews):
            records = folder / f"crew-{number}"
            records.mkdir(parents=True)
            self.crews.append(Crew(system, schedule, number, size, records))

    def tick(self, pause: float = TICK) -> None:
        """Looks after everybody, and waits for a moment."""
        for crew in self.crews:
            crew.tick()
        if dead := self.system.dead():
            self._report.died += [process.failure_report() for process in dead]
            raise PartDied
        self._watch()
        time.sleep(pause)

    def until(self, condition: Callable[[], bool]) -> None:
        """Works until that is so."""
        while not condition():
            self.tick()

    def finish(self) -> None:
        """Ends all jobs, and looks at what is left of them on the switches."""
        for crew in self.crews:
            crew.end()
        self.until(lambda: all(crew.over for crew in self.crews))
        self._report.left_behind += [
            f"stage {self.system.stage.number}: {each}" for each in on_switches(self.system.network)
        ]

    def tell(self) -> None:
        """What the crews have found."""
        for crew in self.crews:
            self._report.jobs += crew.jobs
            self._report.verdict.add(crew.verdict)
            self._report.hung += crew.hung
            self._report.lost += crew.lost
