"""After any events in any order, the switch finally holds the running jobs, and their workers know."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address
from random import Random
from threading import Event, Lock
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dropzero.controller.jobs.roster
from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import DEFAULT_LANES, Job, Jobs, JoinError, Quotas, Terms, WhenFull, Worker
from dropzero.controller.jobs.policies import WeightedFair
from dropzero.controller.jobs.roster import Connection, JobUpdate, NoMemberError, RemovedError, Roster
from dropzero.controller.jobs.slots import NoSlotsError
from dropzero.controller.jobs.tree import Tree
from dropzero.controller.p4runtime.errors import Rejection, UnreachableError, WriteError
from dropzero.membership.ending import Ending
from tests.support.controller import FakeSwitch


@dataclass
class StrictSwitch(FakeSwitch):
    """Checks that a removed row does not return in the same epoch, because its slots may belong to another job. Removes
    rows in the way of others itself, as a Switch does."""

    used: set[int] = field(default_factory=set)
    before: dict[int, int] = field(default_factory=dict)
    """The epoch of each job on the switch."""

    def sync(self, number: int, job: Job | None) -> None:
        super().sync(number, job)
        if job is not None:
            assert job.epoch not in self.used or self.before.get(number) == job.epoch
            for other in list(self.jobs.values()):
                if other is not job and _overlap(other, job):
                    self.forget(other.id)
            self.used.add(job.epoch)
        self.before = {each.id: each.epoch for each in self.jobs.values()}

    def forget(self, number: int) -> None:
        del self.jobs[number]
        del self.before[number]


LINKED = Tree({"s2": "s1"}, {IPv4Address(f"10.0.0.{host}"): f"s{host}" for host in (1, 2)})
"""Two switches with a host each."""


def _overlap(one: Job, other: Job) -> bool:
    return any(set(share) & set(other.slots.get(switch, ())) for switch, share in one.slots.items())


@dataclass
class Client:
    """One controller's connection to the switch, until the controller dies."""

    switch: StrictSwitch
    dead: bool = False
    lock: Lock = field(default_factory=Lock)

    def learn(self) -> list[tuple[Job, bool]]:
        with self._alive():
            return self.switch.learn()

    def sync(self, number: int, job: Job | None) -> None:
        with self._alive():
            self.switch.sync(number, job)

    def taken(self) -> int:
        with self._alive():
            return self.switch.taken()

    def die(self) -> None:
        with self.lock:
            self.dead = True

    @contextmanager
    def _alive(self) -> Iterator[None]:
        with self.lock:
            if self.dead:
                raise UnreachableError("the controller is dead")
            yield


