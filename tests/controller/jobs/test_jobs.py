from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from ipaddress import IPv4Address
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import (
    DEFAULT_LANES,
    HOST,
    Job,
    Jobs,
    JoinError,
    PendingJob,
    Quotas,
    Refusal,
    Shares,
    Terms,
    WhenFull,
    Worker,
)
from dropzero.controller.jobs.slots import SLOTS, NoSlotsError
from dropzero.controller.jobs.tree import ONE_SWITCH, Tree


def worker(number: int, wanted: int | None = None) -> Worker:
    return Worker(IPv4Address(f"10.0.0.{number}"), number, 40000, number, wanted)


RACKS = Tree(
    {"s1": "s0", "s2": "s0", "s3": "s2"},
    {worker(host).ip: switch for host, switch in enumerate(["s1", "s1", "s2", "s3", "s0"], 1)},
)
"""Hosts 1 and 2 are on the leaf s1, 3 on s2, 4 on s3 below that, and 5 on the spine s0."""


def empty(slots: int = 4 * DEFAULT_LANES, *, host: bool = False, tree: Tree = ONE_SWITCH) -> Jobs:
    """An empty Jobs; epochs count from 1."""
    return Jobs(slots, Epochs(), slots if host else 0, tree=tree)


def on_switch(job: Job | PendingJob) -> range:
    """A job's slots on its only switch, or on the host."""
    (slots,) = job.slots.values()
    return slots


def started(jobs: Jobs, job: int, *workers: Worker, **terms: object) -> Job:
    agreed = replace(Terms(len(workers)), **terms)  # type: ignore[arg-type]
    for each in workers:
        pending = jobs.join(job, agreed, each)
    assert jobs.ready() == [pending]
    return jobs.start(pending)


@pytest.fixture
def jobs() -> Jobs:
    return empty()


@given(st.permutations(range(6)), st.sets(st.integers(0, 5)))
def test_every_rank_has_one_worker_and_requested_ranks_are_granted(order: list[int], any_rank: set[int]) -> None:
    workers = [worker(rank, None if rank in any_rank else rank) for rank in order]
    job = started(empty(), 1, *workers)
    assert job.members == tuple(range(6))
    assert set(job.workers.values()) == set(workers)
    assert all(each.wanted in (None, rank) for rank, each in job.workers.items())


@given(st.randoms())
def test_workers_of_a_large_job_have_different_numbers_on_a_switch_and_keep_them(chance: Random) -> None:
    workers = [worker(number) for number in range(1, 91)]
    homes = {each.ip: f"s{each.port % 3}" for each in workers}
    jobs, waiting = Jobs(64, Epochs(), tree=Tree({"s1": "s0", "s2": "s0"}, homes)), chance.sample(workers, 90)
    terms = Terms(90, elastic=True, quorum=40)
    while len(workers) - len(waiting) < 40:
        jobs.join(1, terms, waiting.pop())
    (pending,) = jobs.ready()
    job, known = jobs.start(pending), dict[Worker, int]()
    for _ in range(6):
        for rank, each in job.workers.items():
            assert known.setdefault(each, job.number(rank)) == job.number(rank)
        for switch in set(homes.values()):
            here = [job.number(rank) for rank, each in job.workers.items() if homes[each.ip] == switch]
            assert len(set(here)) == len(here)
            assert set(here) <= set(range(32))
        left = jobs.drop(1, chance.sample(job.members, 3))
        assert left is not None
        for _ in range(min(9, len(waiting))):
            with suppress(JoinError):
                jobs.enter(1, terms, waiting.pop())
        job = jobs.admit(1)


def test_a_switch_serves_32_workers_of_a_job_and_a_host_no_larger_one() -> None:
    workers = [worker(number) for number in range(1, 35)]
    homes = {each.ip: "s2" if each is workers[-1] else "s1" for each in workers}
    jobs = Jobs(64, Epochs(), 64, tree=Tree({"s2": "s1"}, homes))
    terms = Terms(34, when_full=WhenFull.HOST)
    for each in workers[:32]:
        jobs.join(1, terms, each)
    with pytest.raises(JoinError, match="s1 has 32 workers of job 1, and no switch serves more: use more racks"):
        jobs.join(1, terms, workers[32])
    with pytest.raises(JoinError, match="a host serves 32 workers"):
        jobs.join(2, terms, workers[0])
    jobs.join(1, Terms(34), workers[33])


