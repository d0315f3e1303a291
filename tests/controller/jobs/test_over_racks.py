"""Jobs with workers on several switches have slots on each of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import HOST, Job, Jobs, JoinError, PendingJob, Refusal, Terms, WhenFull, Worker
from dropzero.controller.jobs.policies import Demand, FixedShares, Policy, WeightedFair
from dropzero.controller.jobs.slots import NoSlotsError
from dropzero.controller.jobs.tree import Tree

LEAVES = ["s1", "s2", "s3"]
HOSTS = 4
"""On each leaf."""
TREE = Tree(
    dict.fromkeys(LEAVES, "spine"),
    {IPv4Address(f"10.0.{leaf}.{host}"): name for leaf, name in enumerate(LEAVES, 1) for host in range(HOSTS)},
)
EVERYWHERE = {"spine", *LEAVES}


def worker(leaf: int, host: int = 0) -> Worker:
    return Worker(IPv4Address(f"10.0.{leaf}.{host}"), host, 40000, host)


def empty(policy: Policy | None = None, *, host: int = 0) -> Jobs:
    return Jobs(64, Epochs(), host, policy=policy, tree=TREE)


def joined(jobs: Jobs, number: int, leaves: Collection[int], terms: Terms) -> PendingJob:
    """Lets a worker of each of these leaves join."""
    for leaf in leaves:
        pending = jobs.join(number, terms, worker(leaf))
    return pending


def started(jobs: Jobs, number: int, leaves: Collection[int], lanes: int = 64, terms: Terms | None = None) -> Job:
    """A running job with a worker on each of these leaves."""
    pending = joined(jobs, number, leaves, terms or Terms(len(leaves), lanes))
    assert pending in jobs.ready()
    return jobs.start(pending)


def test_jobs_within_a_rack_do_not_compete_with_those_of_other_racks() -> None:
    jobs = empty()
    for number, leaf in enumerate([1, 2, 3, 1, 2, 3]):
        half = range(32) if number < 3 else range(32, 64)
        assert started(jobs, number, [leaf], lanes=32).slots == {f"s{leaf}": half}
    with pytest.raises(JoinError, match="32 slots requested, but s2 has only 0 left in one piece") as refused:
        started(jobs, 6, [2], lanes=32)
    assert refused.value.refusal is Refusal.NO_SLOTS


def test_a_job_over_racks_has_slots_wherever_they_are_free_on_the_leaves_and_their_parent() -> None:
    jobs = empty()
    started(jobs, 1, [1], lanes=40)
    started(jobs, 2, [3], lanes=64)
    assert started(jobs, 3, [1, 2], lanes=24).slots == {
        "s1": range(40, 64),
        "s2": range(24),
        "spine": range(24),
    }


@pytest.mark.parametrize("when_full", WhenFull)
def test_a_worker_whose_switch_is_full_is_refused_or_its_job_waits_or_goes_to_the_host(when_full: WhenFull) -> None:
    jobs, terms = empty(host=64), Terms(2, 64, when_full=when_full)
    started(jobs, 1, [2])
    pending = joined(jobs, 2, [1], terms)
    if when_full is WhenFull.REFUSE:
        with pytest.raises(JoinError, match="s2 has only 0 left in one piece; ask for fewer lanes"):
            jobs.join(2, terms, worker(2))
        assert pending.slots == {"s1": range(64)}
        assert joined(jobs, 2, [3], terms).full
        assert pending.slots.keys() == {"s1", "s3", "spine"}
        return
    joined(jobs, 2, [2], terms)
    # It gives up what it had.
    assert started(jobs, 3, [3]).slots
    if when_full is WhenFull.HOST:
        assert pending.slots == {HOST: range(64)}
        assert started(jobs, 4, [1]).slots
        return
    assert jobs.in_line(pending)
    assert jobs.ready() == []
    jobs.end(1)
    assert jobs.ready() == [pending]
    assert pending.slots.keys() == {"s1", "s2", "spine"}


def test_a_job_has_no_slots_if_those_of_one_switch_are_in_pieces() -> None:
    jobs = empty()
    for number in range(4):
        started(jobs, number, [1], lanes=16)
    jobs.end(0)
    jobs.end(2)
    waiting = joined(jobs, 4, [2, 1], Terms(2, 32, when_full=WhenFull.WAIT))
    assert jobs.ready() == []
    assert not waiting.slots
    jobs.end(1)
    assert jobs.ready() == [waiting]


def test_a_wrong_policy_takes_slots_only_from_switches_that_a_job_no_longer_uses() -> None:
    class Wrong:
        def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
            return [] if wrong else [each.wanted for each in demands]

    wrong, jobs = False, empty(Wrong())
    pending = joined(jobs, 1, [1, 2], Terms(3, 64))
    wrong = True
    with pytest.raises(JoinError, match="no room for job 1"):
        jobs.join(1, pending.terms, worker(3))
    jobs.withdraw(pending, pending.workers[1])
    assert jobs.ready() == []
    assert pending.slots == {"s1": range(64)}


def test_those_behind_a_job_in_line_wait_on_all_its_switches_and_on_no_others() -> None:
    jobs = empty()
    started(jobs, 1, [2])
    joined(jobs, 2, [1, 2], Terms(2, 64, when_full=WhenFull.WAIT))
    with pytest.raises(JoinError, match="1 job waits in line"):
        started(jobs, 3, [1], lanes=1)
    assert started(jobs, 4, [3]).slots == {"s3": range(64)}


def test_a_worker_enters_on_another_switch_only_if_that_has_slots_which_are_kept_for_it() -> None:
    jobs, terms = empty(), Terms(4, 64, elastic=True, quorum=1)
    before = started(jobs, 1, [1], terms=terms)
    started(jobs, 2, [2])
    with pytest.raises(JoinError, match="no room for another worker of job 1: 64 slots requested, but s2 has") as no:
        jobs.enter(1, terms, worker(2))
    assert no.value.refusal is Refusal.NO_SLOTS
    assert not jobs.newcomers(1)
    newcomer = worker(3)
    jobs.enter(1, terms, newcomer)
    assert jobs.running[1] is before
    with pytest.raises(JoinError, match="no room for job 3"):
        started(jobs, 3, [3])
    assert jobs.turn_away(1, newcomer)
    assert jobs.ready() == []
    jobs.end(started(jobs, 3, [3]).id)
    jobs.enter(1, terms, newcomer)
    assert jobs.admit(1).slots == dict.fromkeys(("s1", "s3", "spine"), range(64))


def test_the_last_worker_of_a_switch_frees_its_slots_with_the_next_epoch_unless_it_is_benched() -> None:
    jobs = empty()
    started(jobs, 1, [1, 2, 3])
    assert jobs.bench(1, [1]).slots.keys() == EVERYWHERE
    assert not jobs.finish(1, 2)
    assert jobs.running[1].slots.keys() == EVERYWHERE
    assert jobs.unbench(1, 1).slots.keys() == {"s1", "s2", "spine"}
    last = jobs.drop(1, {1})
    assert last is not None
    assert last.slots == {"s1": range(64)}
    assert started(jobs, 2, [2, 3]).slots == dict.fromkeys(("s2", "s3", "spine"), range(64))


def test_what_a_job_cannot_use_because_of_another_switch_goes_to_the_others() -> None:
    jobs = empty(WeightedFair())
    for number, leaves in enumerate([[1, 2], [2], [2], [2], [1]], 1):
        started(jobs, number, leaves)
        jobs.ready()
    assert [job.lanes for job in jobs.running.values()] == [16, 16, 16, 16, 48]


def test_a_resized_job_has_as_many_slots_on_all_its_switches_or_keeps_its_own() -> None:
    jobs = empty()
    before = started(jobs, 1, [1, 2], lanes=16)
    started(jobs, 2, [2], lanes=16)
    with pytest.raises(NoSlotsError, match="49 slots requested, but s2 has only 32 left in one piece"):
        jobs.resize(1, 49)
    assert jobs.running[1] is before
    after = jobs.resize(1, 32)
    assert after is not None
    assert after.slots == {"s1": range(32), "spine": range(32), "s2": range(32, 64)}


def test_a_job_that_takes_a_leaf_with_fewer_slots_to_give_has_fewer_everywhere() -> None:
    jobs, terms = empty(FixedShares(2)), Terms(4, 64, elastic=True, quorum=1)
    started(jobs, 1, [1], terms=terms)
    assert jobs.resize(1, 64) is not None
    jobs.enter(1, terms, worker(2))
    assert jobs.moved() == [1]
    assert jobs.admit(1).slots == dict.fromkeys(("s1", "s2", "spine"), range(32))


@given(st.lists(st.sets(st.sampled_from([1, 2, 3]), min_size=1), max_size=12), st.integers(1, 64))
def test_a_job_finds_room_if_all_its_switches_have_it(jobs: list[set[int]], lanes: int) -> None:
    found = empty()
    for number, leaves in enumerate(jobs):
        used = TREE.span(worker(leaf).ip for leaf in leaves)
        taken = [sum(switch in job.slots for job in found.running.values()) * lanes for switch in used]
        try:
            started(found, number, leaves, lanes)
        except JoinError:
            for pending in list(found.pending.values()):
                for each in list(pending.workers):
                    found.withdraw(pending, each)
            assert max(taken) + lanes > 64
        else:
            assert max(taken) + lanes <= 64
