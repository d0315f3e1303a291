"""Packets that stand for several."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dropzero.simulator.domain import Domain
from dropzero.simulator.formulas import Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from dropzero.simulator.target import SwitchTarget
from dropzero.simulator.training.coarse import coarser, smaller
from dropzero.simulator.training.simulation import train
from examples.trace.llama import Model, step

MODEL = Model(layers=2, hidden=512, feed_forward=2048, tokens=512, flops=1e13)
PLAN = Plan(16, 4, Quality(10**11, 1000), 4)
DOMAIN = Domain(8, Quality(10**12, 100))


@pytest.mark.parametrize("scheme", [Scheme.DROPZERO, Scheme.RING])
@pytest.mark.parametrize("domain", [None, DOMAIN])
def test_a_quarter_of_the_packets_take_a_step_within_4_percent_of_all(scheme: Scheme, domain: Domain | None) -> None:
    plan, traces = (
        replace(PLAN, scheme=scheme, domain=domain),
        [step(MODEL, rank, 4, 4) for rank in range(PLAN.workers)],
    )
    every = train(plan, traces, steps=1)
    quarter = train(coarser(plan, 4), [smaller(trace, 4) for trace in traces], steps=1)
    assert every.exact
    assert quarter.exact
    assert quarter.events < 0.3 * every.events
    assert quarter.seconds == pytest.approx(every.seconds, rel=0.04)


def test_a_lone_packet_takes_as_long_as_before() -> None:
    coarse = coarser(PLAN, 4)
    assert coarse.round_trip == pytest.approx(PLAN.round_trip, rel=0.001)


@pytest.mark.parametrize(
    ("plan", "factor", "why"),
    [
        (replace(PLAN, quality=Quality(10**11, 1000, loss=0.01)), 2, "links lose and reorder nothing"),
        (replace(PLAN, density=0.1), 2, "tensors are dense"),
        (PLAN, 12, "a packet can stand for 11 at most"),
        (replace(PLAN, domain=DOMAIN), 10, "a packet can stand for 9 at most"),
        (replace(PLAN, lanes=4), 8, "with 4 lanes, a packet can stand for 4 at most"),
        (replace(PLAN, racks=1, target=SwitchTarget.TOFINO2), 2, "which marks none"),
    ],
)
def test_where_the_single_packet_matters_it_cannot_stand_for_several(plan: Plan, factor: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        coarser(plan, factor)
