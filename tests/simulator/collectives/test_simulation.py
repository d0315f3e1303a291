"""All-reduces by messages, in virtual time."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.protocol.wire import Fate
from dropzero.simulator.collectives.schemes import SCHEMES
from dropzero.simulator.collectives.simulation import simulation
from dropzero.simulator.formulas import Kind, Overlap, Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.network import SimulationError
from dropzero.simulator.simulation import Plan, Result

GOOD = Quality(10**9, 1000)
BAD = Quality(10**9, 1000, loss=0.02, duplicate=0.02, reorder=0.1)
PAGE = Path(__file__).parents[3] / "docs" / "simulator.md"
TIMES: list[tuple[str, ...]] = re.findall(
    r"^\| `(\S+)`(, 1 % of the blocks)? \| (\S+) ms \| (\S+) ms \| (\S+) ms \| (\S+) ms \|$",
    PAGE.read_text(),
    re.MULTILINE,
)
"""The rows of the page's table: scheme, whether blocks are zero, and the times on two networks and by formula."""


def run(plan: Plan) -> Result:
    result = simulation(plan).run()
    assert result.exact
    return result


@settings(max_examples=20, deadline=None)
@given(
    scheme=st.sampled_from(list(SCHEMES)),
    shape=st.sampled_from([(1, 1, 1), (2, 1, 1), (4, 1, 1), (8, 2, 1), (8, 4, 2)]),
    elements=st.sampled_from([1, 3, 1000, 5000]),
    trouble=st.sampled_from([0.0, 0.01, 0.1]),
    cost=st.sampled_from([0, 700]),
    jobs=st.integers(1, 2),
    seed=st.integers(0, 2**32),
)
def test_sums_are_exact_by_every_scheme_over_every_link(
    scheme: Scheme, shape: tuple[int, int, int], elements: int, trouble: float, cost: int, jobs: int, seed: int
) -> None:
    workers, racks, pods = shape
    quality = Quality(10**9, 1000, loss=trouble, duplicate=trouble, reorder=trouble)
    run(Plan(workers, racks, quality, 4 * elements, 0.3, Overlap.RANDOM, 8, 32, 8, cost, seed, pods, jobs, scheme))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("density", [1.0, 0.1])
def test_a_scheme_takes_the_time_of_its_formula(scheme: Scheme, density: float) -> None:
    """Answers, 66 bytes for every second packet, share the links. A server waits for the slowest of its streams, which
    do not share its link evenly."""
    result = run(Plan(8, 1, Quality(10**8, 1000), 1_000_000, density, Overlap.FULL, scheme=scheme))
    slack = 1.25 if scheme is Scheme.PARAMETER_SERVER else 1.15
    assert 0.99 * result.formula_seconds <= result.seconds < slack * result.formula_seconds
    assert result.retransmissions == 0
    assert result.scheme == scheme


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize("call", Kind)
def test_every_call_of_a_ring_is_exact_in_the_time_of_its_formula(call: Kind, workers: int) -> None:
    plan = Plan(workers, 1, Quality(10**10, 1000), 1_000_000, scheme=Scheme.RING, call=call)
    result = run(plan)
    assert plan.formula_seconds - 1e-9 <= result.seconds <= 1.15 * plan.formula_seconds
    run(replace(plan, quality=BAD, size=40_000))


@pytest.mark.parametrize("row", TIMES, ids=lambda row: row[0])
def test_the_page_has_these_times(row: tuple[str, ...]) -> None:
    name, sparse, *times = row
    scheme, density = Scheme[name.upper().replace("-", "_")], 0.01 if sparse else 1.0
    networks = (8, 1, Quality(10**10, 1000)), (32, 4, Quality(10**11, 1000))
    found = [run(Plan(*network, 1_000_000, density, scheme=scheme)) for network in networks]
    assert [float(time) for time in times] == pytest.approx(
        [1e3 * seconds for result in found for seconds in (result.seconds, result.formula_seconds)], rel=0.02
    )


def test_the_page_has_all_schemes() -> None:
    assert [row[0] for row in TIMES] == ["dropzero", *(scheme.name.lower().replace("_", "-") for scheme in SCHEMES)]


def test_a_ring_of_racks_waits_less_for_messages_than_one_of_hosts() -> None:
    plan = Plan(16, 4, GOOD, 1000)
    ring, racks = (run(replace(plan, scheme=each)) for each in (Scheme.RING, Scheme.HIERARCHICAL_RING))
    assert racks.seconds < 0.7 * ring.seconds


def test_switches_only_forward() -> None:
    simulated = simulation(Plan(4, 2, GOOD, 40_000, scheme=Scheme.RING))
    simulated.run()
    assert all(set(each.fates()) == {Fate.FORWARDED} for each in simulated.network.switches.values())


def test_lost_packets_are_sent_again() -> None:
    plan = Plan(4, 1, GOOD, 400_000, scheme=Scheme.RING)
    good, bad = run(plan), run(replace(plan, quality=BAD))
    assert good.retransmissions == 0 < bad.retransmissions
    assert bad.seconds > good.seconds


def test_streams_that_meet_in_a_queue_share_it() -> None:
    """All workers send to the server at once: windows follow the marks, and packets are dropped only if even the first
    windows do not fit."""
    plan = Plan(16, 1, GOOD, 400_000, scheme=Scheme.PARAMETER_SERVER)
    result = run(plan)
    assert result.retransmissions == 0
    assert result.seconds < 1.3 * result.formula_seconds
    assert run(replace(plan, queue=64)).retransmissions > 0


def test_a_run_is_the_same_for_the_same_seed() -> None:
    plan = Plan(4, 2, BAD, 40_000, 0.5, cost=100, seed=1, scheme=Scheme.SPARCML)
    first, second = (replace(run(plan), wall_seconds=0.0, max_memory=0) for _ in range(2))
    assert first == second


def test_runs_follow_one_another() -> None:
    simulated = simulation(Plan(4, 1, BAD, 40_000, scheme=Scheme.HALVING_DOUBLING))
    ends = []
    for _ in range(4):
        assert simulated.run().exact
        ends.append(simulated.network.seconds)
    assert ends == sorted(ends)


def test_a_network_that_loses_everything_is_an_error() -> None:
    with pytest.raises(SimulationError, match="2 workers wait"):
        run(Plan(2, 1, replace(GOOD, loss=1.0), 4000, scheme=Scheme.RING))


def test_packets_are_captured(tmp_path: Path) -> None:
    scapy = pytest.importorskip("scapy.all")
    simulated = simulation(Plan(2, 1, GOOD, 4000, scheme=Scheme.RING), tmp_path / "all.pcap")
    simulated.run()
    packets = scapy.rdpcap(str(tmp_path / "all.pcap"))
    sent = simulated.network.links()["packets"].sum()
    assert sent - 4 <= len(packets) <= sent  # the last answers are under way
    assert {packet["UDP"].dport for packet in packets} == {7000}