@dataclass
class Scene:
    """Workers of at most four jobs that join and leave, on a switch that goes away and comes back."""

    choose: Random
    switch: StrictSwitch = field(default_factory=StrictSwitch)
    connections: list[Connection] = field(default_factory=list)
    heard: dict[Connection, JobUpdate] = field(default_factory=dict)
    """The latest update of each worker."""
    gone: set[Connection] = field(default_factory=set)
    epochs: dict[tuple[int, int], Job] = field(default_factory=dict)
    """What workers, by their ports, were told of each epoch."""

    def __post_init__(self) -> None:
        self.roster = self.new_roster()

    def new_roster(self) -> Roster:
        self.client = Client(self.switch)
        return Roster(Jobs(3 * DEFAULT_LANES, Epochs()), self.client, lambda _: None)

    async def join(self) -> None:
        number, host = self.choose.randrange(4), self.choose.randint(1, 8)
        terms = Terms(3, elastic=True, quorum=1 + number // 2, when_full=WhenFull.WAIT)
        worker = Worker(IPv4Address(f"10.0.0.{host}"), host, 40000 + len(self.connections), host)
        with suppress(JoinError):
            self.connections.append(self.roster.join(number, terms, worker))

    async def break_off(self) -> None:
        if connection := self.some():
            self.gone.add(connection)
            self.roster.broke_off(connection)

    async def leave(self) -> None:
        connection = self.some()
        if connection is not None and connection in self.heard:
            self.gone.add(connection)
            leaving = self.roster.leave(
                connection.job, connection.worker, self.choose.choice([0, 0.001]), self.choose.randrange(9)
            )
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
        """A member waits for one that has finished, or for a straggler."""
        number = self.choose.randrange(4)
        if number in self.roster.jobs.running:
            self.roster.waiting(number, self.choose.randrange(9), True)
            await asyncio.sleep(0)
            for rank in self.roster.contributing(number):
                epoch = self.roster.jobs.running[number].epoch
                self.roster.present(number, rank, epoch, self.choose.randrange(9), True)

    async def come_back(self) -> None:
        number = self.choose.randrange(4)
        if number in self.roster.jobs.running:
            await self.roster.unbench(number, self.choose.randrange(3))

    async def resize(self) -> None:
        with suppress(NoMemberError, NoSlotsError):
            await self.roster.resize(self.choose.randrange(4), self.choose.choice([4, 8, 16]))

    async def switch_goes(self) -> None:
        self.switch.go_away()

    async def switch_comes(self) -> None:
        """The switch comes back with all, part, or none of its state."""

        def back() -> None:
            for number in list(self.switch.jobs):
                if self.choose.random() < 0.5:
                    self.switch.forget(number)
            self.switch.refusal = None

        await self.roster.restore(back)

    async def controller_restarts(self) -> None:
        await self.settle()
        if self.switch.refusal is None:
            await self._succeed()

    async def controller_dies(self) -> None:
        """In the midst of its work. The next one is ready when the switch is there."""
        self.listen()
        self.client.die()
        self.switch.refusal = None
        await self._succeed()

    async def _succeed(self) -> None:
        """All workers that the new controller knows reconnect."""
        self.roster.close()
        self.roster = self.new_roster()
        await self.roster.adopt(patience=60)
        for former in [each for each in self.connections if each not in self.gone]:
            self.gone.add(former)
            if former not in self.heard:
                continue
            update, worker = self.heard[former], former.worker
            try:
                connection = self.roster.resume(
                    former.job, update.rank, str(worker.ip), worker.udp_port, b"", worker.secret, update.job.epoch
                )
            except RemovedError:
                continue
            self.connections.append(connection)
            self.heard[connection] = update

    def some(self) -> Connection | None:
        present = [connection for connection in self.connections if connection not in self.gone]
        return self.choose.choice(present) if present else None

    def listen(self) -> None:
        for connection in self.connections:
            while connection not in self.gone and not connection.updates.empty():
                update = connection.updates.get_nowait()
                if isinstance(update, JobUpdate):
                    before = self.heard.get(connection)
                    assert before is None or (update.rank == before.rank and update.job.epoch >= before.job.epoch)
                    key = connection.worker.udp_port, update.job.epoch
                    assert vars(self.epochs.setdefault(key, update.job)) == vars(update.job)
                    self.heard[connection] = update
                else:
                    assert isinstance(update, RemovedError)
                    self.gone.add(connection)

    async def settle(self) -> None:
        """Waits until nothing is left to do."""
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
                self.heard[connection].rank: self.heard[connection].job.epoch
                for connection in self.connections
                if connection not in self.gone and connection in self.heard and connection.job == number
            }
            everybody = (*job.workers.items(), *job.benched.items())
            # A worker that broke off when the former controller died has time to come back.
            assert told == {rank: job.epoch for rank, worker in everybody if self.roster.connected(worker)}


STEPS: dict[str, Callable[[Scene], Any]] = {
    name: getattr(Scene, name)
    for name in (
        *("join", "break_off", "leave", "evict", "resize", "admit", "wait", "come_back"),
        *("switch_goes", "switch_comes", "controller_restarts", "controller_dies"),
    )
}


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*STEPS, "join", "join", "join", "pause"]), min_size=5, max_size=60),
    st.integers(0, 1 << 32),
)
@example(["join", "join", "join", "pause", "break_off", "break_off", "join"], 15630768)
@example([*["join"] * 8, "pause", "switch_goes", "resize", "evict", "wait", "controller_dies", "resize"], 9)
def test_in_the_end_the_switch_holds_the_running_jobs_and_their_workers_know(steps: list[str], seed: int) -> None:
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


