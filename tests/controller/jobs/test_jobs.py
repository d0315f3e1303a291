from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from ipaddress import IPv4Address
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import (
    DEFAULT_LANES,
    Job,
    Jobs,
    JoinError,
    PendingJob,
    Quotas,
    Refusal,
    Terms,
    WhenFull,
    Worker,
)
from dropzero.controller.jobs.slots import SLOTS, NoSlotsError, Slots


def worker(number: int, wanted: int | None = None) -> Worker:
    return Worker(IPv4Address(f"10.0.0.{number}"), number, 40000, number, wanted)


def empty(slots: int = 4 * DEFAULT_LANES, *, host: bool = False) -> Jobs:
    """An empty Jobs; epochs count from 1."""
    return Jobs(Slots(slots), Epochs(), Slots(slots) if host else None)


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
    jobs, waiting = Jobs(Slots(64), Epochs(), homes=homes), chance.sample(workers, 90)
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
    jobs = Jobs(Slots(64), Epochs(), Slots(64), homes=homes)
    terms = Terms(34, when_full=WhenFull.HOST)
    for each in workers[:32]:
        jobs.join(1, terms, each)
    with pytest.raises(JoinError, match="s1 has 32 workers of job 1, and no switch serves more: use more racks"):
        jobs.join(1, terms, workers[32])
    with pytest.raises(JoinError, match="a host serves 32 workers"):
        jobs.join(2, terms, workers[33])
    jobs.join(1, Terms(34), workers[33])


def test_a_restarted_job_has_a_new_epoch_and_no_two_jobs_share_one(jobs: Jobs) -> None:
    first = started(jobs, 1, worker(1))
    other = started(jobs, 2, worker(2))
    assert jobs.drop(1, {0}) is None
    assert len({first.epoch, other.epoch, started(jobs, 1, worker(1)).epoch}) == 3


def test_jobs_have_separate_slots_which_their_last_worker_frees(jobs: Jobs) -> None:
    first = started(jobs, 1, worker(1), worker(2), lanes=40)
    second = started(jobs, 2, worker(3))
    assert first.slots == range(40)
    assert second.slots == range(40, 40 + DEFAULT_LANES)
    with pytest.raises(JoinError) as refused:
        jobs.join(3, Terms(1, 200), worker(4))
    assert refused.value.refusal is Refusal.NO_SLOTS
    assert jobs.drop(1, {1}) is not None
    assert jobs.drop(1, {0}) is None
    assert jobs.join(3, Terms(1, 40), worker(4)).slots == range(40)


def test_a_worker_that_gives_up_waiting_frees_its_place_and_the_last_one_frees_the_slots(jobs: Jobs) -> None:
    first = worker(1, wanted=0)
    pending = jobs.join(1, Terms(2, 64), first)
    jobs.withdraw(pending, first)
    assert not jobs.pending
    assert jobs.join(2, Terms(1, 256), worker(9)).slots == range(256)
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


def test_a_job_is_over_when_only_benched_workers_are_left(jobs: Jobs) -> None:
    """They do not know the outcomes of the calls that were made without them."""
    started(jobs, 1, worker(1), worker(2))
    jobs.bench(1, [1])
    assert jobs.drop(1, [0]) is None
    assert not jobs.running


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
    assert (after.slots, after.lanes) == (range(16, 48), 32)
    assert after.epoch > before.epoch
    with pytest.raises(NoSlotsError, match="249 slots requested"):
        jobs.resize(1, 249)
    assert jobs.running[1] is after
    smaller = jobs.resize(1, 4)
    assert smaller is not None
    assert smaller.slots == range(4)


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
    assert [jobs.start(each).slots for each in (wide, narrow)] == [range(252), range(252, 256)]


def test_a_job_without_slots_may_run_on_a_host_and_move_to_the_switch_later() -> None:
    jobs = empty(host=True)
    started(jobs, 1, worker(1), lanes=256)
    hosted = started(jobs, 2, worker(2), lanes=8, when_full=WhenFull.HOST)
    assert (hosted.hosted, hosted.slots) == (True, range(8))
    with pytest.raises(JoinError, match="no room for job 3, not even on the host: 249 slots requested"):
        jobs.join(3, Terms(1, 249, when_full=WhenFull.HOST), worker(3))
    jobs.drop(1, {0})
    moved = jobs.resize(2, 16)
    assert moved is not None
    assert (moved.hosted, moved.slots) == (False, range(16))
    started(jobs, 3, worker(3), lanes=240)
    assert started(jobs, 4, worker(4), lanes=256, when_full=WhenFull.HOST).hosted


