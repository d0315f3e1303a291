"""How policies divide slots among jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.controller.jobs.epochs import Epochs
from dropzero.controller.jobs.jobs import HOST, Jobs, JoinError, PendingJob, Shares, Terms, WhenFull, Worker
from dropzero.controller.jobs.policies import POLICIES, Demand, FirstCome, Policy, PolicyError, divided, parse, shared
from dropzero.controller.jobs.tree import Tree

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


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        # Nobody overtakes job 0, which waits for the other switch.
        ("first-come", [0, 0, 60]),
        ("fixed:2", [0, 50, 50]),
        ("weighted-fair", [20, 80, 20]),
        ("best-effort", [0, 80, 60]),
    ],
)
def test_a_job_has_the_smallest_of_its_shares_and_others_what_it_cannot_use(name: str, shares: list[int]) -> None:
    """Job 0 is on both switches: first on one, last on the other."""
    here = wants(80, 80)
    there = [*(Demand(each, 60) for each in (2, 3, 4, 5)), here[0]]
    found = divided(parse(name), 100, {"s1": here, "s2": there})
    assert [found[job] for job in (0, 1, 2)] == shares


@given(st.sampled_from(NAMES), st.lists(st.integers(0, 80), max_size=8))
def test_no_policy_gives_slots_to_a_job_that_waits_for_another_switch(name: str, wanted: list[int]) -> None:
    shares = shared(parse(name), 100, wants(*wanted))
    assert not any(share for share, most in zip(shares, wanted, strict=True) if not most)


@pytest.mark.parametrize("name", ["nobody", "fixed:many", "fixed:0", "no.such.module:Class", "dropzero.files:Class"])
def test_a_policy_that_is_none_is_an_error(name: str) -> None:
    with pytest.raises(PolicyError):
        parse(name)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("class Own: pass", "it has no method shares"),
        ("class Own(: pass", "SyntaxError: invalid syntax"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def Own(): raise KeyError(3)", "KeyError: 3"),
        ("Own = 3", "TypeError: 'int' object is not callable"),
    ],
)
def test_ones_own_policy_that_cannot_be_made_is_named_with_the_reason(tmp_path: Path, code: str, said: str) -> None:
    (tmp_path / "own.py").write_text(code)
    with pytest.raises(PolicyError, match=rf"own\.py:Own' is not a policy: {said}"):
        parse(f"{tmp_path / 'own.py'}:Own")


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (lambda _: [], "takes 1 positional argument but 3 were given"),
        (lambda *_: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda *_: [50.0, 50.0], "TypeError: 'float' object cannot be interpreted as an integer"),
        (lambda *_: None, "TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_an_error_in_ones_own_policy_names_it(method: Callable[..., Any], said: str) -> None:
    own: Policy = type("Own", (), {"shares": method})()
    with pytest.raises(PolicyError, match=rf"^Own\.shares: .*{said}"):
        shared(own, 100, wants(64, 64))


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

    jobs = Jobs(100, Epochs(), policy=Greedy())
    start(jobs, 1, Terms(1, 64))
    with pytest.raises(JoinError, match="no room"):
        start(jobs, 2, Terms(1, 64))
    assert jobs.running[1].slots == {"": range(64)}


def test_a_policy_is_asked_when_a_job_comes_or_goes_and_not_for_each_worker() -> None:
    asked: list[list[int]] = []

    class Noting(FirstCome):
        def shares(self, slots: int, demands: Sequence[Demand]) -> Sequence[int]:
            asked.append([each.job for each in demands])
            return super().shares(slots, demands)

    def join(host: int) -> list[PendingJob]:
        jobs.join(1, Terms(4, 8), Worker(IPv4Address(f"10.0.0.{host}"), 1, 7000, 1))
        return jobs.ready()

    jobs = Jobs(100, Epochs(), policy=Noting(), tree=RACKS)
    start(jobs, 2, Terms(1, 8))
    join(0)
    assert [1] in asked
    asked.clear()
    join(0)
    assert asked == []
    # Another switch, and one above both.
    join(1)
    assert asked
    asked.clear()
    (ready,) = join(2)
    assert asked == []
    assert jobs.start(ready).slots.keys() == {"s1", "s2", "spine"}
    jobs.ready()
    asked.clear()
    jobs.end(1)
    jobs.ready()
    assert asked == [[2]]


def start(jobs: Jobs, number: int, terms: Terms) -> None:
    jobs.join(number, terms, Worker(IPv4Address("10.0.0.1"), 1, 7000, 1))
    for pending in jobs.ready():
        jobs.start(pending)


RACKS = Tree(
    {"s1": "spine", "s2": "spine"},
    {IPv4Address(f"10.0.0.{host}"): switch for host, switch in enumerate(["s1", "s2", "spine"])},
)
ACTIONS = st.lists(
    st.tuples(
        st.integers(0, 7),
        st.lists(st.integers(0, 2), min_size=1, max_size=3),
        st.integers(1, 80),
        st.integers(1, 5),
        st.sampled_from(WhenFull),
    ),
    max_size=40,
)


@given(name=st.sampled_from(NAMES), actions=ACTIONS, host=st.booleans())
def test_no_slot_ever_has_two_jobs_and_each_change_is_a_new_epoch(
    name: str, actions: list[tuple[int, list[int], int, int, WhenFull]], host: bool
) -> None:
    """An action ends a running job, or lets one with that number come."""
    jobs = Jobs(100, Epochs(), 4096 if host else 0, policy=parse(name), tree=RACKS)
    places: dict[int, Shares] = {}
    for number, hosts, lanes, priority, when_full in actions:
        if number in jobs.running:
            jobs.end(number)
        elif number not in jobs.pending:
            try:
                for at in hosts:
                    terms = Terms(len(hosts), lanes, when_full=when_full, priority=priority)
                    jobs.join(number, terms, Worker(IPv4Address(f"10.0.0.{at}"), 1, 7000, 1))
            except JoinError:
                for pending in [jobs.pending[number]] if number in jobs.pending else []:
                    for worker in list(pending.workers):
                        jobs.withdraw(pending, worker)
        for pending in jobs.ready():
            jobs.start(pending)
        for switch in ("spine", "s1", "s2", HOST):
            shares = [job.slots[switch] for job in jobs.running.values() if switch in job.slots]
            assert all(0 <= share.start < share.stop <= (4096 if switch == HOST else 100) for share in shares)
            assert all(one.stop <= other.start or other.stop <= one.start for one, other in combinations(shares, 2))
        for job in jobs.running.values():
            assert {job.lanes} == {*map(len, job.slots.values())}
            assert job.lanes <= job.wanted
            assert places.setdefault(job.epoch, job.slots) == job.slots


def test_a_job_with_a_priority_takes_slots_from_one_that_runs() -> None:
    jobs = Jobs(100, Epochs(), policy=parse("priority"))
    start(jobs, 1, Terms(1, 80))
    before = jobs.running[1]
    start(jobs, 2, Terms(1, 64, priority=2))
    assert jobs.moved() == [1]
    assert jobs.running[2].lanes == 64
    assert jobs.running[1].lanes == 36
    assert jobs.running[1].epoch > before.epoch
    # It gets them back.
    jobs.end(2)
    jobs.ready()
    assert jobs.running[1].lanes == 80


def test_a_job_without_slots_goes_on_on_the_host_until_some_are_free() -> None:
    jobs = Jobs(100, Epochs(), 4096, policy=parse("best-effort"))
    start(jobs, 1, Terms(1, 100))
    start(jobs, 2, Terms(1, 64, when_full=WhenFull.HOST))
    assert jobs.running[2].hosted
    jobs.end(1)
    jobs.ready()
    assert jobs.running[2].slots == {"": range(64)}


def test_workers_of_a_job_agree_on_its_priority() -> None:
    jobs = Jobs(100, Epochs())
    jobs.join(1, Terms(2, 8, priority=2), Worker(IPv4Address("10.0.0.1"), 1, 7000, 1))
    with pytest.raises(JoinError, match="has priority 2, not 1"):
        jobs.join(1, Terms(2, 8), Worker(IPv4Address("10.0.0.2"), 2, 7000, 2))


def test_the_protocol_is_small() -> None:
    policies: list[Policy] = [parse(name) for name in NAMES]
    assert all([*policy.shares(10, [])] == [] for policy in policies)