def test_no_member_is_benched_while_all_are_in_the_call_or_beyond_it() -> None:
    async def play() -> None:
        roster = Roster(Jobs(3 * DEFAULT_LANES, Epochs()), FakeSwitch(), lambda _: None)
        for host in (1, 2, 3):
            roster.join(0, Terms(3), Worker(IPv4Address(f"10.0.0.{host}"), host, 40000, host))
        epoch = roster.jobs.running[0].epoch
        roster.waiting(0, 7, impatient=True)
        for rank, calls, calling in ((0, 7, True), (1, 8, False), (2, 8, True)):
            roster.present(0, rank, epoch, calls, calling)
        await asyncio.gather(*roster._tasks)
        assert roster.jobs.running[0].epoch == epoch
        roster.waiting(0, 7, impatient=True)
        for rank, calls, calling in ((0, 7, True), (1, 7, False), (2, 6, True)):
            roster.present(0, rank, epoch, calls, calling)
        await asyncio.gather(*roster._tasks)
        assert roster.jobs.running[0].members == (0,)

    asyncio.run(play())


def test_the_last_member_is_not_benched_if_the_others_finish_during_the_roll_call() -> None:
    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        leaving, _ = (joins(roster, 0, Terms(2, 8), host) for host in (1, 2))
        await asyncio.gather(*roster._tasks)
        epoch = roster.jobs.running[0].epoch
        roster.waiting(0, 7, impatient=True)
        await roster.leave(0, leaving.worker, 60, 8, epoch)
        for rank, calls, calling in ((0, 7, True), (1, 7, False)):
            roster.present(0, rank, epoch, calls, calling)
        await asyncio.gather(*roster._tasks)
        assert not roster.jobs.running[0].benched
        roster.close()

    asyncio.run(play())


def joins(roster: Roster, number: int, terms: Terms, host: int = 1) -> Connection:
    return roster.join(number, terms, Worker(IPv4Address(f"10.0.0.{host}"), host, 40000, host))


@pytest.mark.parametrize(
    "wrong", [{"rank": 1}, {"ip": "10.0.0.2"}, {"udp_port": 40001}, {"secret": 8}, {"token": b"guess"}, {"token": b""}]
)
def test_a_member_is_known_by_its_address_its_secret_and_its_jobs_token(wrong: dict[str, Any]) -> None:
    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        terms = Terms(2, 8, token=b"token")
        members = [Worker(IPv4Address(f"10.0.0.{host}"), host, 40000, host, secret=6 + host) for host in (1, 2)]
        first, _ = (roster.join(0, terms, member) for member in members)
        who: dict[str, Any] = {"rank": 0, "ip": "10.0.0.1", "udp_port": 40000, "token": b"token", "secret": 7}
        assert roster.member(0, **who) is members[0]
        with pytest.raises((NoMemberError, JoinError)):
            roster.member(0, **who | wrong)
        with pytest.raises((RemovedError, JoinError)):
            roster.resume(0, **who | wrong, epoch=0)
        assert roster.connected(members[0])
        assert first.updates.empty()

    asyncio.run(play())


def test_a_lost_member_does_not_come_back_while_the_others_end_their_call() -> None:
    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        lost, _ = (joins(roster, 0, Terms(2, 8, raise_on_loss=True), host) for host in (1, 2))
        roster.broke_off(lost)
        with pytest.raises(RemovedError, match="job 0 has lost this worker"):
            roster.resume(0, 0, "10.0.0.1", 40000, b"", 0, 0)
        await asyncio.sleep(0)
        roster.held(0, 1, roster.jobs.running[0].epoch, 3, False)
        while roster._tasks:
            await asyncio.gather(*roster._tasks)
        assert roster.jobs.running[0].members == (1,)

    asyncio.run(play())


