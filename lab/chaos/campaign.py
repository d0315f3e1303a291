"""A campaign: networks, jobs and faults for some minutes."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from dropzero.controller.p4runtime.errors import SwitchError
from dropzero.membership.client import MembershipError
from dropzero.membership.operator_client import OperatorError
from lab.chaos.faults import FaultInjector
from lab.chaos.stage.events import Events
from lab.chaos.stage.leftovers import Leftovers
from lab.chaos.stage.report import Report
from lab.chaos.stage.schedule import Schedule, Stage
from lab.chaos.stage.site import Site, UnexpectedExit
from lab.chaos.stage.system import SystemUnderTest

TRACEBACK = re.compile(r"Traceback \(most recent.*\n(?!  File \"src/python/grpcio/.*\n.*CancelledError$)", re.M)
"""Without those that gRPC itself prints when a server stops while a stream is open."""

Watcher = Callable[[Report, str], None]
"""Called with the report so far and the latest event."""


class Campaign:
    """Runs a schedule, and writes events.log and all problems to a folder. `report` grows while it runs."""

    def __init__(self, schedule: Schedule, out: Path, watch: Watcher, *, aggregator: bool = False) -> None:
        """aggregator: whether the last host of a network runs one."""
        self.report = Report(schedule.seed)
        self._schedule, self._out, self._watch, self._aggregator = schedule, out, watch, aggregator
        self._leftovers = Leftovers()

    def run(self, seconds: float) -> None:
        """Inject faults for `seconds`, setup and clean-up excluded. Raises SetupError or RunError if a network did not
        come up."""
        began, left = time.monotonic(), seconds
        events = Events(self._out / "events.log", self.report.faults)
        try:
            while left > 0:
                stage = self._schedule.stage(self.report.stages)
                try:
                    self._stage(stage, min(left, stage.seconds), events)
                finally:
                    known = self.report.left_behind
                    known += [each for each in self._leftovers.left() if each not in known]
                self.report.stages += 1
                left -= stage.seconds
        finally:
            self.report.seconds = time.monotonic() - began
            events.close()

    def _attack(self, site: Site, seconds: float) -> None:
        """Inject the faults of a stage for about `seconds`."""
        faults = FaultInjector(site.system, site.crews, self.report, self._out)
        try:
            site.until(lambda: any(crew.at_work() for crew in site.crews))
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                faults.tick()
                site.tick()
        finally:
            faults.end()

    def _stage(self, stage: Stage, seconds: float, events: Events) -> None:
        folder, report = self._out / f"stage-{stage.number}", self.report
        folder.mkdir()
        racks = "1 rack" if stage.racks == 1 else f"{stage.racks} racks"
        crews = " and ".join(map(str, stage.crews))
        events.add(
            f"stage {stage.number}: {racks} of {stage.hosts} hosts, {stage.ports} ports, jobs of {crews}, "
            f"loss {stage.loss}, {stage.links}"
        )
        with SystemUnderTest(stage, folder / "logs", events, self._leftovers, aggregator=self._aggregator) as system:
            site = Site(system, self._schedule, report, folder, lambda: self._watch(report, events.latest))
            try:
                self._attack(site, seconds)
                site.finish()
            except UnexpectedExit:
                events.add("the stage ends early: a process has died")
            except (OperatorError, SwitchError, MembershipError) as error:
                report.died.append(f"stage {stage.number}: {error}")
        for path in sorted((folder / "logs").rglob("*.log")):
            if TRACEBACK.search(path.read_text(errors="replace")):
                report.tracebacks.append(f"stage {stage.number}: {path}")
