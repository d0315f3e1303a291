"""Operations between ranks, by packets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from dropzero.simulator.domain import Domain
from dropzero.simulator.formulas import Scheme
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from dropzero.simulator.training.chakra_pb2 import CollectiveType
from dropzero.simulator.training.cluster import Cluster
from dropzero.simulator.training.schedule import Operation, groups_of
from dropzero.simulator.training.simulation import Steps, train
from dropzero.simulator.training.trace import RECEIVE, SEND, Node, Trace, TraceError
from dropzero.simulator.tree import Shape
from examples.trace.llama import Model, step

PLAN = Plan(8, 2, Quality(10**11, 1000), 4, lanes=64)
BAD = Quality(10**10, 1000, loss=0.01, duplicate=0.01, reorder=0.05)
MEGABYTE = 10**6
TINY = Model(layers=2, hidden=256, feed_forward=1024, tokens=128, flops=1e13)


def llama(tensor: int, data: int, model: Model = TINY) -> list[Trace]:
    return [step(model, rank, tensor, data) for rank in range(tensor * data)]


def seconds(
    groups: Mapping[str, tuple[int, ...]], *calls: tuple[str, str], plan: Plan = PLAN, size: int = MEGABYTE
) -> dict[int, float]:
    """When each call is over that begins at 0, by its place: kinds and groups."""
    cluster = Cluster(plan, groups)
    for number, (kind, name) in enumerate(calls):
        cluster.begin(Operation(number, kind, size, groups[name], name), 0)
    return {number: end / 1e9 for number, end in ends_of(cluster).items()}


def ends_of(cluster: Cluster) -> dict[int, int]:
    """When the operations that are under way are over, by their numbers, nanoseconds."""
    ends: dict[int, int] = {}
    while over := cluster.advance(None):
        for operation, _, time in over:
            ends[operation.number] = max(time, ends.get(operation.number, 0))
    assert cluster.exact
    return ends


@pytest.mark.parametrize("scheme", [Scheme.DROPZERO, Scheme.RING])
@pytest.mark.parametrize("racks", [1, 2])
def test_reused_times_are_within_a_hundredth_of_those_of_all_packets(scheme: Scheme, racks: int) -> None:
    """Those of a Llama's step, whose groups sometimes share links, and of each of its operations."""
    plan = replace(PLAN, workers=16, racks=racks, scheme=scheme)

    def run(reuse: bool) -> Steps:
        result = train(plan, llama(4, 4), reuse=reuse)
        assert result.exact
        return result

    reused, exact = run(reuse=True), run(reuse=False)
    assert exact.simulated == exact.operations > 1.2 * reused.simulated
    assert reused.seconds == pytest.approx(exact.seconds, rel=0.01)
    for one, other in zip(reused.spans, exact.spans, strict=True):
        assert one.node == other.node
        assert one[1:] == pytest.approx(other[1:], abs=0.01e9 * exact.seconds)


@st.composite
def steps(draw: st.DrawFn) -> list[Trace]:
    """A step of 4 or 6 ranks: computation, calls of any kind in groups that overlap, and messages."""
    ranks = range(draw(st.sampled_from([4, 6])))
    groups = draw(st.lists(st.lists(st.sampled_from(ranks), min_size=1, unique=True), min_size=1, max_size=3))
    nodes: list[list[Node]] = [[] for _ in ranks]

    def add(rank: int, name: str, after: bool, **options: int | str) -> None:
        number = len(nodes[rank])
        earlier = (number - 1,) if after and number else ()
        nodes[rank].append(Node(number, name, earlier, **options))  # type: ignore[arg-type]

    for number in range(draw(st.integers(3, 10))):
        after = draw(st.booleans())
        match draw(st.sampled_from(["compute", "call", "call", "message"])):
            case "compute":
                for rank in ranks:
                    add(rank, "compute", after, duration=draw(st.integers(0, 50_000)))
            case "call":
                group = draw(st.integers(0, len(groups) - 1))
                kind = draw(st.sampled_from(CollectiveType.keys()))
                size = 0 if kind == "BARRIER" else draw(st.sampled_from([10, 5_000, 100_001]))
                for rank in groups[group]:
                    add(rank, kind, after, collective=kind, size=size, group=str(group))
            case _:
                source, target = draw(st.permutations(ranks))[:2]
                size = draw(st.sampled_from([0, 50_000]))
                for rank, kind, peer in ((source, SEND, target), (target, RECEIVE, source)):
                    add(rank, kind, after, collective=kind, size=size, peer=peer, tag=number)
    return [Trace(own) for own in nodes]


@settings(max_examples=8, deadline=None)
@given(
    traces=steps(),
    tiers=st.sampled_from([(1, 1), (2, 1), (2, 2)]),
    scheme=st.sampled_from([Scheme.DROPZERO, Scheme.RING]),
    domain=st.sampled_from([None, Domain(2, Quality(10**12, 100))]),
)
def test_any_step_ends_with_exact_results_and_reused_times_are_those_of_all_packets(
    traces: list[Trace], tiers: tuple[int, int], scheme: Scheme, domain: Domain | None
) -> None:
    racks, spines = tiers
    plan = replace(PLAN, workers=len(traces), racks=racks, spines=spines, scheme=scheme, domain=domain)
    try:
        reused, exact = (train(plan, traces, steps=3, reuse=reuse) for reuse in (True, False))
    except TraceError:
        # Nodes wait for each other: ranks come to calls of two groups in different orders.
        reject()
    assert reused.exact
    assert exact.exact
    assert reused.seconds == pytest.approx(exact.seconds, rel=0.01)