def test_at_least_64_jobs_run_at_once() -> None:
    jobs = empty(SLOTS)
    assert len({started(jobs, job, worker(1), worker(2)).slots for job in range(64)}) == 64


def test_quotas_limit_workers_but_not_operators() -> None:
    jobs = Jobs(Slots(64), Epochs(), Slots(64), Quotas(lanes=16, jobs=2))
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
    assert jobs.join(3, Terms(1, 8), worker(4)).slots is not None


def test_one_join_cannot_take_all_slots_by_default() -> None:
    with pytest.raises(JoinError, match="a job has at most 1024 lanes here, not 4096"):
        empty(SLOTS).join(1, Terms(1, SLOTS), worker(1))


def test_an_adopted_job_keeps_its_slots_and_its_epoch_is_outrun(jobs: Jobs) -> None:
    former = Job(7, 500, 2, 8, range(8, 16), {1: worker(1)})
    jobs.adopt(former)
    with pytest.raises(NoSlotsError, match="some of the slots 12 to 19 are taken"):
        jobs.adopt(replace(former, id=8, slots=range(12, 20)))
    renewed = jobs.drop(7)
    assert renewed is not None
    assert (renewed.epoch, renewed.slots, renewed.members) == (501, range(8, 16), (1,))


class Life(RuleBasedStateMachine):
    """Workers join and leave at random."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = empty(24, host=True)
        self.epochs: dict[int, int] = {}
        """The job of each epoch."""
        self.ranks: dict[Worker, tuple[int, int]] = {}
        self.latest = 0

    @rule(
        job=st.integers(0, 3),
        size=st.integers(1, 4),
        lanes=st.sampled_from([1, 7, 12]),
        wanted=st.none() | st.integers(0, 3),
        when_full=st.sampled_from(WhenFull),
    )
    def join(self, job: int, size: int, lanes: int, wanted: int | None, when_full: WhenFull) -> None:
        terms = Terms(size, lanes, elastic=True, quorum=(size + 1) // 2, when_full=when_full)
        try:
            if job in self.jobs.running:
                self.jobs.enter(job, terms, worker(1, wanted))
            else:
                self.jobs.join(job, terms, worker(1, wanted))
        except JoinError:
            pass

    @precondition(lambda self: self.jobs.pending)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        pending: PendingJob = data.draw(st.sampled_from(list(self.jobs.pending.values())))
        self.jobs.withdraw(pending, data.draw(st.sampled_from(pending.workers)))

    @rule()
    def start(self) -> None:
        for pending in self.jobs.ready():
            self.jobs.start(pending)

    @precondition(lambda self: self.jobs.running)
    @rule(
        data=st.data(),
        how=st.sampled_from(["drop", "finish", "resize", "renew", "admit", "bench"]),
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

    def holders(self) -> list[PendingJob | Job]:
        return [*self.jobs.pending.values(), *self.jobs.running.values()]

    @invariant()
    def slots_are_had_by_one_job_only(self) -> None:
        slots = [(each.hosted, slot) for each in self.holders() for slot in each.slots or ()]
        assert len(slots) == len(set(slots))
        assert {slot for _, slot in slots} <= set(range(24))

    @invariant()
    def every_change_is_a_later_epoch(self) -> None:
        for job in self.jobs.running.values():
            assert job.members
            assert not job.workers.keys() & job.benched.keys()
            assert len(job.slots) == job.lanes
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
    def the_first_in_line_waits_for_more_slots_than_are_free(self) -> None:
        self.jobs.ready()
        taken = {slot for each in self.holders() if not each.hosted for slot in each.slots or ()}
        free = max(map(len, "".join("x" if slot in taken else " " for slot in range(24)).split("x")))
        for pending in self.jobs.pending.values():
            assert pending.workers
            assert pending.slots is not None or self.jobs.in_line(pending)
        if waiting := [each for each in self.jobs.pending.values() if self.jobs.in_line(each)]:
            assert waiting[0].lanes > free


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
