"""All-reduces in virtual time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.tensor.arrays import Source, Target
from dropzero.protocol.wire import Fate
from dropzero.simulator.formulas import Kind, Overlap, Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.network import Network, SimulationError
from dropzero.simulator.simulation import Plan, Result, Simulation
from dropzero.simulator.timeline import Outage
from dropzero.simulator.tree import Shape
from dropzero.simulator.workload import gradient, total
from dropzero.softswitch.engine.wire import SECOND
from tests.simulator.exact import run
from tests.support.network import shapes

GOOD = Quality(rate=10**9, delay=1000)
BAD = Quality(rate=10**9, delay=1000, loss=0.02, duplicate=0.02, reorder=0.1)


def unmeasured(result: Result) -> Result:
    return replace(result, wall_seconds=0.0, max_memory=0)


@settings(max_examples=10, deadline=None)
@given(
    shape=shapes(),
    density=st.sampled_from([0.0, 0.1, 1.0]),
    trouble=st.sampled_from([0.0, 0.01, 0.1]),
    cost=st.integers(0, 3000),
    seed=st.integers(0, 2**32),
)
def test_sums_are_exact_on_every_tree_over_every_link(
    shape: Shape, density: float, trouble: float, cost: int, seed: int
) -> None:
    workers = len(shape.homes)
    quality = Quality(10**9, 1000, loss=trouble, duplicate=trouble, reorder=trouble)
    network = Network(shape, quality, lanes=8, depth=32, mark_from=8, cost=cost, seed=seed)
    tensors = [gradient(3000, density, Overlap.RANDOM, rank, workers) for rank in range(workers)]
    results = [Target.new(3000) for _ in tensors]
    for number in range(2):
        network.call([Call.of(tensors[0], number)] * workers, [Source.of(each) for each in tensors], results)
        expected = total(3000, density, Overlap.RANDOM, workers)
        assert all(np.array_equal(each.patterns.view(np.float32), expected) for each in results)


@pytest.mark.parametrize(("workers", "racks", "rate"), [(2, 1, 10**8), (8, 1, 10**8), (8, 2, 10**8), (8, 1, 10**10)])
def test_a_dense_sum_takes_the_time_of_the_formula(workers: int, racks: int, rate: int) -> None:
    result = run(Plan(workers, racks, Quality(rate, 1000), 1_000_000))
    assert result.formula_seconds <= result.seconds < 1.02 * result.formula_seconds
    assert result.retransmissions == 0


@pytest.mark.parametrize(("workers", "racks"), [(4, 1), (8, 1), (8, 2)])
def test_a_reduce_scatter_brings_each_worker_its_shard_in_the_time_of_the_formula(workers: int, racks: int) -> None:
    size = 4_000_000
    result = run(Plan(workers, racks, Quality(10**10, 1000), size, call=Kind.REDUCE_SCATTER))
    assert result.formula_seconds <= result.seconds < 1.02 * result.formula_seconds
    assert all(size / workers < each <= size / workers + 0.08 * size for each in result.link_bytes["to hosts"])
    sent = size - size / workers
    assert all(sent < each <= sent + 0.08 * size for each in result.link_bytes["from hosts"])
    if racks > 1:
        assert all(size < each < 1.08 * size for each in result.link_bytes["up"])
        assert all(size / racks < each < size / racks + 0.08 * size for each in result.link_bytes["down"])


@pytest.mark.parametrize("call", Kind)
@pytest.mark.parametrize(("workers", "racks"), [(8, 1), (8, 2)])
def test_a_call_takes_the_time_and_the_bytes_of_its_formulas(call: Kind, workers: int, racks: int) -> None:
    plan = Plan(workers, racks, Quality(10**10, 1000), 4_000_000, call=call)
    result = run(plan)
    # Nanoseconds of each link are rounded down.
    assert plan.formula_seconds - 4e-9 <= result.seconds < 1.02 * plan.formula_seconds
    assert plan.uplink_formula <= result.uplink_bytes < 1.03 * plan.uplink_formula
    assert plan.downlink_formula <= result.downlink_bytes < 1.03 * plan.downlink_formula
    assert result.retransmissions == 0


@pytest.mark.parametrize("racks", [1, 2])
@pytest.mark.parametrize("density", [0.01, 1.0])
@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("call", [kind for kind in Kind if kind is not Kind.ALL_REDUCE])
def test_every_call_is_exact_over_bad_links(call: Kind, racks: int, density: float, calls: int) -> None:
    """In several calls, the second reduce-scatter guesses the block size."""
    run(Plan(5, racks, BAD, 100_000, density, call=call, calls=calls))


def test_a_barrier_survives_outages_and_other_jobs() -> None:
    run(Plan(4, 2, BAD, 4, call=Kind.BARRIER, jobs=2, outages=(Outage("spine", 2_000, 300_000),)))


def test_a_thousand_workers_gather_a_megabyte() -> None:
    """Each gives a kilobyte. Its uplink carries that, headers for what the others give, and each lane's first packet,
    which only announces."""
    plan = Plan(1024, 32, Quality(10**11, 1000), 1_000_000, call=Kind.ALL_GATHER, lanes=64)
    result = run(plan)
    assert all(plan.size < each < 1.02 * plan.downlink_formula / 1024 for each in result.link_bytes["to hosts"])
    assert all(each < 1.07 * plan.uplink_formula / 1024 for each in result.link_bytes["from hosts"])
    assert plan.uplink_formula / 1024 < 0.14 * plan.size
    assert result.seconds < 1.6 * plan.formula_seconds


@pytest.mark.parametrize(
    "plan",
    [
        Plan(8, 1, Quality(4 * 10**11, 1000), 1_000_000, call=Kind.ALL_GATHER),
        Plan(8, 4, Quality(10**11, 1000), 1_000_000, pods=2, call=Kind.ALL_GATHER),
        Plan(8, 4, Quality(10**11, 1000), 10_000_000, pods=2, call=Kind.REDUCE_SCATTER),
    ],
    ids=["all-gather", "all-gather over three tiers", "reduce-scatter over three tiers"],
)
def test_the_queue_of_one_job_is_not_marked(plan: Plan) -> None:
    """Most contributions are shorter than their results, and arrive faster than these leave."""
    simulation = Simulation(plan)
    for _ in range(2):
        assert simulation.call(plan.elements, 0)
    assert simulation.job_seconds[0] < plan.formula_seconds + 2 * plan.round_trip


def test_two_jobs_that_share_trunks_take_equally_long() -> None:
    plan = Plan(16, 4, Quality(10**11, 10_000), 3_000_000, jobs=2)
    one, other = Simulation(plan).run().job_seconds
    assert max(one, other) < 1.1 * min(one, other)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"jobs": 2}, "a reduce-scatter is simulated for one job, and switches without outages"),
        ({"outages": (Outage("switch", 1, 2),)}, "for one job, and switches without outages"),
        ({"scheme": Scheme.PARAMETER_SERVER}, "for dropzero and for a ring"),
    ],
)
def test_a_reduce_scatter_that_cannot_be_simulated_is_refused(other: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Plan(4, 1, GOOD, 4_000, call=Kind.REDUCE_SCATTER, **other)


def test_at_100_gbit_no_larger_tensor_is_faster() -> None:
    """All lanes of a dense tensor have the same number of blocks, or one more."""
    sizes = (1_000, 4_000, 16_000, 20_000, 30_000, 50_000, 100_000, 200_000, 300_000, 1_000_000)
    seconds = [run(Plan(8, 1, Quality(10**11, 1000), size)).seconds for size in sizes]
    assert seconds == sorted(seconds)


@pytest.mark.parametrize("workers", [2, 32])
@pytest.mark.parametrize(
    ("size", "most"), [(1_000, 2), (16_000, 3), (20_000, 3.3), (50_000, 5), (100_000, 6), (1_000_000, 3)]
)
def test_at_100_gbit_a_first_call_takes_few_round_trips(workers: int, size: int, most: float) -> None:
    """most: round trips in addition to the time of the bytes. One is to agree on the size of blocks, one to announce
    them, one for the last data. Mid-sized tensors do not fill the link with their few lanes."""
    plan = Plan(workers, 1, Quality(10**11, 1000), size)
    assert run(plan).seconds < plan.formula_seconds + most * plan.round_trip


@pytest.mark.parametrize("workers", [2, 32])
@pytest.mark.parametrize("size", [20_000, 50_000, 100_000, 300_000, 1_000_000])
def test_at_100_gbit_a_repeated_call_takes_one_and_a_half_round_trips(workers: int, size: int) -> None:
    """In addition to the time of the bytes."""
    plan = Plan(workers, 1, Quality(10**11, 1000), size)
    simulation = Simulation(plan)
    for _ in range(2):
        assert simulation.call(size // 4, 0)
    assert simulation.job_seconds[0] < 1.02 * plan.formula_seconds + 1.5 * plan.round_trip


@pytest.mark.parametrize(
    ("rate", "racks", "jobs", "lanes"),
    [
        (10**8, 1, 1, 64),
        (10**11, 1, 1, 64),
        (10**11, 4, 1, 128),
        (4 * 10**11, 1, 1, 256),
        (4 * 10**11, 4, 1, 512),
        (4 * 10**11, 1, 32, 128),
        (4 * 10**11, 1, 1000, 64),
        (10**13, 4, 1, 1024),
    ],
)
def test_a_job_s_lanes_fill_two_round_trips(rate: int, racks: int, jobs: int, lanes: int) -> None:
    """But they are 64 to 1,024, and jobs share a switch's 4,096 slots."""
    assert Plan(8, racks, Quality(rate, 1000), 1_000_000).lanes_for(jobs) == lanes


