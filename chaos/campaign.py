"""Networks, jobs and faults for some minutes, and what became of them."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos.checker import Verdict
from chaos.crew import Crew
from chaos.events import Events
from chaos.faults import Faults
from chaos.leftovers import Leftovers, on_switches
from chaos.plant import Plant
from chaos.schedule import Schedule, Stage
from controller.client import MembershipError
from controller.errors import SwitchError
from controller.operator_client import OperatorError
from topologies.signals import interruptible

TICK = 0.1
TRACEBACK = "Traceback (most recent call last)"

Watcher = Callable[["Report", str], None]
"""Is told what there is so far, and what is happening."""


@dataclass
class Report:
    """What was done, and what went wrong: sentences, one each.

    lost: workers that fell though nobody killed them, and nothing that they did themselves was the reason. died: the
    same of switches and controllers. failed: second runs. tracebacks: in the logs of switches and controllers.
    """

    seed: int
    seconds: float = 0.0
    stages: int = 0
    jobs: int = 0
    verdict: Verdict = field(default_factory=Verdict)
    faults: Counter[str] = field(default_factory=Counter)
    hung: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    died: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    left_behind: list[str] = field(default_factory=list)

    @property
    def wrongs(self) -> dict[str, list[str]]:
        """Everything that went wrong, by kind."""
        names = ("hung", "lost", "died", "failed", "tracebacks", "left_behind")
        return {"wrong": self.verdict.wrong, "differing": self.verdict.differing} | {
            name: getattr(self, name) for name in names
        }

    @property
    def fine(self) -> bool:
        return not any(self.wrongs.values())

    def summary(self) -> dict[str, Any]:
        """For summary.json."""
        return {
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "stages": self.stages,
            "jobs": self.jobs,
            "collectives": self.verdict.collectives.total(),
            "results": self.verdict.results,
            "faults": self.faults.total(),
            **{name: len(found) for name, found in self.wrongs.items()},
            "collectives_by_kind": dict(self.verdict.collectives.most_common()),
            "faults_by_kind": dict(self.faults.most_common()),
            "errors_by_kind": dict(self.verdict.errors.most_common()),
            "problems": [f"{name}: {text}" for name, found in self.wrongs.items() for text in found],
        }


def run(schedule: Schedule, seconds: float, out: Path, watch: Watcher) -> Report:
    """Writes events.log, summary.json, and the files of what went wrong to `out`.

    Raises:
        SetupError, RunError: a network did not come up.
        Interruption: a signal asked for the end.
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    events, leftovers = Events(out / "events.log"), Leftovers()
    report = Report(schedule.seed, faults=events.faults)
    began = time.monotonic()
    try:
        with interruptible():
            left = seconds
            while left > 0:
                stage = schedule.stage(report.stages)
                _stage(stage, left, schedule, report, out, events, leftovers, watch)
                report.stages += 1
                left -= stage.seconds
    finally:
        report.seconds = time.monotonic() - began
        report.left_behind += leftovers.left()
        (out / "summary.json").write_text(json.dumps(report.summary(), indent=2) + "\n")
        events.close()
    return report


def _stage(
    stage: Stage,
    seconds: float,
    schedule: Schedule,
    report: Report,
    out: Path,
    events: Events,
    leftovers: Leftovers,
    watch: Watcher,
) -> None:
    """One network, for as long as it is to live, and at most for so many seconds."""
    folder = out / f"stage-{stage.number}"
    folder.mkdir()
    events.add(
        f"stage {stage.number}: {stage.racks} rack(s), {stage.hosts} hosts, crews of {stage.crews}, {stage.links}"
    )
    watch(report, events.latest)
    with Plant(stage, folder / "logs", events, leftovers) as plant:
        crews = []
        for number, size in enumerate(stage.crews):
            records = folder / f"crew-{number}"
            records.mkdir()
            crews.append(Crew(plant, schedule, number, size, records))
        faults = Faults(plant, crews, events, out)

        def tick() -> None:
            for crew in crews:
                crew.tick()
            for process in plant.dead():
                report.died.append(process.obituary())
                raise _Over
            watch(report, events.latest)
            time.sleep(TICK)

        try:
            while not any(crew.at_work() for crew in crews):
                tick()
            began = time.monotonic()
            while time.monotonic() < began + min(seconds, stage.seconds):
                faults.tick(time.monotonic() - began)
                tick()
            faults.end()
            for crew in crews:
                crew.end()
            while not all(crew.over for crew in crews):
                tick()
            report.left_behind += [f"stage {stage.number}: {text}" for text in on_switches(plant.network)]
        except _Over:
            events.add("stage ended before its time: a part of it has died")
        except (OperatorError, SwitchError, MembershipError) as error:
            report.died.append(f"stage {stage.number}: {error}")
        finally:
            faults.end()
            for crew in crews:
                report.jobs += crew.jobs
                report.verdict.add(crew.verdict)
                report.hung += crew.hung
                report.lost += crew.lost
            report.failed += faults.failed
    report.tracebacks += [
        f"stage {stage.number}: {path}"
        for path in sorted((folder / "logs").rglob("*.log"))
        if TRACEBACK in path.read_text(errors="replace")
    ]


class _Over(Exception):
    """The stage can't go on."""
