"""Lower bounds of other schemes."""

from __future__ import annotations

import pytest

from dropzero.simulator.formulas import (
    TCP_EFFICIENCY,
    Kind,
    Overlap,
    Scheme,
    baselines,
    bus_bandwidth,
    efficiency,
    hosted_seconds,
    seconds,
    wire_bytes,
)
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from tests.simulator.exact import run

WIRE = 1e6 / (1e9 / 8 * TCP_EFFICIENCY)
"""Seconds of 1 MB at 1 Gbit/s."""


def test_baselines_have_the_papers_messages_and_bytes() -> None:
    """[MPICH]: alpha is 1 ms, beta a byte on the wire, and gamma 0."""
    assert baselines(10**6, 8, 1e9, 1e-3) == pytest.approx(
        {
            Scheme.RING: 14e-3 + 2 * 7 / 8 * WIRE,
            Scheme.HALVING_DOUBLING: 6e-3 + 2 * 7 / 8 * WIRE,
            Scheme.DOUBLE_BINARY_TREE: 6e-3 + 2 * WIRE,
            Scheme.PARAMETER_SERVER: 2e-3 + 8 * WIRE,
        }
    )


def test_one_worker_needs_no_messages() -> None:
    assert baselines(10**6, 1, 1e9, 1e-3) == pytest.approx(
        {
            Scheme.RING: 0.0,
            Scheme.HALVING_DOUBLING: 0.0,
            Scheme.DOUBLE_BINARY_TREE: 0.0,
            Scheme.PARAMETER_SERVER: WIRE,
        }
    )


def test_a_ring_of_racks_goes_around_each_and_then_between_them() -> None:
    time = seconds(Scheme.HIERARCHICAL_RING, 10**6, 8, 1e9, racks=2, latency=1e-3)
    assert time == pytest.approx((2 * 3 + 2 * 1) * 1e-3 + 2 * (3 / 4 + 1 / 2) * WIRE)


@pytest.mark.parametrize(("racks", "pods", "hops"), [(1, 1, 2), (8, 1, 4), (4, 1, 3), (8, 4, 5)])
def test_messages_cross_the_links_between_neighbours(racks: int, pods: int, hops: int) -> None:
    plan = Plan(8, racks, Quality(10**9, 1000), 4, cost=50, pods=pods)
    assert plan.baselines[Scheme.RING] == pytest.approx(14 * (hops * 1e-6 + 100e-9), rel=0.01)


def test_a_host_that_adds_up_takes_as_long_as_all_workers_bytes_on_its_link() -> None:
    """In the direction that has more: two workers send 40 % of their blocks each, and get 80 %."""
    dense = seconds(Scheme.DROPZERO, 10**6, 8, 1e9)
    assert hosted_seconds(10**6, 8, 1e9, 1.0, Overlap.RANDOM) == pytest.approx(8 * dense)
    down = 2 * wire_bytes(10**6, 0.8, 0.4)
    assert hosted_seconds(10**6, 2, 1e9, 0.4, Overlap.NONE) == pytest.approx(down / (1e9 / 8))


@pytest.mark.parametrize(("workers", "racks"), [(1, 1), (2, 1), (8, 2)])
@pytest.mark.parametrize("row", [1, 32, 256])
@pytest.mark.parametrize("call", Kind)
def test_no_call_is_faster_or_takes_fewer_bytes_than_its_lower_bounds(
    call: Kind, row: int, workers: int, racks: int
) -> None:
    """To within the randomness of the tensors."""
    for density, overlap in ((0.1, Overlap.RANDOM), (0.3, Overlap.NONE), (0.97, Overlap.FULL), (1.0, Overlap.FULL)):
        plan = Plan(workers, racks, Quality(10**10, 1000), 400_000, density, overlap, row=row, call=call)
        result = run(plan)
        assert result.seconds > 0.98 * plan.formula_seconds
        assert result.uplink_bytes > 0.98 * plan.uplink_formula
        assert result.downlink_bytes > 0.98 * plan.downlink_formula


@pytest.mark.parametrize("workers", [2, 8, 1024])
def test_the_best_bus_bandwidth_is_the_links_rate_less_headers(workers: int) -> None:
    for scheme, share in ((Scheme.DROPZERO, efficiency(256)), (Scheme.RING, TCP_EFFICIENCY)):
        least = seconds(scheme, 10**6, workers, 1e9)
        assert bus_bandwidth(scheme, 10**6, workers, least) == pytest.approx(share * 1e9)


@pytest.mark.parametrize("scheme", [Scheme.DROPZERO, Scheme.RING])
@pytest.mark.parametrize("call", [kind for kind in Kind if kind is not Kind.BARRIER])
def test_the_bus_bandwidth_of_every_call_is_what_the_busier_direction_carries(call: Kind, scheme: Scheme) -> None:
    plan = Plan(8, 1, Quality(10**9), 10**6, scheme=scheme, call=call)
    share = efficiency(256) if scheme is Scheme.DROPZERO else TCP_EFFICIENCY
    # A worker's downlink also carries the headers of its own part of an all-gather.
    assert plan.bus_bandwidth(plan.formula_seconds) == pytest.approx(share * 1e9, rel=0.01)


def test_a_barrier_has_no_bus_bandwidth() -> None:
    assert Plan(8, 1, Quality(10**9), 10**6, call=Kind.BARRIER).bus_bandwidth(1e-6) is None