def test_a_restarted_job_has_a_new_epoch_and_no_two_jobs_share_one(jobs: Jobs) -> None:
    first = started(jobs, 1, worker(1))
    other = started(jobs, 2, worker(2))
    assert jobs.drop(1, {0}) is None
    assert len({first.epoch, other.epoch, started(jobs, 1, worker(1)).epoch}) == 3


def test_jobs_have_separate_slots_which_their_last_worker_frees(jobs: Jobs) -> None:
    first = started(jobs, 1, worker(1), worker(2), lanes=40)
    second = started(jobs, 2, worker(3))
    assert on_switch(first) == range(40)
    assert on_switch(second) == range(40, 40 + DEFAULT_LANES)
    with pytest.raises(JoinError) as refused:
        jobs.join(3, Terms(1, 200), worker(4))
    assert refused.value.refusal is Refusal.NO_SLOTS
    assert jobs.drop(1, {1}) is not None
    assert jobs.drop(1, {0}) is None
    assert on_switch(jobs.join(3, Terms(1, 40), worker(4))) == range(40)


def test_a_worker_that_gives_up_waiting_frees_its_place_and_the_last_one_frees_the_slots(jobs: Jobs) -> None:
    first = worker(1, wanted=0)
    pending = jobs.join(1, Terms(2, 64), first)
    jobs.withdraw(pending, first)
    assert not jobs.pending
    assert on_switch(jobs.join(2, Terms(1, 256), worker(9))) == range(256)
    jobs.withdraw(jobs.pending[2], jobs.pending[2].workers[0])
    pending = jobs.join(1, Terms(3, 64), worker(1, wanted=0))
    gone = worker(2, wanted=1)
    jobs.join(1, Terms(3, 64), gone)
    jobs.withdraw(pending, gone)
    assert jobs.join(1, Terms(3, 64), worker(3, wanted=1)) is pending
    assert not pending.full


@pytest.mark.parametrize(
    ("job", "terms", "wanted", "refusal", "text"),
    [
        (1, Terms(33), None, Refusal.INVALID, "a job has 1 to 32 workers, not 33"),
        (1, Terms(0), None, Refusal.INVALID, "a job has 1 to 32 workers, not 0"),
        (65536, Terms(2), None, Refusal.INVALID, "jobs are numbered 0 to 65535, not 65536"),
        (1, Terms(2), 2, Refusal.INVALID, "a job of 2 workers has no rank 2"),
        (3, Terms(2, quorum=1), 0, Refusal.INVALID, "only an elastic job can start with a quorum"),
        (3, Terms(2, elastic=True, quorum=3), 0, Refusal.INVALID, "a quorum of 3 exceeds the job's 2 workers"),
        (1, Terms(3), None, Refusal.MISMATCH, "job 1 is gathering 2 workers, not 3"),
        (1, Terms(2, 9), None, Refusal.MISMATCH, "job 1 has 8 lanes, not 9"),
        (1, Terms(2, elastic=True), None, Refusal.MISMATCH, "the workers of job 1 disagree on whether it is elastic"),
        (1, Terms(2, 8), 0, Refusal.RANK_TAKEN, "rank 0 of job 1 is taken"),
        (1, Terms(2, token=b"x"), None, Refusal.TOKEN, "job 1 has no token: give none"),
        (
            3,
            Terms(1, 200),
            None,
            Refusal.NO_SLOTS,
            "200 slots requested, but the switch has only 184 left in",
        ),
        (
            3,
            Terms(1, 257, when_full=WhenFull.WAIT),
            None,
            Refusal.NO_SLOTS,
            "257 slots requested, but the switch has",
        ),
        (3, Terms(1, 200, when_full=WhenFull.HOST), None, Refusal.NO_SLOTS, "the controller has no aggregator"),
    ],
)
def test_an_impossible_join_is_refused_with_the_reason(
    jobs: Jobs, job: int, terms: Terms, wanted: int | None, refusal: Refusal, text: str
) -> None:
    waiting = jobs.join(1, Terms(2, 8), worker(1, wanted=0))
    started(jobs, 2, worker(2))
    with pytest.raises(JoinError) as refused:
        jobs.join(job, terms, worker(3, wanted))
    assert refused.value.refusal is refusal
    assert text in str(refused.value)
    assert len(waiting.workers) == 1


def test_a_job_continues_without_a_worker_and_all_ranks_stay_the_same(jobs: Jobs) -> None:
    before = started(jobs, 1, *map(worker, (1, 2, 3)))
    after = jobs.drop(1, {1})
    assert after is jobs.running[1]
    assert (after.members, after.size, after.slots) == ((0, 2), 3, before.slots)
    assert after.epoch > before.epoch
    assert after.workers[2] is before.workers[2]


