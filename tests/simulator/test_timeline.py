"""Jobs that come and go, share slots and rails, and switches that fail and return, in virtual time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.controller.jobs.policies import POLICIES
from dropzero.protocol.tensor.shards import shards
from dropzero.simulator.formulas import Overlap
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan, Simulation
from dropzero.simulator.timeline import Outage
from tests.simulator.exact import run

GOOD = Quality(rate=10**10, delay=1000)
EXAMPLE = Path(__file__).parents[2] / "examples" / "policy" / "shortest_first.py"


@settings(max_examples=15, deadline=None)
@given(
    policy=st.sampled_from([*POLICIES, "fixed:2", f"{EXAMPLE}:ShortestFirst"]),
    slots=st.integers(16, 64),
    priorities=st.tuples(*[st.integers(1, 5)] * 3),
    stagger=st.integers(0, 100_000),
    loss=st.sampled_from([0.0, 0.01]),
    racks=st.integers(1, 2),
    rails=st.integers(1, 2),
    calls=st.integers(1, 3),
    aggregator=st.booleans(),
)
def test_sums_are_exact_whatever_the_policy_does(
    policy: str,
    slots: int,
    priorities: tuple[int, ...],
    stagger: int,
    loss: float,
    racks: int,
    rails: int,
    calls: int,
    aggregator: bool,
) -> None:
    """Jobs come while others run, and take slots from them in the middle of a call."""
    quality = replace(GOOD, loss=loss)
    plan = Plan(4, racks, quality, 60_000, 0.5, lanes=16, jobs=3, slots=slots, stagger=stagger, rails=rails)
    run(replace(plan, policy=policy, priorities=priorities, calls=calls, aggregator=aggregator))


def test_a_job_waits_in_line_until_another_is_over() -> None:
    alone = run(Plan(4, 1, GOOD, 200_000)).seconds
    first, second = run(Plan(4, 1, GOOD, 200_000, jobs=2, slots=64)).job_seconds
    assert first == pytest.approx(alone)
    assert second == pytest.approx(2 * alone, rel=0.1)


def test_a_job_with_a_priority_is_as_quick_as_alone_and_the_others_begin_again() -> None:
    plan = Plan(4, 1, GOOD, 400_000, jobs=2, slots=64, stagger=100_000, policy="priority")
    alone = run(replace(plan, jobs=1)).seconds
    first, second = run(replace(plan, priorities=(1, 9))).job_seconds
    assert second == pytest.approx(alone, rel=0.05)
    assert first > 1.2 * alone
    first, second = run(replace(plan, priorities=(9, 1))).job_seconds
    assert first == pytest.approx(alone, rel=0.05)


def test_weighted_jobs_have_slots_in_proportion() -> None:
    """Round trips are long here, so slots are what limits a job."""
    plan = Plan(4, 1, replace(GOOD, delay=50_000), 1_000_000, jobs=2, lanes=32, slots=32, policy="weighted-fair")
    even = run(plan)
    # When one is over, the other's call begins again with all slots.
    assert even.fairness > 0.9
    heavy, light = run(replace(plan, priorities=(3, 1))).job_seconds
    assert light > 1.3 * heavy


@pytest.mark.parametrize("switch", ["spine", "leaf1"])
@pytest.mark.parametrize("begin", [0, 60_000, 330_000, 342_000])
def test_a_switch_that_fails_and_returns_leaves_all_sums_exact(switch: str, begin: int) -> None:
    """Before the call, in the middle, and around its end, when some workers have the sum and others do not."""
    plan = Plan(8, 2, GOOD, 400_000, 0.5, Overlap.FULL, lanes=32, outages=(Outage(switch, begin, begin + 500_000),))
    result = run(plan)
    assert result.seconds == run(replace(plan, outages=())).seconds or result.seconds > (begin + 500_000) / 1e9


def test_workers_that_have_the_sum_hand_it_to_the_others() -> None:
    """Losses let some workers have it long before others. Then the switch fails that could still send it."""
    for seed in range(40):
        plan = Plan(8, 1, replace(GOOD, loss=0.05), 40_000, lanes=32, seed=seed)
        simulation = Simulation(plan)
        assert simulation.run().exact
        ends = simulation.network.state.hosts["finished"]
        if ends.min() + 20_000 < ends.max():
            break
    outage = Outage("switch", int(ends.min()) + 1, int(ends.max()) + 100_000)
    assert ends.min() < outage.begin <= ends.max()
    assert run(replace(plan, outages=(outage,))).seconds > outage.end / 1e9


def test_two_rails_take_half_the_time() -> None:
    plan = Plan(4, 2, GOOD, 1_000_000)
    one, two = run(plan), run(replace(plan, rails=2))
    assert two.seconds == pytest.approx(one.seconds / 2, rel=0.1)
    assert len(two.link_bytes["from hosts"]) == 8
    assert two.formula_seconds == pytest.approx(one.formula_seconds / 2)


@given(length=st.integers(1, 10_000), count=st.integers(1, 9))
def test_shards_are_all_of_a_tensor_in_order(length: int, count: int) -> None:
    cut = shards(length, count)
    assert [at for shard in cut for at in range(length)[shard]] == [*range(length)]
    assert len(cut) == count