def test_a_lost_member_ends_the_first_call_of_which_no_other_member_has_the_result() -> None:
    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        lost, *_ = (joins(roster, 0, Terms(3, 8, raise_on_loss=True), host) for host in (1, 2, 3))
        job = roster.jobs.running[0]
        roster.broke_off(lost)
        await asyncio.sleep(0)
        roster.held(0, 1, job.epoch, 3, False)
        roster.held(0, 2, job.epoch, 4, False)
        while roster._tasks:
            await asyncio.gather(*roster._tasks)
        (ending,) = roster.jobs.running[0].endings
        assert (ending.call, ending.rank) == (4, 0)
        assert ending.epoch == roster.jobs.running[0].epoch > job.epoch

    asyncio.run(play())


def test_a_member_leaves_only_in_the_epoch_that_it_names() -> None:
    """In a later one, the others may need its results."""

    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        leaving, *_ = (joins(roster, 0, Terms(3, 8), host) for host in (1, 2, 3))
        epoch = roster.jobs.running[0].epoch
        await roster.evict(0, 2)
        assert not await roster.leave(0, leaving.worker, 0, 7, epoch)
        assert roster.connected(leaving.worker)
        assert list(roster.jobs.running[0].members) == [0, 1]
        assert await roster.leave(0, leaving.worker, 0, 7, roster.jobs.running[0].epoch)
        assert list(roster.jobs.running[0].members) == [1]

    asyncio.run(play())


def test_a_finished_member_goes_only_when_one_that_waits_has_its_last_result() -> None:
    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        leaving, _ = (joins(roster, 0, Terms(2, 8), host) for host in (1, 2))
        await roster.leave(0, leaving.worker, 60, 8)
        roster.waiting(0, 7, impatient=False)
        assert list(roster.jobs.running[0].members) == [0, 1]
        roster.waiting(0, 8, impatient=False)
        assert list(roster.jobs.running[0].members) == [1]
        roster.close()

    asyncio.run(play())


def test_a_member_that_was_away_during_a_request_gets_it_when_it_is_back() -> None:
    """Also while the switch is away, so that it does not know the job's epoch yet."""

    async def play() -> None:
        switch = FakeSwitch()
        roster = Roster(Jobs(64, Epochs()), switch, lambda _: None, patience=60)
        members = [joins(roster, 0, Terms(3, 8), host) for host in (1, 2, 3)]
        await asyncio.gather(*roster._tasks)
        switch.go_away()
        await roster.evict(0, 2)
        roster.broke_off(members[1])
        ended = asyncio.create_task(roster.give_up(0, roster.jobs.running[0].workers[0], Ending(7, 0, "on purpose")))
        await asyncio.sleep(0)
        roster.held(0, 0, roster.jobs.running[0].epoch, 7, False)
        away = members[1].worker
        back = roster.resume(0, 1, str(away.ip), away.udp_port, b"", away.secret, roster.jobs.running[0].epoch)
        update = back.updates.get_nowait()
        assert isinstance(update, JobUpdate)
        assert update.hold == 7
        roster.held(0, 1, update.job.epoch, 7, False)
        assert await ended is not None
        assert roster.jobs.running[0].members == (0, 1)
        roster.close()

    asyncio.run(play())


def test_a_member_that_reports_itself_as_unheard_ends_only_its_own_job() -> None:
    """With all ranks of a job, and others."""

    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        for host in (1, 2):
            joins(roster, 0, Terms(2, 8), host)
        epoch = roster.jobs.running[0].epoch
        roster.waiting(0, 7, impatient=False, unheard=range(9))
        for rank in (0, 1):
            roster.present(0, rank, epoch, 7, True)
        await asyncio.gather(*roster._tasks)
        assert not roster.jobs.running

    asyncio.run(play())