def test_finished_members_are_dropped_at_the_next_change_and_the_job_ends_when_all_have_finished(jobs: Jobs) -> None:
    before = started(jobs, 1, *map(worker, (1, 2, 3)))
    assert not jobs.finish(1, 0)
    assert jobs.running[1] is before
    after = jobs.drop(1, {1})
    assert after is not None
    assert after.members == (2,)
    assert jobs.finish(1, 2)
    assert not jobs.running


def test_an_elastic_job_starts_with_its_quorum_and_lets_workers_in_until_it_is_full(jobs: Jobs) -> None:
    terms = Terms(3, elastic=True, quorum=1)
    first = jobs.start(jobs.join(1, terms, worker(1, wanted=1)))
    assert first.members == (1,)
    with pytest.raises(JoinError, match="rank 1 of job 1 is taken"):
        jobs.enter(1, terms, worker(2, wanted=1))
    assert [jobs.enter(1, terms, worker(2)), jobs.enter(1, terms, worker(3))] == [0, 2]
    with pytest.raises(JoinError, match="job 1 has all its 3 workers"):
        jobs.enter(1, terms, worker(4))
    assert jobs.running[1] is first
    second = jobs.admit(1)
    assert second.members == (0, 1, 2)
    assert second.epoch > first.epoch
    assert not jobs.newcomers(1)
    jobs.drop(1, {1})
    gone = worker(4)
    assert jobs.enter(1, terms, gone) == 1
    assert jobs.turn_away(1, gone)
    assert not jobs.turn_away(1, gone)
    assert jobs.admit(1).members == (0, 2)


def test_a_benched_worker_keeps_its_rank(jobs: Jobs) -> None:
    terms = Terms(3, elastic=True, quorum=3)
    for number in (1, 2, 3):
        pending = jobs.join(1, terms, worker(number))
    before = jobs.start(pending)
    without = jobs.bench(1, [1])
    assert (without.members, set(without.benched)) == ((0, 2), {1})
    assert without.epoch > before.epoch
    with pytest.raises(JoinError, match="job 1 has all its 3 workers"):
        jobs.enter(1, terms, worker(4))
    dropped = jobs.drop(1, {0})
    assert dropped is not None
    assert set(dropped.benched) == {1}
    after = jobs.unbench(1, 1)
    assert (after.members, after.benched, after.workers[1]) == ((1, 2), {}, before.workers[1])


def test_a_benched_worker_keeps_its_number_on_its_switch() -> None:
    homes = {worker(host).ip: "s2" if host == 4 else "s1" for host in range(1, 5)}
    jobs = Jobs(64, Epochs(), tree=Tree({"s2": "s1"}, homes))
    terms = Terms(34, 8, elastic=True, quorum=2)
    jobs.join(1, terms, worker(1, wanted=32))
    before = jobs.start(jobs.join(1, terms, worker(2, wanted=33)))
    jobs.bench(1, [33])
    jobs.enter(1, terms, worker(3, wanted=before.number(33)))
    jobs.admit(1)
    after = jobs.unbench(1, 33)
    assert after.number(33) == before.number(33)
    assert len({after.number(rank) for rank in after.members}) == 3


def test_a_worker_may_enter_in_a_finished_members_place(jobs: Jobs) -> None:
    terms = Terms(2, elastic=True)
    jobs.join(1, terms, worker(1))
    jobs.start(jobs.join(1, terms, worker(2)))
    jobs.finish(1, 0)
    assert jobs.enter(1, terms, worker(3)) == 0


def test_a_job_is_over_when_only_benched_workers_are_left(jobs: Jobs) -> None:
    """They do not know the outcomes of the calls that were made without them."""
    started(jobs, 1, worker(1), worker(2))
    jobs.bench(1, [1])
    assert jobs.drop(1, [0]) is None
    assert not jobs.running


