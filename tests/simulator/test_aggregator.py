"""The host that adds up for jobs without slots, in virtual time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dropzero.simulator.formulas import Overlap, wire_bytes
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan, Simulation
from dropzero.simulator.timeline import Outage
from dropzero.softswitch.engine.wire import SECOND
from tests.simulator.exact import run

GOOD = Quality(rate=10**10, delay=1000)
TWO = Plan(8, 1, GOOD, 1_000_000, jobs=2, slots=64, block=256, aggregator=True)
"""Two jobs, with slots for one. Under first-come, the second one stays on the aggregator."""


@pytest.mark.parametrize(("workers", "racks", "size"), [(2, 1, 4_000_000), (8, 1, 1_000_000), (8, 2, 4_000_000)])
def test_a_hosted_job_takes_the_time_of_all_its_packets_on_one_link(workers: int, racks: int, size: int) -> None:
    result = run(replace(TWO, workers=workers, racks=racks, size=size))
    hosted = result.job_seconds[1]
    assert result.hosted_seconds == [0.0, hosted]
    assert result.hosted_formula_seconds == pytest.approx(8 * workers * wire_bytes(size, 1, 1) / GOOD.rate)
    assert result.hosted_formula_seconds <= hosted < 1.02 * result.hosted_formula_seconds


def test_a_hosted_job_takes_nothing_from_one_with_slots_but_links_between_switches() -> None:
    assert run(TWO).job_seconds[0] == run(replace(TWO, jobs=1)).seconds
    assert run(replace(TWO, racks=2)).job_seconds[0] > 1.5 * run(replace(TWO, racks=2, jobs=1)).seconds


def test_all_packets_of_a_hosted_job_cross_the_aggregators_link() -> None:
    links = run(TWO).link_bytes
    assert links["to aggregator"] == [sum(links["from hosts"][8:])]
    assert links["from aggregator"] == [sum(links["to hosts"][8:])]
    assert links["to aggregator"][0] == pytest.approx(8 * wire_bytes(1_000_000, 1, 1), rel=0.01)


def test_hosted_jobs_share_the_aggregators_link() -> None:
    hosted = run(replace(TWO, jobs=4, lanes=32, slots=32)).hosted_seconds[1:]
    assert max(hosted) == pytest.approx(3 * run(TWO).hosted_seconds[1], rel=0.02)


def test_more_packets_than_the_queue_holds_are_dropped_and_sent_again() -> None:
    """No marks tell the workers: 3 jobs have 64 packets each of 8 workers in flight."""
    simulation = Simulation(replace(TWO, jobs=4))
    result = simulation.run()
    assert result.exact
    assert simulation.network.links("to aggregator")["dropped"].sum() > 0
    assert result.retransmissions > 0


def test_results_fill_the_link_if_workers_have_different_blocks() -> None:
    # All results of 64 lanes, of two packets each, fit into the queue.
    result = run(replace(TWO, block=32, density=0.1, overlap=Overlap.NONE, queue=1100))
    (up,), (down,) = result.link_bytes["to aggregator"], result.link_bytes["from aggregator"]
    assert down > 3 * up
    assert down == pytest.approx(8 * wire_bytes(1_000_000, 0.8, 0.1), rel=0.15)
    assert 8 * down / GOOD.rate < result.hosted_seconds[1] < 1.25 * 8 * down / GOOD.rate


def test_a_job_moves_to_the_switch_when_slots_are_free() -> None:
    result = run(replace(TWO, policy="best-effort"))
    first, second = result.job_seconds
    assert result.hosted_seconds == [0.0, first]
    assert second == pytest.approx(2 * first, rel=0.02)


def test_calls_that_are_over_on_the_aggregator_are_not_made_again() -> None:
    plan = replace(TWO, workers=2, size=4_000_000, policy="best-effort", calls=20)
    first, second = run(plan).job_seconds
    assert second < 1.6 * first
    waiting = run(replace(plan, aggregator=False)).job_seconds
    assert waiting[1] == pytest.approx(2 * first, rel=0.01)


def test_a_job_that_loses_its_slots_goes_on_on_the_aggregator() -> None:
    result = run(replace(TWO, policy="priority", priorities=(1, 2), stagger=400_000))
    first, second = result.job_seconds
    assert result.hosted_seconds == [pytest.approx(second), 0.0]
    assert first == pytest.approx(400_000 / SECOND + 2 * second, rel=0.02)


def test_a_slow_host_takes_its_time_for_each_packet() -> None:
    simulation = Simulation(replace(TWO, cost=2000))
    result = simulation.run()
    assert result.exact
    packets = simulation.network.links("to aggregator", "from aggregator")["packets"].sum()
    assert result.hosted_seconds[1] == pytest.approx(packets * 2000 / SECOND, rel=0.01)


def test_packets_that_wait_for_the_host_are_captured_once(tmp_path: Path) -> None:
    scapy = pytest.importorskip("scapy.utils")
    simulation = Simulation(replace(TWO, size=40_000, cost=2000), tmp_path / "all.pcap")
    simulation.run()
    assert len(scapy.rdpcap(str(tmp_path / "all.pcap"))) == simulation.network.links()["packets"].sum()


@pytest.mark.parametrize("failing", ["switch", "aggregator"])
@pytest.mark.parametrize("begin", [0, 500_000])
@pytest.mark.parametrize("policy", ["first-come", "best-effort"])
def test_a_switch_or_an_aggregator_that_fails_and_returns_leaves_all_sums_exact(
    failing: str, begin: int, policy: str
) -> None:
    run(replace(TWO, policy=policy, outages=(Outage(failing, begin, begin + 200_000),)))


def test_every_rail_has_an_aggregator() -> None:
    one, two = run(TWO), run(replace(TWO, size=2_000_000, rails=2))
    assert two.link_bytes["to aggregator"] == 2 * one.link_bytes["to aggregator"]
    assert two.hosted_seconds == one.hosted_seconds


def test_a_run_is_the_same_for_the_same_seed() -> None:
    plan = replace(TWO, quality=replace(GOOD, loss=0.01), size=40_000, cost=100, seed=3)
    one, other = (replace(run(plan), wall_seconds=0.0, max_memory=0) for _ in range(2))
    assert one == other


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workers": 40, "racks": 2}, "up to 32 workers of a job"),
        ({"jobs": 5, "lanes": 1024, "slots": 1024}, "5 jobs need fewer lanes"),
        ({"calls": 0}, "one call or more"),
    ],
)
def test_an_aggregator_that_cannot_be_is_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(TWO, **changes)  # type: ignore[arg-type]
