"""All-reduces through Tofino 2's program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dropzero.simulator.formulas import Kind, Scheme, efficiency
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan, Simulation
from dropzero.simulator.target import SwitchTarget
from dropzero.simulator.timeline import Outage
from tests.simulator.exact import run

TOFINO = Plan(4, 1, Quality(10**10, 1000), 400_000, lanes=256, target=SwitchTarget.TOFINO2)


def test_a_dense_sum_takes_the_time_of_packets_of_one_block() -> None:
    plan = replace(TOFINO, size=2_000_000)
    result = run(plan)
    assert result.formula_seconds == pytest.approx(2_000_000 / efficiency(32, 32) / (plan.quality.rate / 8))
    assert result.formula_seconds <= result.seconds < 1.02 * result.formula_seconds
    assert result.formula_seconds > 1.4 * run(replace(plan, target=SwitchTarget.V1MODEL)).formula_seconds


@pytest.mark.parametrize("density", [1.0, 0.1])
def test_no_packet_has_more_than_a_block(density: float) -> None:
    simulation = Simulation(replace(TOFINO, density=density))
    assert simulation.run().exact
    links = simulation.network.links()
    assert (links["bytes"] <= links["packets"] * 128 / efficiency(32, 32)).all()


@pytest.mark.parametrize(
    "changes",
    [
        {"density": 0.1, "quality": Quality(10**10, 1000, loss=0.02, duplicate=0.02, reorder=0.1)},
        {"outages": (Outage("switch", 20_000, 60_000),)},
        {"jobs": 3, "slots": 64, "policy": "priority", "priorities": (1, 2, 3), "stagger": 50_000, "calls": 2},
        {"rails": 2},
        {"scheme": Scheme.RING},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_sums_are_exact_whatever_happens(changes: dict[str, Any]) -> None:
    run(replace(TOFINO, size=40_000, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"racks": 2}, "tofino2 has no racks"),
        ({"call": Kind.REDUCE_SCATTER}, "tofino2 has no reduce-scatter"),
        ({"aggregator": True}, "tofino2 has no host for jobs without slots"),
        ({"mark_from": 10}, "tofino2 has no ECN marks"),
    ],
)
def test_what_it_lacks_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TOFINO, **changes)