@pytest.mark.parametrize("runs", [False, True])
@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"size": 4}, "workers, not 4"),
        ({"lanes": 9}, "job 1 has 8 lanes, not 9"),
        ({"raise_on_loss": True}, "the workers of job 1 disagree on what to do when one is lost"),
        ({"token": b"guess"}, "job 1 has another token"),
        ({"quorum": 1}, "the workers of job 1 disagree on whether it is elastic"),
    ],
)
def test_workers_agree_on_a_jobs_terms_before_and_after_its_start(
    jobs: Jobs, other: dict[str, Any], text: str, runs: bool
) -> None:
    """Its quorum does not matter any more once it runs."""
    terms = Terms(3, 8, elastic=True, quorum=2, token=b"secret")
    pending = jobs.join(1, terms, worker(1))
    if runs:
        jobs.join(1, terms, worker(2))
        jobs.start(pending)
    come = jobs.enter if runs else jobs.join
    if not (runs and "quorum" in other):
        with pytest.raises(JoinError, match=text):
            come(1, replace(terms, **other), worker(3))
        other = {}
    come(1, replace(terms, **other), worker(3))


def test_only_an_elastic_job_is_entered_while_it_runs_and_only_with_its_token(jobs: Jobs) -> None:
    started(jobs, 1, worker(1))
    with pytest.raises(JoinError, match="job 1 is already running, with rank 0"):
        jobs.enter(1, Terms(1), worker(2))
    terms = Terms(2, elastic=True, quorum=1, token=b"secret")
    jobs.start(jobs.join(2, terms, worker(1)))
    for token, problem in ((b"", "needs its token"), (b"guess", "has another token")):
        with pytest.raises(JoinError, match=problem) as refused:
            jobs.enter(2, replace(terms, token=token), worker(2))
        assert refused.value.refusal is Refusal.TOKEN
    assert jobs.enter(2, terms, worker(2)) == 1


def test_a_running_job_gets_other_slots_in_a_new_epoch_or_keeps_its_own(jobs: Jobs) -> None:
    before = started(jobs, 1, worker(1), lanes=8)
    started(jobs, 2, worker(2), lanes=8)
    after = jobs.resize(1, 32)
    assert after is not None
    assert (on_switch(after), after.lanes) == (range(16, 48), 32)
    assert after.epoch > before.epoch
    with pytest.raises(NoSlotsError, match="249 slots requested"):
        jobs.resize(1, 249)
    assert jobs.running[1] is after
    smaller = jobs.resize(1, 4)
    assert smaller is not None
    assert on_switch(smaller) == range(4)


def test_jobs_in_line_get_slots_in_order(jobs: Jobs) -> None:
    started(jobs, 1, worker(1), lanes=256)
    wide = jobs.join(2, Terms(1, 252, when_full=WhenFull.WAIT), worker(2))
    narrow = jobs.join(3, Terms(1, 4, when_full=WhenFull.WAIT), worker(3))
    with pytest.raises(JoinError, match="job 2 has all its 1 workers and waits for slots"):
        jobs.join(2, wide.terms, worker(4))
    jobs.resize(1, 32)
    assert jobs.ready() == []
    with pytest.raises(JoinError, match="2 jobs wait in line"):
        jobs.join(4, Terms(1, 1), worker(4))
    jobs.drop(1, {0})
    assert jobs.ready() == [wide, narrow]
    assert [on_switch(jobs.start(each)) for each in (wide, narrow)] == [range(252), range(252, 256)]


def test_a_job_without_slots_may_run_on_a_host_and_move_to_the_switch_later() -> None:
    jobs = empty(host=True)
    started(jobs, 1, worker(1), lanes=256)
    hosted = started(jobs, 2, worker(2), lanes=8, when_full=WhenFull.HOST)
    assert (hosted.hosted, on_switch(hosted)) == (True, range(8))
    with pytest.raises(JoinError, match="no room for job 3, not even on the host: 249 slots requested"):
        jobs.join(3, Terms(1, 249, when_full=WhenFull.HOST), worker(3))
    jobs.drop(1, {0})
    moved = jobs.resize(2, 16)
    assert moved is not None
    assert (moved.hosted, on_switch(moved)) == (False, range(16))
    started(jobs, 3, worker(3), lanes=240)
    assert started(jobs, 4, worker(4), lanes=256, when_full=WhenFull.HOST).hosted


def test_at_least_64_jobs_run_at_once() -> None:
    jobs = empty(SLOTS)
    assert len({on_switch(started(jobs, job, worker(1), worker(2))) for job in range(64)}) == 64


