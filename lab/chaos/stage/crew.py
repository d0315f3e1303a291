"""Crews: workers that run one job after the other. A worker that dies gets a successor."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dropzero.topologies.processes.process import Process
from lab.chaos.jobs.checker import check
from lab.chaos.jobs.worker import LEFT, Duty
from lab.chaos.stage.report import Report
from lab.chaos.stage.schedule import Schedule
from lab.chaos.stage.system import SystemUnderTest

LIMIT = 100.0
"""Seconds that a call without a timeout may take. It gives up after 60 seconds without progress."""
SLACK = 30.0
"""Seconds by which a call may exceed its timeout: workers agree on its end, perhaps while a switch restarts."""
ALONE = 8.0
"""Seconds after which workers that wait to enter a job without members are killed."""
TAIL = 4096


@dataclass
class CrewMember:
    """One worker."""

    duty: Duty
    process: Process
    killed: bool = False

    @property
    def last(self) -> dict[str, object]:
        """The last line of its journal; empty if there is no complete one."""
        with suppress(OSError, ValueError):
            with self.duty.journal.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
                lines = file.read().split(b"\n")
            found: dict[str, object] = json.loads(lines[-2]) if len(lines) > 1 else {}
            return found
        return {}


ORPHANED = re.compile("is over|all members that know|continued without this worker are gone")
"""Errors of a benched worker after all members have left, so that it cannot get the results it missed."""


class Crew:
    """Runs jobs one after the other: starts the workers, ends the job after its time, and checks their records."""

    def __init__(
        self, system: SystemUnderTest, schedule: Schedule, report: Report, number: int, size: int, folder: Path
    ) -> None:
        """report: gets what is found. number: the crew's number in its stage. size: workers. folder: for their
        files."""
        self.workers: dict[int, CrewMember] = {}
        self._system, self._schedule, self._report = system, schedule, report
        self._number, self._size, self._folder = number, size, folder
        self._jobs = 0
        self._incarnations: dict[int, int] = {}
        self._dead: list[CrewMember] = []
        self._ends = self._alone_since = 0.0
        self._duty: Duty | None = None
        self._started = False
        self._continuing = True

    @property
    def processes(self) -> list[Process]:
        return [member.process for member in self.workers.values()]

    @property
    def over(self) -> bool:
        """Whether the last job has ended."""
        return self._duty is None and not self._continuing

    def at_work(self) -> list[int]:
        running = {rank: member for rank, member in self.workers.items() if member.process.status is None}
        return sorted(rank for rank, member in running.items() if _inside(member))

    def end(self) -> None:
        """End the job, and start no other."""
        self._continuing = False
        self._stop()

    def kill(self, rank: int) -> None:
        member = self.workers[rank]
        member.killed = True
        member.process.signal(signal.SIGKILL)

    def interrupt(self, rank: int) -> None:
        self.workers[rank].process.signal(signal.SIGINT)

    def tick(self) -> None:
        """Replace workers that have ended, kill those that hang, and check a job that is over."""
        if self._duty is None:
            if self._continuing:
                self._begin()
            return
        for rank, member in list(self.workers.items()):
            if member.process.status is not None:
                self._remove(rank)
            elif reason := _hangs(member):
                self._report.hung.append(f"job {member.duty.job}: worker {rank} {reason}; see {member.process.log}")
                # The worker logs its stack.
                os.kill(member.process.pid, signal.SIGUSR1)
                time.sleep(0.5)
                self.kill(rank)
        inside, ending = any(map(_inside, self.workers.values())), self._duty.stop.exists()
        self._started |= inside
        if not self.workers and (self._started or ending):
            self._check()
        elif inside or not (self._started or ending):
            self._alone_since = time.monotonic()
            # Each worker that has ended gets a successor.
            for rank in () if ending else set(range(self._size)) - self.workers.keys():
                self._start(rank)
        elif self._dead and time.monotonic() > self._alone_since + ALONE:
            for rank in self.workers:
                self.kill(rank)
        if time.monotonic() > self._ends:
            self._stop()

    def _stop(self) -> None:
        if self._duty is not None:
            self._duty.stop.touch()

    def _begin(self) -> None:
        self._jobs += 1
        self._report.jobs += 1
        terms = self._schedule.terms(self._system.stage.number, self._number, self._jobs, self._size)
        # Unique over all crews and stages.
        number = 1 + self._jobs + 100 * self._number + 1000 * self._system.stage.number
        schedule, folder = self._schedule, str(self._folder)
        self._duty = Duty(self._system.address, schedule.seed, number, terms, folder, schedule.misbehaviour)
        self._incarnations.clear()
        self._dead.clear()
        self._started = False
        self._alone_since = time.monotonic()
        self._ends = time.monotonic() + terms.seconds
        for rank in range(terms.size):
            self._start(rank)

    def _start(self, rank: int) -> None:
        assert self._duty is not None
        incarnation = self._incarnations[rank] = self._incarnations.get(rank, -1) + 1
        duty = replace(self._duty, rank=rank, incarnation=incarnation)
        name = f"worker {rank} of job {duty.job}"
        log = self._folder / f"worker-{duty.job}-{rank}-{incarnation}.log"
        process = self._system.network.adopt(self._system.hosts[rank].launch(name, duty.command(), log))
        self.workers[rank] = CrewMember(duty, process)

    def _remove(self, rank: int) -> None:
        member = self.workers.pop(rank)
        self._dead.append(member)
        status = member.process.status
        self._started |= _inside(member)
        last = member.last
        # A worker that joins while the job or the controller ends may be refused.
        refused = last.get("kind") == "connect" and last.get("error")
        # A worker that leaves may get a signal on the way out.
        left = last.get("error") == "Leaving"
        orphaned = member.duty.terms.straggler is not None and ORPHANED.search(str(last.get("text")))
        if status not in (0, LEFT) and not member.killed and not refused and not left and not orphaned:
            why = f"{last['error']}: {last['text']}" if last.get("error") else member.process.failure_report()
            text = f"job {member.duty.job}, call {last.get('index')}: worker {rank}: {why}"
            self._report.lost.append(text)
            self._system.events.add(f"lost: {text}")
        member.process.reap()
        self._system.network.processes.remove(member.process)

    def _check(self) -> None:
        assert self._duty is not None
        verdict = check(self._duty.program, self._folder)
        self._report.verdict.add(verdict)
        calls = verdict.collectives.total()
        self._system.events.add(f"job {self._duty.job}: {verdict.results} results of {calls} calls")
        # Keeps the files of jobs with problems.
        if not verdict.wrong and not verdict.differing:
            for path in self._folder.glob("*.npz"):
                path.unlink()
        self._duty.stop.unlink(missing_ok=True)
        self._duty = None


def _inside(member: CrewMember) -> bool:
    last = member.last
    return bool(last) and (last["kind"] != "connect" or (last["ended"] is not None and not last["error"]))


def _hangs(member: CrewMember) -> str:
    """Describe why a worker counts as hung; empty if it does not."""
    last = member.last
    if not last or last["ended"] is not None:
        return ""
    timeout, began = last["timeout"], last["began"]
    assert isinstance(began, float)
    limit = LIMIT if timeout is None else float(str(timeout)) + SLACK
    taken = time.monotonic() - began
    return f"has been in call {last['index']} ({last['kind']}) for {taken:.0f} s" if taken > limit else ""