@pytest.mark.parametrize("answers", [{0: True, 1: False}, {0: True}], ids=["between calls", "no answer"])
def test_only_a_member_that_says_it_is_in_the_call_is_lost_as_unheard(
    monkeypatch: pytest.MonkeyPatch, answers: dict[int, bool]
) -> None:
    monkeypatch.setattr(dropzero.controller.jobs.roster, "ROLL_CALL", 0.01)

    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        for host in (1, 2):
            joins(roster, 0, Terms(2, 8), host)
        job = roster.jobs.running[0]
        roster.waiting(0, 7, impatient=False, unheard=[1])
        for rank, calling in answers.items():
            roster.present(0, rank, job.epoch, 7, calling)
        await asyncio.gather(*roster._tasks)
        assert roster.jobs.running[0] is job

    asyncio.run(play())


def holds(roster: Roster, calls: dict[int, int], epoch: int | None = None) -> None:
    """Members answer a hold: by rank, the calls that they have finished."""
    for rank, done in calls.items():
        roster.held(0, rank, roster.jobs.running[0].epoch if epoch is None else epoch, done, False)


def test_members_that_give_up_one_call_get_one_ending_until_all_have_passed_it() -> None:
    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        lost, *members = (joins(roster, 0, Terms(3, 8, raise_on_loss=True), host).worker for host in (1, 2, 3))
        given_up = asyncio.create_task(roster.give_up(0, members[0], Ending(3, 1, "on purpose")))
        await asyncio.sleep(0)
        holds(roster, {0: 3, 1: 3})
        # A late answer to a hold of another epoch does not count.
        holds(roster, {2: 9}, roster.jobs.running[0].epoch - 1)
        await asyncio.sleep(0)
        holds(roster, {2: 2})
        ending = await given_up
        assert ending is not None
        assert await roster.give_up(0, members[1], Ending(3, 2, "another reason")) is ending
        assert ending.epoch == roster.jobs.running[0].epoch
        for worker, done, kept in ((lost, 3, [3, 9]), (members[0], 4, [9, 4])):
            roster.broke_off(roster._connections[worker])
            await asyncio.sleep(0)
            # Also of one that is lost: what it has done does not count any more.
            holds(roster, {1: 9, 2: done})
            while roster._tasks:
                await asyncio.gather(*roster._tasks)
            assert [each.call for each in roster.jobs.running[0].endings] == kept

    asyncio.run(play())


def test_only_the_job_that_a_returning_switch_refuses_ends() -> None:
    class Refusing(FakeSwitch):
        def sync(self, number: int, job: Job | None) -> None:
            if number == 1 and job is not None and job.epoch > first:
                raise WriteError("s1", (Rejection("an insert", "RESOURCE_EXHAUSTED", "the table is full"),))
            super().sync(number, job)

    first = 1_000_000

    async def play() -> None:
        nonlocal first
        switch = Refusing()
        roster = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        connections = [joins(roster, number, Terms(1, 8)) for number in (1, 2)]
        await asyncio.gather(*roster._tasks)
        first = max(job.epoch for job in roster.jobs.running.values())
        switch.jobs.clear()
        await roster.restore(lambda: None)
        await asyncio.gather(*roster._tasks)
        assert list(roster.jobs.running) == list(switch.jobs) == [2]
        *_, told = [connections[0].updates.get_nowait() for _ in range(connections[0].updates.qsize())]
        assert isinstance(told, WriteError)
        *_, restored = [connections[1].updates.get_nowait() for _ in range(connections[1].updates.qsize())]
        assert isinstance(restored, JobUpdate)
        assert restored.job is switch.jobs[2]

    asyncio.run(play())


def test_a_job_continues_above_an_epoch_that_only_its_members_know() -> None:
    """The controller asked them about that epoch while the switch was away, and then died."""

    async def play() -> None:
        switch = FakeSwitch()
        former = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        members = [joins(former, 0, Terms(3, 8), host) for host in (1, 2, 3)]
        await asyncio.gather(*former._tasks)
        switch.go_away()
        await former.evict(0, 2)
        known = former.jobs.running[0].epoch
        former.close()
        switch.refusal = None
        roster = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        await roster.adopt(60)
        assert roster.jobs.running[0].epoch < known
        for rank, epoch in ((1, known - 1), (0, known)):
            worker = members[rank].worker
            members[rank] = roster.resume(0, rank, str(worker.ip), worker.udp_port, b"", worker.secret, epoch)
        await asyncio.gather(*roster._tasks)
        assert switch.jobs[0].epoch > known
        for member in members[:2]:
            *_, told = [member.updates.get_nowait() for _ in range(member.updates.qsize())]
            assert isinstance(told, JobUpdate)
            assert told.job is switch.jobs[0]
        roster.close()

    asyncio.run(play())