def test_quotas_limit_workers_but_not_operators() -> None:
    jobs = Jobs(64, Epochs(), 64, Quotas(lanes=16, jobs=2))
    for when_full in WhenFull:
        with pytest.raises(JoinError, match=r"at most 16 lanes here, not 17; see .* --max-lanes-per-job") as no:
            jobs.join(1, Terms(1, 17, when_full=when_full), worker(1))
        assert no.value.refusal is Refusal.QUOTA
    started(jobs, 1, worker(1), lanes=16)
    assert jobs.resize(1, 64) is not None
    jobs.join(2, Terms(2, 8, when_full=WhenFull.WAIT), worker(2))
    with pytest.raises(JoinError, match="there are already 2 jobs; see the controller's --max-jobs"):
        jobs.join(3, Terms(1, 8), worker(3))
    jobs.join(2, Terms(2, 8, when_full=WhenFull.WAIT), worker(3))
    jobs.drop(1, {0})
    assert [each.id for each in jobs.ready()] == [2]
    assert jobs.join(3, Terms(1, 8), worker(4)).slots


def test_one_join_cannot_take_all_slots_by_default() -> None:
    with pytest.raises(JoinError, match="a job has at most 1024 lanes here, not 4096"):
        empty(SLOTS).join(1, Terms(1, SLOTS), worker(1))


def test_an_adopted_job_keeps_its_slots_and_its_epoch_is_outrun(jobs: Jobs) -> None:
    former = Job(7, 500, 2, 8, {"": range(8, 16)}, {1: worker(1)})
    jobs.adopt(former)
    renewed = jobs.drop(7)
    assert renewed is not None
    assert (renewed.epoch, on_switch(renewed), renewed.members) == (501, range(8, 16), (1,))


@pytest.mark.parametrize("slots", [{"": range(12, 20)}, {"": range(252, 260)}, {}])
def test_an_adopted_job_gets_other_slots_where_its_own_are_taken_or_unknown(jobs: Jobs, slots: Shares) -> None:
    former = Job(7, 500, 2, 8, {"": range(8, 16)}, {1: worker(1)})
    jobs.adopt(former)
    jobs.adopt(replace(former, id=8, slots=slots))
    assert on_switch(jobs.running[8]) == range(8)
    with pytest.raises(NoSlotsError, match="241 slots requested"):
        jobs.adopt(replace(former, id=9, lanes=241, slots=slots))
    assert set(jobs.running) == {7, 8}


