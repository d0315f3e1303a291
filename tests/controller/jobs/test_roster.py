"""Whatever happens, and in whatever order: in the end the switch holds the jobs that run, and their workers know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from random import Random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import DEFAULT_LANES, Job, Jobs, JoinError, Quotas, Terms, WhenFull, Worker
from dropzero.controller.jobs.roster import News, NoMemberError, RemovedError, Roster, Seat
from dropzero.controller.jobs.slots import NoSlotsError, Slots
from tests.controller.rack import FakeSwitch


@dataclass
class StrictSwitch(FakeSwitch):
    """Knows that a row which was gone must not come back in the same epoch: the slots may be others' by then. And takes
    rows away for that itself, as a Switch does."""

    used: set[int] = field(default_factory=set)
    before: dict[int, int] = field(default_factory=dict)
    """The epoch of each job that is there."""

    def sync(self, number: int, job: Job | None) -> None:
        super().sync(number, job)
        if job is not None:
            assert job.epoch not in self.used or self.before.get(number) == job.epoch
            for other in list(self.jobs.values()):
                if other is not job and set(other.slots) & set(job.slots):
                    self.forget(other.id)
            self.used.add(job.epoch)
        self.before = {each.id: each.epoch for each in self.jobs.values()}

    def forget(self, number: int) -> None:
        del self.jobs[number]
        del self.before[number]


@dataclass
class Scene:
    """Workers that come and go, of at most four jobs, on a switch that does too."""

    choose: Random
    switch: StrictSwitch = field(default_factory=StrictSwitch)
    seats: list[Seat] = field(default_factory=list)
    heard: dict[Seat, News] = field(default_factory=dict)
    """The latest that each worker was told."""
    gone: set[Seat] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.roster = self.new_roster()

    def new_roster(self) -> Roster:
        return Roster(Jobs(Slots(3 * DEFAULT_LANES), Epochs()), self.switch, lambda _: None)

    async def join(self) -> None:
        number, host = self.choose.randrange(4), self.choose.randint(1, 8)
        terms = Terms(3, elastic=True, quorum=1 + number // 2, when_full=WhenFull.WAIT)
        worker = Worker(IPv4Address(f"10.0.0.{host}"), host, 40000 + len(self.seats), host)
        with suppress(JoinError):
            self.seats.append(self.roster.join(number, terms, worker))

    async def break_off(self) -> None:
        if seat := self.some():
            self.gone.add(seat)
            self.roster.broke_off(seat)

    async def leave(self) -> None:
        seat = self.some()
        if seat is not None and seat in self.heard:
            self.gone.add(seat)
            leaving = self.roster.leave(seat.job, seat.worker, self.choose.choice([0, 0.001]), self.choose.randrange(9))
            await asyncio.wait_for(leaving, 10)

    async def evict(self) -> None:
        number, rank = self.choose.randrange(4), self.choose.randrange(3)
        with suppress(NoMemberError):
            await self.roster.evict(number, rank)

    async def admit(self) -> None:
        number = self.choose.randrange(4)
        if number in self.roster.jobs.running:
            await self.roster.admit(number, self.choose.randrange(9))

    async def wait(self) -> None:
        """For one that is done, or for a straggler."""
        number = self.choose.randrange(4)
        if number in self.roster.jobs.running:
            self.roster.waiting(number, self.choose.randrange(9), True)
            await asyncio.sleep(0)
            for rank in self.roster.contributing(number):
                self.roster.present(number, rank, self.choose.randrange(9), True)

    async def come_back(self) -> None:
        number = self.choose.randrange(4)
        if number in self.roster.jobs.running:
            self.roster.unbench(number, self.choose.randrange(3))

    async def resize(self) -> None:
        with suppress(NoMemberError, NoSlotsError):
            await self.roster.resize(self.choose.randrange(4), self.choose.choice([4, 8, 16]))

    async def switch_goes(self) -> None:
        self.switch.go_away()

    async def switch_comes(self) -> None:
        """With what it had, with part of it, or with nothing."""

        def back() -> None:
            for number in list(self.switch.jobs):
                if self.choose.random() < 0.5:
                    self.switch.forget(number)
            self.switch.refusal = None

        await self.roster.restore(back)

    async def controller_restarts(self) -> None:
        """All workers that the next one knows come back to it."""
        await self.settle()
        if self.switch.refusal is not None:
            return
        self.roster.close()
        self.roster = self.new_roster()
        await self.roster.adopt(patience=60)
        for former in [each for each in self.seats if each not in self.gone]:
            self.gone.add(former)
            if former not in self.heard:
                continue
            news, worker = self.heard[former], former.worker
            try:
                seat = self.roster.resume(former.job, news.rank, str(worker.ip), worker.udp_port, b"", worker.secret)
            except RemovedError:
                continue
            self.seats.append(seat)
            self.heard[seat] = news

    def some(self) -> Seat | None:
        present = [seat for seat in self.seats if seat not in self.gone]
        return self.choose.choice(present) if present else None

    def listen(self) -> None:
        for seat in self.seats:
            while seat not in self.gone and not seat.news.empty():
                news = seat.news.get_nowait()
                if isinstance(news, News):
                    before = self.heard.get(seat)
                    assert before is None or (news.rank == before.rank and news.job.epoch >= before.job.epoch)
                    self.heard[seat] = news
                else:
                    assert isinstance(news, RemovedError)
                    self.gone.add(seat)

    async def settle(self) -> None:
        """Until nothing is left to be done."""
        while self.roster._tasks:
            await asyncio.gather(*self.roster._tasks)
        await asyncio.sleep(0.003)
        while self.roster._tasks:
            await asyncio.gather(*self.roster._tasks)
        self.listen()

    def check(self) -> None:
        running = self.roster.jobs.running
        assert not self.roster.jobs.ready()
        assert {number: job.epoch for number, job in self.switch.jobs.items()} == {
            number: job.epoch for number, job in running.items()
        }
        for number, job in running.items():
            assert self.switch.jobs[number].members == job.members
            told = {
                self.heard[seat].rank: self.heard[seat].job.epoch
                for seat in self.seats
                if seat not in self.gone and seat in self.heard and seat.job == number
            }
            assert told == dict.fromkeys([*job.members, *job.benched], job.epoch)


STEPS: dict[str, Callable[[Scene], Any]] = {
    name: getattr(Scene, name)
    for name in (
        *("join", "break_off", "leave", "evict", "resize", "admit", "wait", "come_back"),
        *("switch_goes", "switch_comes", "controller_restarts"),
    )
}


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*STEPS, "join", "join", "join", "pause"]), min_size=5, max_size=60),
    st.integers(0, 1 << 32),
)
@example(["join", "join", "join", "pause", "break_off", "break_off", "join"], 15630768)
def test_in_the_end_the_switch_holds_the_jobs_that_run_and_their_workers_know(steps: list[str], seed: int) -> None:
    async def play() -> None:
        scene = Scene(Random(seed))
        for step in steps:
            if step == "pause":
                await scene.settle()
            else:
                await STEPS[step](scene)
            scene.listen()
        await scene.switch_comes()
        await scene.settle()
        scene.check()
        scene.roster.close()

    asyncio.run(play())


def test_nobody_is_benched_while_all_are_in_the_call_or_beyond_it() -> None:
    async def play() -> None:
        roster = Roster(Jobs(Slots(3 * DEFAULT_LANES), Epochs()), FakeSwitch(), lambda _: None)
        for host in (1, 2, 3):
            roster.join(0, Terms(3), Worker(IPv4Address(f"10.0.0.{host}"), host, 40000, host))
        epoch = roster.jobs.running[0].epoch
        roster.waiting(0, 7, impatient=True)
        for rank, calls, calling in ((0, 7, True), (1, 8, False), (2, 8, True)):
            roster.present(0, rank, calls, calling)
        await asyncio.gather(*roster._tasks)
        assert roster.jobs.running[0].epoch == epoch
        roster.waiting(0, 7, impatient=True)
        for rank, calls, calling in ((0, 7, True), (1, 7, False), (2, 6, True)):
            roster.present(0, rank, calls, calling)
        await asyncio.gather(*roster._tasks)
        assert roster.jobs.running[0].members == (0,)

    asyncio.run(play())


def joins(roster: Roster, number: int, terms: Terms, host: int = 1) -> Seat:
    return roster.join(number, terms, Worker(IPv4Address(f"10.0.0.{host}"), host, 40000, host))


def test_jobs_in_line_start_together_when_the_slots_of_one_that_leaves_do_for_all() -> None:
    async def play() -> None:
        switch = FakeSwitch()
        roster = Roster(Jobs(Slots(512), Epochs(), quotas=Quotas(jobs=513)), switch, lambda _: None)
        first = joins(roster, 0, Terms(1, 512))
        seats = [joins(roster, number, Terms(1, 1, when_full=WhenFull.WAIT)) for number in range(1, 513)]
        await roster.leave(0, first.worker, 0)
        await asyncio.gather(*roster._tasks)
        assert set(switch.jobs) == set(range(1, 513))
        for seat in seats:
            news = seat.news.get_nowait()
            assert isinstance(news, News)
            assert news.job is switch.jobs[seat.job]
            assert seat.news.empty()

    asyncio.run(play())


def test_a_job_that_starts_anew_lets_workers_in_from_its_first_call_on() -> None:
    async def play() -> None:
        terms = Terms(2, 8, elastic=True, quorum=1)
        roster = Roster(Jobs(Slots(64), Epochs()), FakeSwitch(), lambda _: None)
        former = joins(roster, 0, terms)
        await roster.admit(0, 7)
        await roster.leave(0, former.worker, 0)
        joins(roster, 0, terms)
        joins(roster, 0, terms, 2)
        assert list(roster.jobs.newcomers(0)) == [1]
        assert await roster.admit(0, 0) == roster.jobs.running[0].epoch
        assert roster.jobs.running[0].members == (0, 1)

    asyncio.run(play())


def test_a_job_of_which_part_is_gone_goes_on_in_a_new_epoch_with_the_next_controller() -> None:
    class Partial(FakeSwitch):
        def learn(self) -> list[tuple[Job, bool]]:
            return [(job, number != 1) for number, job in self.jobs.items()]

    async def play() -> None:
        switch = Partial()
        former = Roster(Jobs(Slots(64), Epochs()), switch, lambda _: None)
        for number in (1, 2):
            joins(former, number, Terms(1, 8))
        await asyncio.gather(*former._tasks)
        epochs = {number: job.epoch for number, job in switch.jobs.items()}
        roster = Roster(Jobs(Slots(64), Epochs()), switch, lambda _: None)
        await roster.adopt(60)
        assert switch.jobs[1].epoch > max(epochs.values())
        assert switch.jobs[2].epoch == epochs[2]
        roster.close()

    asyncio.run(play())