@pytest.mark.parametrize("racks", [1, 2])
def test_on_slow_links_a_first_call_takes_as_long_as_later_ones(racks: int) -> None:
    """A query's answer comes much sooner than a full packet's would, above all from a leaf."""
    plan = Plan(8, racks, Quality(500_000, 20_000), 200_000)
    simulation = Simulation(plan)
    seconds = []
    for _ in range(2):
        assert simulation.call(plan.elements, 0)
        seconds += simulation.job_seconds
    assert seconds[0] < 1.1 * seconds[1]


@pytest.mark.parametrize("density", [0.01, 0.1])
@pytest.mark.parametrize("size", [30_000, 100_000, 300_000, 1_000_000])
def test_at_100_gbit_a_sparse_call_takes_as_few_round_trips(size: int, density: float) -> None:
    """First and repeated, in addition to 1.08 times the time of the bytes: one to find the union, one to announce its
    blocks, one for the last data. 1 % of 1 MB does not fill the link with its few lanes."""
    plan = Plan(8, 1, Quality(10**11, 1000), size, density)
    simulation = Simulation(plan)
    for _ in range(2):
        assert simulation.call(size // 4, 0)
        assert simulation.job_seconds[0] < 1.08 * plan.formula_seconds + 4 * plan.round_trip


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (Plan(4, 2, BAD, 40_000, 0.5, cost=100, seed=1), (796_235, 129_420, 194_712, 12, 1_054)),
        (Plan(8, 2, replace(BAD, rate=10**8), 200_000, 0.3, seed=5), (29_511_116, 830_302, 1_887_702, 66, 6_781)),
        (Plan(4, 1, GOOD, 200_000, lanes=64, queue=4, mark_from=0), (2_134_961, 989_126, 926_009, 1_097, 4_433)),
        (
            Plan(8, 1, GOOD, 1_000_000, 0.02, Overlap.NONE, lanes=256, mark_from=4),
            (1_618_256, 482_576, 1_600_784, 0, 4_624),
        ),
        (Plan(8, 2, Quality(10**9, 777), 200_000, cost=1500, seed=3), (1_855_132, 1_764_784, 1_764_784, 0, 5_428)),
        (Plan(128, 8, Quality(10**11, 1000), 100_000, lanes=64), (21_068, 14_306_688, 14_306_688, 0, 40_512)),
        (
            Plan(5, 1, Quality(333_333_331, 1234, loss=0.01, reorder=0.3), 50_000, seed=9),
            (2_544_159, 287_734, 286_144, 5, 957),
        ),
        (
            Plan(16, 4, replace(BAD, rate=10**10), 200_000, 0.2, seed=2, cost=700),
            (1_454_887, 1_453_840, 3_967_548, 160, 18_960),
        ),
    ],
)
def test_results_are_those_of_the_engine_s_own_queues(plan: Plan, expected: tuple[int, ...]) -> None:
    """expected: nanoseconds, bytes up and down, retransmissions and events. They were computed packet by packet with
    dropzero.softswitch.engine.queues, until the workers' timer, probes, queries, chunks, lanes and padding changed."""
    result = run(plan)
    bytes_sent = result.uplink_bytes, result.downlink_bytes
    assert (round(result.seconds * SECOND), *bytes_sent, result.retransmissions, result.events) == expected