def test_jobs_in_line_start_together_when_enough_slots_are_freed() -> None:
    async def play() -> None:
        switch = FakeSwitch()
        roster = Roster(Jobs(512, Epochs(), quotas=Quotas(jobs=513)), switch, lambda _: None)
        first = joins(roster, 0, Terms(1, 512))
        connections = [joins(roster, number, Terms(1, 1, when_full=WhenFull.WAIT)) for number in range(1, 513)]
        await roster.leave(0, first.worker, 0)
        await asyncio.gather(*roster._tasks)
        assert set(switch.jobs) == set(range(1, 513))
        for connection in connections:
            update = connection.updates.get_nowait()
            assert isinstance(update, JobUpdate)
            assert update.job is switch.jobs[connection.job]
            assert connection.updates.empty()

    asyncio.run(play())


def test_a_restarted_job_lets_workers_in_from_its_first_call_on() -> None:
    async def play() -> None:
        terms = Terms(2, 8, elastic=True, quorum=1)
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        former = joins(roster, 0, terms)
        await roster.admit(0, 7)
        await roster.leave(0, former.worker, 0)
        joins(roster, 0, terms)
        joins(roster, 0, terms, 2)
        assert list(roster.jobs.newcomers(0)) == [1]
        assert await roster.admit(0, 0) == roster.jobs.running[0].epoch
        assert roster.jobs.running[0].members == (0, 1)

    asyncio.run(play())


def test_a_worker_that_gives_up_waiting_to_be_let_in_frees_the_slots_of_its_switch() -> None:
    async def play() -> None:
        switch = FakeSwitch()
        roster = Roster(Jobs(64, Epochs(), tree=LINKED), switch, lambda _: None)
        joins(roster, 0, Terms(2, 64, elastic=True, quorum=1))
        newcomer = joins(roster, 0, Terms(2, 64, elastic=True), 2)
        joins(roster, 1, Terms(1, 64, when_full=WhenFull.WAIT), 2)
        assert set(roster.jobs.running) == {0}
        roster.broke_off(newcomer)
        await asyncio.gather(*roster._tasks)
        assert {number: job.slots.keys() for number, job in switch.jobs.items()} == {0: {"s1"}, 1: {"s2"}}

    asyncio.run(play())


def test_members_hear_at_once_that_they_share_the_slots_on_the_switch_of_a_worker_that_waits_to_be_let_in() -> None:
    async def play() -> None:
        roster = Roster(Jobs(64, Epochs(), policy=WeightedFair(), tree=LINKED), FakeSwitch(), lambda _: None)
        member = joins(roster, 0, Terms(2, 64, elastic=True, quorum=1))
        joins(roster, 1, Terms(1, 64), 2)
        await asyncio.gather(*roster._tasks)
        joins(roster, 0, Terms(2, 64, elastic=True), 2)
        await asyncio.gather(*roster._tasks)
        *_, told = [member.updates.get_nowait() for _ in range(member.updates.qsize())]
        assert isinstance(told, JobUpdate)
        assert (told.job.lanes, told.why, told.waiting) == (32, "job 0: 32 slots from now on", 1)

    asyncio.run(play())


def test_where_two_jobs_have_the_same_slots_the_one_written_later_keeps_them() -> None:
    """The controller ended before the switch had the other's new slots."""

    async def play() -> None:
        switch = FakeSwitch()
        former = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        for number in (1, 2):
            joins(former, number, Terms(1, 8))
        await asyncio.gather(*former._tasks)
        switch.jobs[2] = replace(switch.jobs[2], slots=switch.jobs[1].slots)
        roster = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        await roster.adopt(60)
        assert [switch.jobs[number].slots for number in (1, 2)] == [{"": range(8, 16)}, {"": range(8)}]
        assert switch.jobs[1].epoch > switch.jobs[2].epoch
        roster.close()

    asyncio.run(play())


