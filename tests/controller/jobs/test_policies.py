"""How policies divide slots among jobs."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import Jobs, JoinError, Terms, WhenFull, Worker
from dropzero.controller.jobs.policies import POLICIES, Demand, Policy, PolicyError, parse, shared
from dropzero.controller.jobs.slots import Slots

SHORTEST = Path(__file__).parents[3] / "examples" / "policy" / "shortest_first.py"
NAMES = [*POLICIES, "fixed:2", f"{SHORTEST}:ShortestFirst"]


def wants(*slots: int, priorities: Sequence[int] = (), share: int = 0, least: int = 0) -> list[Demand]:
    """Jobs that want these slots; the first has `share` already, and needs `least`."""
    weights = priorities or [1] * len(slots)
    rows = enumerate(zip(slots, weights, strict=True))
    return [Demand(job, wanted, *((0, 0) if job else (share, least)), weight) for job, (wanted, weight) in rows]


@pytest.mark.parametrize(
    ("name", "demands", "shares"),
    [
        ("first-come", wants(40, 40, 40), [40, 40, 0]),
        # The third would fit, and does not overtake the second.
        ("first-come", wants(80, 40, 10), [80, 0, 0]),
        ("fixed:2", wants(64, 20, 64), [50, 20, 0]),
        ("weighted-fair", wants(100, 100), [50, 50]),
        ("weighted-fair", wants(100, 100, priorities=[3, 1]), [75, 25]),
        ("weighted-fair", wants(10, 100, 100), [10, 45, 45]),
        ("priority", wants(64, 64, 64, priorities=[1, 2, 3]), [0, 36, 64]),
        ("priority", wants(64, 64, priorities=[1, 2], share=64, least=1), [36, 64]),
        ("priority", wants(99, 99, priorities=[1, 2], share=99, least=1), [1, 99]),
        ("best-effort", wants(64, 64, 64), [64, 36, 0]),
        (f"{SHORTEST}:ShortestFirst", wants(64, 40, 50), [0, 40, 50]),
    ],
)
def test_a_hundred_slots_are_divided_as_the_policy_says(name: str, demands: list[Demand], shares: list[int]) -> None:
    assert shared(parse(name), 100, demands) == shares


@pytest.mark.parametrize("name", ["nobody", "fixed:many", "fixed:0", "no.such.module:Class", "dropzero.files:Class"])
def test_a_policy_that_is_none_is_an_error(name: str) -> None:
    with pytest.raises(PolicyError):
        parse(name)


@pytest.mark.parametrize("shares", [[60, 60], [10], [10, 70], [-1, 10]])
def test_shares_that_cannot_be_are_refused(shares: list[int]) -> None:
    class Wrong:
        def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
            return shares

    with pytest.raises(PolicyError, match="Wrong"):
        shared(Wrong(), 100, wants(64, 64))


def test_jobs_keep_their_slots_if_a_policy_is_wrong() -> None:
    class Greedy:
        def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
            return [each.wanted for each in demands]

    jobs = Jobs(Slots(100), Epochs(), policy=Greedy())
    start(jobs, 1, Terms(1, 64))
    with pytest.raises(JoinError, match="no room"):
        start(jobs, 2, Terms(1, 64))
    assert jobs.running[1].slots == range(64)


def start(jobs: Jobs, number: int, terms: Terms) -> None:
    jobs.join(number, terms, Worker(IPv4Address("10.0.0.1"), 1, 7000, 1))
    for pending in jobs.ready():
        jobs.start(pending)


ACTIONS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(1, 80), st.integers(1, 5), st.sampled_from(WhenFull)), max_size=40
)


@given(name=st.sampled_from(NAMES), actions=ACTIONS, host=st.booleans())
def test_no_slot_ever_has_two_jobs_and_each_change_is_a_new_epoch(
    name: str, actions: list[tuple[int, int, int, WhenFull]], host: bool
) -> None:
    """An action ends a running job, or lets one with that number come."""
    jobs = Jobs(Slots(100), Epochs(), Slots(4096) if host else None, policy=parse(name))
    places: dict[int, tuple[range, bool]] = {}
    for number, lanes, priority, when_full in actions:
        if number in jobs.running:
            jobs.end(number)
        elif number not in jobs.pending:
            try:
                jobs.join(
                    number,
                    Terms(1, lanes, when_full=when_full, priority=priority),
                    Worker(IPv4Address("10.0.0.1"), 1, 7000, 1),
                )
            except JoinError:
                assert number not in jobs.pending
        for pending in jobs.ready():
            jobs.start(pending)
        for hosted, most in ((False, 100), (True, 4096)):
            shares = [job.slots for job in jobs.running.values() if job.hosted is hosted]
            assert all(0 <= share.start < share.stop <= most for share in shares)
            assert all(one.stop <= other.start or other.stop <= one.start for one, other in combinations(shares, 2))
        for job in jobs.running.values():
            assert job.lanes == len(job.slots) <= job.wanted
            assert places.setdefault(job.epoch, (job.slots, job.hosted)) == (job.slots, job.hosted)


def test_a_job_with_a_priority_takes_slots_from_one_that_runs() -> None:
    jobs = Jobs(Slots(100), Epochs(), policy=parse("priority"))
    start(jobs, 1, Terms(1, 80))
    before = jobs.running[1]
    start(jobs, 2, Terms(1, 64, priority=2))
    assert jobs.moved() == [1]
    assert len(jobs.running[2].slots) == 64
    assert len(jobs.running[1].slots) == 36
    assert jobs.running[1].epoch > before.epoch
    # It gets them back.
    jobs.end(2)
    jobs.ready()
    assert len(jobs.running[1].slots) == 80


def test_a_job_without_slots_goes_on_on_the_host_until_some_are_free() -> None:
    jobs = Jobs(Slots(100), Epochs(), Slots(4096), policy=parse("best-effort"))
    start(jobs, 1, Terms(1, 100))
    start(jobs, 2, Terms(1, 64, when_full=WhenFull.HOST))
    assert jobs.running[2].hosted
    jobs.end(1)
    jobs.ready()
    assert (jobs.running[2].hosted, jobs.running[2].slots) == (False, range(64))


def test_workers_of_a_job_agree_on_its_priority() -> None:
    jobs = Jobs(Slots(100), Epochs())
    jobs.join(1, Terms(2, 8, priority=2), Worker(IPv4Address("10.0.0.1"), 1, 7000, 1))
    with pytest.raises(JoinError, match="has priority 2, not 1"):
        jobs.join(1, Terms(2, 8), Worker(IPv4Address("10.0.0.2"), 2, 7000, 2))


def test_the_protocol_is_small() -> None:
    policies: list[Policy] = [parse(name) for name in NAMES]
    assert all([*policy.shares(10, [])] == [] for policy in policies)