@pytest.mark.parametrize("racks", [1, 2])
def test_a_run_is_the_same_for_the_same_seed_alone(racks: int) -> None:
    plan = Plan(4, racks, BAD, 40_000, 0.5, cost=100, seed=1)
    first = unmeasured(run(plan))
    assert unmeasured(run(plan)) == first
    assert unmeasured(run(replace(plan, seed=2))) != first


def test_lost_packets_are_sent_again() -> None:
    assert run(Plan(4, 1, GOOD, 40_000)).retransmissions == 0
    assert run(Plan(4, 1, BAD, 40_000)).retransmissions > 0


@pytest.mark.parametrize(
    ("workers", "racks", "loss", "most"), [(8, 2, 0.05, 2.0), (16, 4, 0.01, 1.5), (32, 1, 0.1, 5.0), (64, 8, 0.01, 2.5)]
)
def test_losses_cost_little_even_among_many_workers(workers: int, racks: int, loss: float, most: float) -> None:
    """most: of the time without losses, once the first call has measured the network. With 64 workers and 1 %, most
    rounds lose a packet, and any link may be the one."""
    simulation = Simulation(Plan(workers, racks, Quality(10**8, 20_000, loss=loss), 500_000))
    seconds = []
    for seed in range(13):
        assert simulation.call(125_000, seed)
        seconds += simulation.job_seconds
    assert np.mean(seconds[1:]) < most * simulation.plan.formula_seconds


