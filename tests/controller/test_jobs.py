from __future__ import annotations

import itertools
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.jobs import DEFAULT_LANES, Job, Jobs, JoinError, Refusal, Worker
from controller.slots import Slots


def worker(number: int, wanted: int | None = None) -> Worker:
    return Worker(IPv4Address(f"10.0.0.{number}"), number, 40000, number, wanted)


def started(jobs: Jobs, job: int, *workers: Worker, lanes: int = 0) -> Job:
    for each in workers:
        gathering = jobs.join(job, len(workers), lanes, each)
    assert gathering.full
    return jobs.start(gathering)


@pytest.fixture
def jobs() -> Jobs:
    return Jobs(Slots(64), itertools.count(1000))


@given(st.permutations(range(6)), st.sets(st.integers(0, 5)))
def test_every_rank_has_one_worker_and_who_wanted_a_rank_has_it(order: list[int], any_rank: set[int]) -> None:
    jobs = Jobs(Slots(), itertools.count(1))
    workers = [worker(rank, None if rank in any_rank else rank) for rank in order]
    job = started(jobs, 1, *workers)
    assert set(job.workers) == set(workers)
    assert all(each.wanted in (None, rank) for rank, each in enumerate(job.workers))


def test_a_job_started_anew_has_a_new_epoch_and_no_two_jobs_share_one(jobs: Jobs) -> None:
    first = started(jobs, 1, worker(1))
    other = started(jobs, 2, worker(2))
    assert jobs.leave(first, 0)
    assert len({first.epoch, other.epoch, started(jobs, 1, worker(1)).epoch}) == 3


def test_jobs_have_slots_of_their_own_and_give_them_back_with_their_last_worker(jobs: Jobs) -> None:
    first = started(jobs, 1, worker(1), worker(2), lanes=40)
    second = started(jobs, 2, worker(3))
    assert first.slots == range(40)
    assert second.slots == range(40, 40 + DEFAULT_LANES)
    with pytest.raises(JoinError) as refused:
        jobs.join(3, 1, 40, worker(4))
    assert refused.value.refusal is Refusal.NO_SLOTS
    assert not jobs.leave(first, 1)
    assert jobs.leave(first, 0)
    assert jobs.join(3, 1, 40, worker(4)).slots == range(40)


def test_a_worker_that_gives_up_waiting_frees_its_place_and_the_last_one_the_slots(jobs: Jobs) -> None:
    first = worker(1, wanted=0)
    gathering = jobs.join(1, 2, 64, first)
    jobs.withdraw(gathering, first)
    assert not jobs.gathering
    gathering = jobs.join(1, 3, 64, worker(1, wanted=0))
    gone = worker(2, wanted=1)
    jobs.join(1, 3, 64, gone)
    jobs.withdraw(gathering, gone)
    assert jobs.join(1, 3, 64, worker(3, wanted=1)) is gathering
    assert not gathering.full


@pytest.mark.parametrize(
    ("job", "size", "lanes", "wanted", "refusal", "text"),
    [
        (1, 33, 0, None, Refusal.INVALID, "a job has 1 to 32 workers, not 33"),
        (1, 0, 0, None, Refusal.INVALID, "a job has 1 to 32 workers, not 0"),
        (65536, 2, 0, None, Refusal.INVALID, "jobs are numbered 0 to 65535, not 65536"),
        (1, 2, 0, 2, Refusal.INVALID, "rank 2 is not one of a job of 2 workers"),
        (1, 3, 0, None, Refusal.MISMATCH, "job 1 is gathering 2 workers, not 3"),
        (1, 2, 9, None, Refusal.MISMATCH, "job 1 has 8 lanes, not 9"),
        (1, 2, 8, 0, Refusal.RANK_TAKEN, "rank 0 of job 1 is taken"),
        (2, 1, 0, None, Refusal.RUNNING, "job 2 is running: rank 0 has not left yet"),
        (3, 1, 60, None, Refusal.NO_SLOTS, "no room for job 3: 60 slots wanted, the switch has 40 left in one piece"),
    ],
)
def test_a_join_that_does_not_fit_is_refused_with_the_reason(
    jobs: Jobs, job: int, size: int, lanes: int, wanted: int | None, refusal: Refusal, text: str
) -> None:
    waiting = jobs.join(1, 2, 8, worker(1, wanted=0))
    started(jobs, 2, worker(2))
    with pytest.raises(JoinError) as refused:
        jobs.join(job, size, lanes, worker(3, wanted))
    assert refused.value.refusal is refusal
    assert str(refused.value) == text
    assert len(waiting.workers) == 1