class Life(RuleBasedStateMachine):
    """Workers of one switch join and leave, and controllers end, at random."""

    tree = ONE_SWITCH

    def __init__(self) -> None:
        super().__init__()
        self.jobs = empty(24, host=True, tree=self.tree)
        self.epochs: dict[int, int] = {}
        """The job of each epoch."""
        self.ranks: dict[Worker, tuple[int, int]] = {}
        self.slots: dict[int, Shares] = {}
        """The slots in each epoch."""
        self.latest = 0

    @rule(
        job=st.integers(0, 3),
        host=st.integers(1, 5),
        size=st.integers(1, 4),
        lanes=st.sampled_from([1, 7, 12]),
        wanted=st.none() | st.integers(0, 3),
        when_full=st.sampled_from(WhenFull),
    )
    def join(self, job: int, host: int, size: int, lanes: int, wanted: int | None, when_full: WhenFull) -> None:
        terms = Terms(size, lanes, elastic=True, quorum=(size + 1) // 2, when_full=when_full)
        try:
            if job in self.jobs.running:
                terms = replace(terms, size=self.jobs.running[job].size, lanes=0)
                self.jobs.enter(job, terms, worker(host, wanted))
            elif job in self.jobs.pending:
                self.jobs.join(job, self.jobs.pending[job].terms, worker(host, wanted))
            else:
                self.jobs.join(job, terms, worker(host, wanted))
        except JoinError:
            pass

    @precondition(lambda self: self.jobs.pending)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        pending: PendingJob = data.draw(st.sampled_from(list(self.jobs.pending.values())))
        self.jobs.withdraw(pending, data.draw(st.sampled_from(pending.workers)))
        self.jobs.ready()

    @rule()
    def start(self) -> None:
        for pending in self.jobs.ready():
            self.jobs.start(pending)

    @precondition(lambda self: self.jobs.running)
    @rule(
        data=st.data(),
        how=st.sampled_from(["drop", "finish", "resize", "renew", "admit", "turn away", "bench"]),
        lanes=st.integers(1, 24),
    )
    def change(self, data: st.DataObject, how: str, lanes: int) -> None:
        job: Job = data.draw(st.sampled_from(list(self.jobs.running.values())))
        rank = data.draw(st.sampled_from(job.members))
        if how == "drop":
            self.jobs.drop(job.id, {rank})
        elif how == "finish":
            self.jobs.finish(job.id, rank)
        elif how == "renew":
            self.jobs.drop(job.id)
        elif how == "admit":
            self.jobs.admit(job.id)
        elif how == "turn away":
            for newcomer in list(self.jobs.newcomers(job.id).values())[:1]:
                assert self.jobs.turn_away(job.id, newcomer)
        elif how == "bench":
            contributing = set(job.members) - self.jobs.finished(job.id).keys()
            if job.benched:
                self.jobs.unbench(job.id, min(job.benched))
            elif len(contributing) > 1:
                self.jobs.bench(job.id, [min(contributing)])
        else:
            try:
                self.jobs.resize(job.id, lanes)
            except NoSlotsError:
                assert self.jobs.running[job.id] is job

    @rule(data=st.data())
    def succeed(self, data: st.DataObject) -> None:
        """Another controller takes over. It may not know a job's slots on some switches."""
        former, self.jobs = self.jobs, empty(24, host=True, tree=self.tree)
        self.jobs.outrun(self.latest)
        for job in former.running.values():
            known = data.draw(st.sets(st.sampled_from(sorted(job.slots))) | st.just(set(job.slots)))
            slots = {switch: share for switch, share in job.slots.items() if switch in known or job.hosted}
            try:
                self.jobs.adopt(replace(job, slots=slots))
            except NoSlotsError:
                continue
            if self.jobs.running[job.id].slots != job.slots:
                self.jobs.drop(job.id)

    def holders(self) -> list[PendingJob | Job]:
        return [*self.jobs.pending.values(), *self.jobs.running.values()]

    @invariant()
    def slots_are_had_by_one_job_only(self) -> None:
        held = [share for each in self.holders() for share in self.jobs.held(each).items()]
        slots = [(switch, slot) for switch, share in held for slot in share]
        assert len(slots) == len(set(slots))
        assert {slot for _, slot in slots} <= set(range(24))

    @invariant()
    def a_job_has_as_many_slots_on_all_switches_of_its_workers_and_none_elsewhere(self) -> None:
        for each in self.holders():
            if isinstance(each, PendingJob) and self.jobs.in_line(each):
                continue
            here = each.workers if isinstance(each, PendingJob) else [*each.workers.values(), *each.benched.values()]
            used = {HOST} if each.hosted else self.tree.span(worker.ip for worker in here)
            assert each.slots.keys() == used
            assert len({len(share) for share in self.jobs.held(each).values()}) <= 1

    @invariant()
    def a_job_has_the_same_slots_throughout_an_epoch(self) -> None:
        for job in self.jobs.running.values():
            assert self.slots.setdefault(job.epoch, job.slots) == job.slots
            assert [*map(len, job.slots.values())] == [job.lanes] * len(job.slots)

    @invariant()
    def every_change_is_a_later_epoch(self) -> None:
        for job in self.jobs.running.values():
            assert job.members
            assert not job.workers.keys() & job.benched.keys()
            if job.epoch not in self.epochs:
                assert job.epoch > self.latest or len(self.jobs.running) > 1
                self.epochs[job.epoch] = job.id
            assert self.epochs[job.epoch] == job.id
        self.latest = max([self.latest, *self.epochs])

    @invariant()
    def a_worker_keeps_its_rank(self) -> None:
        for job in self.jobs.running.values():
            for rank, each in (*job.workers.items(), *job.benched.items()):
                assert self.ranks.setdefault(each, (job.id, rank)) == (job.id, rank)

    @invariant()
    def the_first_in_line_waits_for_more_slots_than_are_free_on_one_of_its_switches(self) -> None:
        self.jobs.ready()
        assert all(pending.workers for pending in self.jobs.pending.values())
        for waiting in [each for each in self.jobs.pending.values() if self.jobs.in_line(each)][:1]:
            assert waiting.lanes > min(map(self.free, self.tree.span(each.ip for each in waiting.workers)))

    def free(self, switch: str) -> int:
        """The free slots of a switch in one piece."""
        taken = {slot for each in self.holders() for slot in self.jobs.held(each).get(switch, ())}
        return max(map(len, "".join("x" if slot in taken else " " for slot in range(24)).split("x")))


class LifeOverRacks(Life):
    """The same with workers of a spine, of two leaves, and of another leaf below one of these."""

    tree = RACKS


TestLife = Life.TestCase
TestLifeOverRacks = LifeOverRacks.TestCase
TestLife.settings = TestLifeOverRacks.settings = settings(max_examples=200, stateful_step_count=40, deadline=None)