def test_a_job_with_missing_rows_continues_in_a_new_epoch_with_the_next_controller() -> None:
    class Partial(FakeSwitch):
        def learn(self) -> list[tuple[Job, bool]]:
            return [(job, number != 1) for number, job in self.jobs.items()]

    async def play() -> None:
        switch = Partial()
        former = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        for number in (1, 2):
            joins(former, number, Terms(1, 8))
        await asyncio.gather(*former._tasks)
        epochs = {number: job.epoch for number, job in switch.jobs.items()}
        roster = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        await roster.adopt(60)
        assert switch.jobs[1].epoch > max(epochs.values())
        assert switch.jobs[2].epoch == epochs[2]
        roster.close()

    asyncio.run(play())


def test_members_go_on_with_a_new_worker_only_when_the_switch_knows_it() -> None:
    class Slow(FakeSwitch):
        def sync(self, number: int, job: Job | None) -> None:
            asked.set()
            assert ready.wait(600)
            super().sync(number, job)

    async def play() -> None:
        terms = Terms(3, 8, elastic=True, quorum=2)
        roster = Roster(Jobs(64, Epochs()), Slow(), lambda _: None)
        for host in (1, 2, 3):
            joins(roster, 0, terms, host)
        await asyncio.gather(*roster._tasks)
        ready.clear()
        asked.clear()
        admitted = [asyncio.ensure_future(roster.admit(0, 1)) for _ in range(2)]
        assert await asyncio.to_thread(asked.wait, 60)
        assert not any(each.done() for each in admitted)
        ready.set()
        assert await asyncio.gather(*admitted) == 2 * [roster.jobs.running[0].epoch]

    asked, ready = Event(), Event()
    ready.set()
    asyncio.run(play())


@pytest.mark.parametrize("whole", [True, False])
def test_a_job_whose_members_are_all_gone_is_over_for_the_next_controller(whole: bool) -> None:
    class Orphaned(FakeSwitch):
        def learn(self) -> list[tuple[Job, bool]]:
            return [(replace(job, workers={}, benched=job.workers), whole) for job in self.jobs.values()]

    async def play() -> None:
        switch = Orphaned()
        former = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        benched = joins(former, 0, Terms(1, 8))
        await asyncio.gather(*former._tasks)
        reports: list[str] = []
        roster = Roster(Jobs(64, Epochs()), switch, reports.append)
        await roster.adopt(60)
        assert not roster.jobs.running
        assert not switch.jobs
        assert not roster.unsettled(0)
        assert reports == ["job 0 cannot continue: all members that know its results are gone"]
        worker = benched.worker
        with pytest.raises(RemovedError, match="job 0 is over"):
            roster.resume(0, 0, str(worker.ip), worker.udp_port, b"", worker.secret, 0)

    asyncio.run(play())


def abandoned(roster: Roster, connections: list[Connection]) -> None:
    for connection in connections:
        roster.abandon(connection.job, connection.worker)


@pytest.mark.parametrize("raises", [False, True])
def test_a_job_that_all_workers_have_abandoned_is_over_at_once(raises: bool) -> None:
    """Although a disconnected worker has a minute to come back."""

    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None, patience=60)
        members = [joins(roster, 0, Terms(3, 8, raise_on_loss=raises), host) for host in (1, 2, 3)]
        abandoned(roster, members[:2])
        assert roster.jobs.running[0].members == (0, 1, 2)
        assert roster.unsettled(0)
        abandoned(roster, members[2:])
        assert not roster.jobs.running
        assert not roster.unsettled(0)

    asyncio.run(play())