def test_packets_that_find_a_full_queue_are_dropped_and_sent_again() -> None:
    simulation = Simulation(Plan(4, 1, GOOD, 200_000, lanes=64, queue=4, mark_from=0))
    result = simulation.run()
    assert result.exact
    assert simulation.network.links()["dropped"].sum() > 0
    assert result.retransmissions > 0


def test_workers_heed_the_marks_of_long_queues() -> None:
    def deepest(mark_from: int) -> int:
        """The longest queue of a switch once the workers' windows are open."""
        plan = Plan(8, 1, GOOD, 1_000_000, 0.02, Overlap.NONE, lanes=256, mark_from=mark_from)
        simulation = Simulation(plan)
        assert simulation.run().exact
        simulation.network.state.links["deepest"] = 0
        assert simulation.run().exact
        return int(simulation.network.links("to hosts")["deepest"].max())

    assert deepest(4) < 0.7 * deepest(0)


def test_a_sparse_sum_that_is_alone_is_not_marked() -> None:
    """Its contributions are short, so that results queue although they fill no more than a round trip."""
    plan = Plan(8, 1, Quality(4 * 10**11, 1000), 3_000_000, 0.1, lanes=256)
    assert run(plan).seconds == run(replace(plan, mark_from=0)).seconds


def test_delay_and_slow_hosts_take_time() -> None:
    quick = run(Plan(2, 1, GOOD, 40_000)).seconds
    assert run(Plan(2, 1, replace(GOOD, delay=100_000), 40_000)).seconds > quick + 0.000_4
    assert run(Plan(2, 1, GOOD, 40_000, cost=50_000)).seconds > quick + 80 * 50e-6