def test_a_reused_call_is_simulated_after_all_if_another_touches_its_links() -> None:
    """From its begin on, although that has passed."""
    groups = {"a": (0, 1, 2, 3), "b": (3, 4)}

    def ends(reuse: bool) -> list[int]:
        cluster = Cluster(PLAN, groups, reuse=reuse)
        number = 0
        time = 0
        for _ in range(4):
            cluster.begin(Operation(number, "ALL_REDUCE", MEGABYTE, groups["a"], "a"), time)
            time, number = ends_of(cluster)[number] + 1000, number + 1
        assert cluster.simulated == (3 if reuse else 4)
        cluster.begin(Operation(number, "ALL_REDUCE", MEGABYTE, groups["a"], "a"), time)
        assert not cluster.advance(time + 30_000)
        cluster.begin(Operation(number + 1, "ALL_REDUCE", MEGABYTE, groups["b"], "b"), time + 30_000)
        return [end for _, end in sorted(ends_of(cluster).items())]

    assert ends(reuse=True) == pytest.approx(ends(reuse=False), rel=0.01)


def test_groups_in_racks_of_their_own_do_not_share_links_and_groups_between_racks_do() -> None:
    apart = {"left": (0, 1, 2, 3), "right": (4, 5, 6, 7)}
    across = {"a": (0, 4), "b": (1, 5), "c": (2, 6)}
    alone = seconds({"left": apart["left"]}, ("ALL_REDUCE", "left"))[0]
    both = seconds(apart, ("ALL_REDUCE", "left"), ("ALL_REDUCE", "right"))
    assert both == pytest.approx({0: alone, 1: alone}, rel=1e-3)
    one = seconds(across, ("ALL_REDUCE", "a"))[0]
    three = seconds(across, *(("ALL_REDUCE", name) for name in across))
    assert 2.6 * one < max(three.values()) < 3.3 * one


def test_a_group_in_one_rack_needs_no_spine() -> None:
    groups = {"left": (0, 1, 2, 3)}
    cluster = Cluster(PLAN, groups)
    cluster.begin(Operation(0, "ALL_REDUCE", MEGABYTE, groups["left"], "left"), 0)
    ends_of(cluster)
    assert not cluster.network.links("up")["bytes"].any()


@pytest.mark.parametrize("workers", [4, 5, 8])
def test_a_reduce_scatter_and_an_all_gather_fill_both_directions_together(workers: int) -> None:
    """As in FSDP's backward pass. They take hardly longer than the bytes that each rank sends for both."""
    size = 4 * MEGABYTE
    plan = Plan(workers, 1, Quality(10**9, 1000), size)
    groups = dict.fromkeys(("gather", "scatter"), tuple(range(workers)))
    cluster = Cluster(plan, groups)
    for kind, name, own in ("ALL_GATHER", "gather", size // workers), ("REDUCE_SCATTER", "scatter", size):
        cluster.begin(Operation(len(name), kind, own, groups[name], name), 0)
    both = max(ends_of(cluster).values()) / 1e9
    assert both < 1.1 * int(cluster.network.links("from hosts")["bytes"].max()) / (plan.quality.rate / 8)


def test_a_message_and_a_call_share_a_ranks_link() -> None:
    groups = {"all": tuple(range(8)), "": (0, 5)}
    message, call = (seconds(groups, each)[0] for each in ((SEND, ""), ("ALL_REDUCE", "all")))
    both = seconds(groups, (SEND, ""), ("ALL_REDUCE", "all"))
    assert max(both.values()) == pytest.approx(message + call, rel=0.2)


def test_a_group_without_slots_goes_around_a_ring() -> None:
    """A switch has 4,096."""
    groups = {str(number): (number, number + 1) for number in range(5)}
    calls = [("ALL_REDUCE", name) for name in groups]
    plan = replace(PLAN, racks=1, lanes=1024)
    by_switch, by_ring = (seconds(groups, calls[place], plan=plan)[0] for place in (0, 4))
    assert by_ring == pytest.approx(seconds(groups, calls[0], plan=replace(plan, scheme=Scheme.RING))[0])
    assert by_switch != by_ring


@pytest.mark.parametrize("scheme", [Scheme.DROPZERO, Scheme.RING, Scheme.PARAMETER_SERVER])
def test_sums_of_groups_that_share_bad_links_are_exact(scheme: Scheme) -> None:
    plan = replace(PLAN, quality=BAD, scheme=scheme, density=0.5)
    result = train(plan, llama(2, 4), steps=1)
    assert result.exact
    assert result.simulated == result.operations


def test_a_rank_alone_waits_for_nobody() -> None:
    traces = llama(1, 1)
    assert groups_of(traces) == {"tensor parallel 0": (0,), "data parallel 0": (0,)}
    result = train(replace(PLAN, workers=1, racks=1), traces, steps=1)
    assert (result.simulated, set(result.kinds.values())) == (0, {0.0})


def test_the_smallest_tree_with_some_workers_begins_where_their_paths_meet() -> None:
    shape = Plan(8, 4, PLAN.quality, 4, pods=2).shape
    assert shape.among([0, 1]) == Shape({"leaf0": None}, ["leaf0", "leaf0"])
    assert shape.among([0, 3]) == Shape({"pod0": None, "leaf0": "pod0", "leaf1": "pod0"}, ["leaf0", "leaf1"])
    assert shape.among([*range(8)]) == shape