@pytest.mark.parametrize("gives_up", [False, True])
def test_nobody_waits_for_the_answers_of_lost_members(monkeypatch: pytest.MonkeyPatch, gives_up: bool) -> None:
    monkeypatch.setattr(dropzero.controller.jobs.roster, "HOLD", 1e6)

    async def play() -> None:
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), lambda _: None)
        members = [joins(roster, 0, Terms(3, 8, raise_on_loss=True), host) for host in (1, 2, 3)]
        if gives_up:
            ended = asyncio.create_task(roster.give_up(0, members[0].worker, Ending(0, 0, "on purpose")))
            await asyncio.sleep(0)
        for connection in members:
            roster.broke_off(connection)
        while roster._tasks:
            await asyncio.gather(*roster._tasks)
        assert not roster.jobs.running
        assert not gives_up or await ended is None

    asyncio.run(play())


@pytest.mark.parametrize("raises", [False, True])
def test_what_an_old_job_still_has_to_do_does_not_reach_a_new_one_of_its_number(raises: bool) -> None:
    """Its members were lost, gave up a call, and were asked for their progress, while it ended."""

    async def play() -> None:
        reports: list[str] = []
        roster = Roster(Jobs(64, Epochs()), FakeSwitch(), reports.append)
        terms = Terms(3, 8, raise_on_loss=raises)
        old = [joins(roster, 0, terms, host) for host in (1, 2, 3)]
        await asyncio.gather(*roster._tasks)
        epoch = roster.jobs.running[0].epoch
        given_up = [
            asyncio.create_task(roster.give_up(0, member.worker, Ending(3, rank, "on purpose")))
            for rank, member in enumerate(old)
        ]
        roster.waiting(0, 3, impatient=True)
        await asyncio.sleep(0)
        # One waits for the answers of the others; the rest wait for it.
        roster.broke_off(old[0])
        roster.broke_off(old[1])
        abandoned(roster, old[2:])
        if 0 in roster.jobs.running:
            await asyncio.wait_for(roster.evict(0, 2), 20)
        while 0 in roster.jobs.running:
            await asyncio.sleep(0)
        new = [joins(roster, 0, terms, host) for host in (1, 2, 3)]
        job = roster.jobs.running[0]
        assert job.epoch > epoch
        for rank in range(3):
            roster.held(0, rank, epoch, 3, False)
            roster.present(0, rank, epoch, 3, True)
        assert await asyncio.gather(*given_up) == [None] * 3
        while roster._tasks:
            await asyncio.gather(*roster._tasks)
        assert roster.jobs.running[0] is job
        for member in new:
            told = [member.updates.get_nowait() for _ in range(member.updates.qsize())]
            assert [(each.job, each.hold, each.roll_call) for each in told if isinstance(each, JobUpdate)] == [
                (job, None, None)
            ]
            assert len(told) == 1
        assert reports[-1] == f"job 0: started with 3 workers, epoch {job.epoch}"

    asyncio.run(play())


def test_a_returning_switch_announces_no_epoch_that_it_has_not_entered() -> None:
    """A job starts while the switch's rows are restored."""

    class Slow(FakeSwitch):
        def sync(self, number: int, job: Job | None) -> None:
            if number == 1 and waits.is_set():
                begun.set()
                assert go_on.wait(600)
            super().sync(number, job)

    waits, begun, go_on = Event(), Event(), Event()

    async def play() -> None:
        switch = Slow()
        roster = Roster(Jobs(64, Epochs()), switch, lambda _: None)
        joins(roster, 1, Terms(1, 8))
        await asyncio.gather(*roster._tasks)
        waits.set()
        restoring = asyncio.create_task(roster.restore(switch.jobs.clear))
        await asyncio.to_thread(begun.wait, 20)
        late = joins(roster, 2, Terms(1, 8), 2)
        # Its own write waits for the restoration.
        publish = roster._publish
        published: list[bool] = []

        def observed(job: Job) -> None:
            published.append(switch.jobs.get(job.id) is job)
            publish(job)

        roster._publish = observed  # type: ignore[method-assign]
        go_on.set()
        await restoring
        while roster._tasks:
            await asyncio.gather(*roster._tasks)
        assert isinstance(late.updates.get_nowait(), JobUpdate)
        assert all(published)

    asyncio.run(play())