def test_sparse_sums_send_fewer_bytes() -> None:
    dense, sparse = (run(Plan(4, 1, GOOD, 400_000, density, Overlap.FULL)) for density in (1.0, 0.1))
    assert sparse.uplink_bytes < 0.2 * dense.uplink_bytes
    assert sparse.seconds < 0.2 * dense.seconds


def test_a_thousand_workers_on_two_tiers() -> None:
    simulation = Simulation(Plan(1024, 32, Quality(10**11, 1000), 4096))
    assert simulation.run().exact
    spine = simulation.network.switches["spine"].fates()
    assert set(spine) == {Fate.ABSORBED, Fate.COMPLETED}


def test_three_tiers_add_up_each_pods_racks_first() -> None:
    simulation = Simulation(Plan(24, 12, GOOD, 40_000, pods=3))
    result = simulation.run()
    assert result.exact
    assert {kind: len(links) for kind, links in result.link_bytes.items() if kind in ("up", "down")} == {
        "up": 3 + 12,
        "down": 3 + 12,
    }
    dense = result.uplink_bytes / 24
    assert all(each < 1.1 * dense for each in result.link_bytes["up"])


def test_jobs_share_the_links_between_switches_and_no_slots() -> None:
    alone = run(Plan(4, 2, GOOD, 400_000))
    together = run(Plan(4, 2, GOOD, 400_000, jobs=3))
    assert 2.8 * alone.seconds < together.seconds < 3.3 * alone.seconds
    assert together.fairness > 0.95
    assert together.uplink_bytes >= 3 * alone.uplink_bytes
    apart = run(Plan(4, 1, GOOD, 400_000, jobs=3))
    assert apart.seconds == run(Plan(4, 1, GOOD, 400_000)).seconds


def test_a_network_that_loses_everything_is_an_error() -> None:
    with pytest.raises(SimulationError, match="2 workers wait"):
        Simulation(Plan(2, 1, replace(GOOD, loss=1.0), 4000)).run()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workers": 33}, "33 need 2 racks or more"),
        ({"workers": 2, "racks": 3}, "each needs one or more"),
        ({"workers": 40, "racks": 40}, "up to 32 racks"),
        ({"racks": 3, "pods": 2}, "equally"),
        ({"size": 6}, "4 bytes"),
        ({"density": 0.0}, "above 0"),
    ],
)
def test_a_network_that_cannot_be_is_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(Plan(4, 1, GOOD, 4000), **changes)  # type: ignore[arg-type]


def test_all_packets_are_captured_in_order(tmp_path: Path) -> None:
    scapy = pytest.importorskip("scapy.utils")
    simulation = Simulation(Plan(2, 1, GOOD, 4000), tmp_path / "all.pcap")
    simulation.run()
    packets = scapy.rdpcap(str(tmp_path / "all.pcap"))
    assert len(packets) == simulation.network.links()["packets"].sum()
    times = [packet.time for packet in packets]
    assert times == sorted(times)


def test_on_fast_links_losses_cost_round_trips_and_not_timeouts() -> None:
    """Also those of a call's last packets, which no later results show. A timeout takes twenty such calls."""
    plan = Plan(8, 1, Quality(10**10, 1000, loss=0.01), 250_000)
    simulation = Simulation(plan)
    for call in range(10):
        assert simulation.call(plan.size // 4, call)
        assert not call or simulation.job_seconds[0] < 3 * plan.formula_seconds


def test_calls_follow_one_another_over_lossy_links() -> None:
    """A host's timer may go off between two calls: after its own was over, and before another host's."""
    simulation = Simulation(Plan(8, 1, Quality(10**8, 20_000, loss=0.02), 100_000, density=0.1, seed=9))
    assert all(simulation.run().exact for _ in range(8))


def test_a_rest_ends_no_hosts_work_early() -> None:
    hosts = np.array([(5,), (20,)], [("busy", np.int64)])
    Network.rest(cast(Any, SimpleNamespace(state=SimpleNamespace(hosts=hosts))), 10)
    assert hosts["busy"].tolist() == [10, 20]
