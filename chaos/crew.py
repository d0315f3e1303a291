"""Workers that go from job to job, each with a successor when it falls."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from chaos.checker import Verdict, check
from chaos.plant import Plant
from chaos.schedule import Schedule
from chaos.worker import LEFT, Duty
from dropzero.topologies.process import Process

LIMIT = 100.0
"""Seconds that a call may take which has no timeout: it gives up after 60 without progress by itself."""
SLACK = 30.0
"""Seconds that a call may take longer than its timeout: what it takes to agree on its end while something is dead."""
ALONE = 8.0
"""Seconds after which workers that wait to enter a job are told that nobody is left in it."""
TAIL = 4096


@dataclass
class Hand:
    """One worker."""

    duty: Duty
    process: Process
    killed: bool = False

    @property
    def last(self) -> dict[str, object]:
        """The last line of its journal: empty if there is none, or it is not whole."""
        with suppress(OSError, ValueError):
            with self.duty.journal.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
                lines = file.read().split(b"\n")
            found: dict[str, object] = json.loads(lines[-2]) if len(lines) > 1 else {}
            return found
        return {}


class Crew:
    """Has its workers make a job's calls until the job is old, has what they wrote checked, and begins the next."""

    def __init__(self, plant: Plant, schedule: Schedule, number: int, size: int, folder: Path) -> None:
        """schedule: says what its jobs are; number: which of its stage's crews it is; folder: gets its files."""
        self.verdict = Verdict()
        self.hung: list[str] = []
        self.lost: list[str] = []
        self.jobs = 0
        self.workers: dict[int, Hand] = {}
        self._plant, self._schedule, self._number, self._size, self._folder = plant, schedule, number, size, folder
        self._incarnations: dict[int, int] = {}
        self._dead: list[Hand] = []
        self._ends = self._alone_since = 0.0
        self._duty: Duty | None = None
        self._started = False
        self._going_on = True

    @property
    def processes(self) -> list[Process]:
        return [hand.process for hand in self.workers.values()]

    @property
    def over(self) -> bool:
        """No job runs, and none is to come."""
        return self._duty is None and not self._going_on

    def at_work(self) -> list[int]:
        """The ranks of those that are in the job."""
        return [rank for rank, hand in sorted(self.workers.items()) if hand.process.status is None and _inside(hand)]

    def end(self) -> None:
        """This job is the last, and ends now."""
        self._going_on = False
        self._stop()

    def kill(self, rank: int) -> None:
        hand = self.workers[rank]
        hand.killed = True
        hand.process.signal(signal.SIGKILL)

    def tick(self) -> None:
        """Looks after everybody."""
        if self._duty is None:
            if self._going_on:
                self._begin()
            return
        for rank, hand in list(self.workers.items()):
            if hand.process.status is not None:
                self._bury(rank)
            elif reason := _hangs(hand):
                self.hung.append(f"job {hand.duty.job}: worker {rank} {reason}; see {hand.process.log}")
                # Where it is, into its log.
                os.kill(hand.process.pid, signal.SIGUSR1)
                time.sleep(0.5)
                self.kill(rank)
        inside = any(map(_inside, self.workers.values()))
        self._started |= inside
        if not self.workers and (self._started or self._duty.stop.exists()):
            self._check()
        elif inside or not self._started:
            self._alone_since = time.monotonic()
            if not self._duty.stop.exists():
                self._replace()
        elif self._dead and time.monotonic() > self._alone_since + ALONE:
            for rank in self.workers:
                self.kill(rank)
        if time.monotonic() > self._ends:
            self._stop()

    def _stop(self) -> None:
        if self._duty is not None:
            self._duty.stop.touch()

    def _begin(self) -> None:
        self.jobs += 1
        terms = self._schedule.terms(self._plant.stage.number, self._number, self.jobs, self._size)
        # Of no other crew, and of no other stage.
        number = 1 + self.jobs + 100 * self._number + 1000 * self._plant.stage.number
        self._duty = Duty(
            self._plant.address,
            self._schedule.seed,
            number,
            terms.size,
            rank=0,
            incarnation=0,
            folder=str(self._folder),
            mischief=self._schedule.mischief,
            straggler=terms.straggler,
            token=terms.token,
            lanes=terms.lanes,
            when_full=terms.when_full,
            on_loss=terms.on_loss,
            nonfinite=terms.nonfinite,
        )
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
        process = self._plant.network.adopt(self._plant.hosts[rank].launch(name, duty.command(), log))
        self.workers[rank] = Hand(duty, process)

    def _replace(self) -> None:
        """Starts a successor for each that has fallen."""
        for rank in set(range(self._size)) - self.workers.keys():
            self._start(rank)

    def _bury(self, rank: int) -> None:
        hand = self.workers.pop(rank)
        self._dead.append(hand)
        status = hand.process.status
        self._started |= _inside(hand)
        last = hand.last
        # Who comes while the job ends, or the controller does, may not get in.
        refused = last.get("kind") == "connect" and last.get("error")
        # Who leaves may meet a signal on the way out.
        left = last.get("error") == "Leaving"
        if status not in (0, LEFT) and not hand.killed and not refused and not left:
            why = f"{last['error']}: {last['text']}" if last.get("error") else hand.process.obituary()
            self.lost.append(f"job {hand.duty.job}, call {last.get('index')}: worker {rank}: {why}")
            self._plant.events.add(f"lost: {self.lost[-1]}")
        hand.process.reap()
        self._plant.network.processes.remove(hand.process)

    def _check(self) -> None:
        assert self._duty is not None
        verdict = check(self._duty.program, self._folder)
        self.verdict.add(verdict)
        self._plant.events.add(
            f"job {self._duty.job}: {verdict.results} results of {verdict.collectives.total()} calls"
        )
        # What was wrong stays, to be looked at.
        if not verdict.wrong and not verdict.differing:
            for path in self._files():
                path.unlink()
        self._duty.stop.unlink(missing_ok=True)
        self._duty = None

    def _files(self) -> Iterator[Path]:
        yield from self._folder.glob("*.npz")


def _inside(hand: Hand) -> bool:
    """Whether it is in its job."""
    last = hand.last
    return bool(last) and (last["kind"] != "connect" or (last["ended"] is not None and not last["error"]))


def _hangs(hand: Hand) -> str:
    """Why that is to be thought of a worker; empty if not."""
    last = hand.last
    if not last or last["ended"] is not None:
        return ""
    timeout, began = last["timeout"], last["began"]
    assert isinstance(began, float)
    limit = LIMIT if timeout is None else float(str(timeout)) + SLACK
    taken = time.monotonic() - began
    return f"has been in call {last['index']} ({last['kind']}) for {taken:.0f} s" if taken > limit else ""
