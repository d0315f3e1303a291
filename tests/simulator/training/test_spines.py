"""Several spines: flows by their hash, and trees of groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from dropzero.cli import build
from dropzero.simulator.domain import Domain
from dropzero.simulator.formulas import TCP_EFFICIENCY, Scheme, wire_bytes
from dropzero.simulator.formulas import seconds as least
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from dropzero.simulator.spines import Placement, hashed
from dropzero.simulator.training.cluster import Cluster
from dropzero.simulator.training.schedule import Operation
from dropzero.simulator.training.simulation import train
from dropzero.simulator.training.trace import SEND
from examples.trace.llama import Model, step

RATE = 10**11
PLAN = Plan(8, 4, Quality(RATE, 1000), 4, spines=2, placement=Placement.TURN)
"""Ranks 0 and 1 are on the first of four leaves, and so on."""
Bytes = dict[str, dict[str, int]]
"""Bytes of links, by kind and ends."""
SCHEMES = [Scheme.DROPZERO, Scheme.RING]
MEGABYTE = 10**6
EVEN, ODD = (0, 2, 4, 6), (1, 3, 5, 7)


def calls(kind: str, *groups: Sequence[int], plan: Plan = PLAN, size: int = MEGABYTE) -> tuple[float, Bytes]:
    """The seconds until the calls of groups at the same time are over, and the bytes of all links."""
    cluster = Cluster(plan, {str(number): tuple(ranks) for number, ranks in enumerate(groups)})
    for number, ranks in enumerate(groups):
        cluster.begin(Operation(number, kind, size, tuple(ranks), str(number)), 0)
    end = 0
    while over := cluster.advance(None):
        end = max(end, *(each.time for each in over))
    assert cluster.exact
    carried = cluster.bytes.tolist()
    named = {kind: {ends: carried[number] for ends, number in links.items()} for kind, links in cluster.links.items()}
    return end / 1e9, named


def test_two_groups_on_different_spines_take_the_time_of_one_and_on_the_same_twice_as_long() -> None:
    size = 4 * MEGABYTE
    alone, _ = calls("ALL_REDUCE", EVEN, size=size)
    apart, _ = calls("ALL_REDUCE", EVEN, ODD, size=size)
    together, _ = calls("ALL_REDUCE", EVEN, ODD, plan=replace(PLAN, placement=Placement.FIRST), size=size)
    assert alone == pytest.approx(least(Scheme.DROPZERO, size, 4, RATE), rel=0.06)
    assert apart == pytest.approx(alone, rel=0.01)
    assert together == pytest.approx(2 * alone, rel=0.1)


@pytest.mark.parametrize("placement", Placement)
def test_a_groups_sums_are_on_the_links_of_its_spine(placement: Placement) -> None:
    plan = replace(PLAN, placement=placement, spines=3)
    _, carried = calls("ALL_REDUCE", EVEN, ODD, plan=plan)
    tops = ["spine", "spine1", "spine2"]
    on = [placement.spine(3, plan.seed, number, str(number)) for number in range(2)]
    each = wire_bytes(MEGABYTE, 1, 1)
    for leaf in range(4):
        for number, top in enumerate(tops):
            # The ranks first agree on the size of blocks.
            expected = pytest.approx(on.count(number) * each, rel=0.015)
            assert carried["up"][f"leaf{leaf} to {top}"] == expected
            assert carried["down"][f"{top} to leaf{leaf}"] == expected


def test_a_flow_uses_the_links_of_one_spine_as_its_hash_says() -> None:
    for target in range(2, 8):
        _, carried = calls(SEND, (0, target))
        top = ["spine", "spine1"][hashed(2, PLAN.seed, 0, target, 0)]
        used = {f"leaf0 to {top}", f"{top} to leaf{target // 2}"}
        size = MEGABYTE / TCP_EFFICIENCY
        for ends, number in (carried["up"] | carried["down"]).items():
            assert (number == pytest.approx(size, rel=0.001)) == (ends in used)


def test_a_flow_below_one_leaf_needs_no_spine() -> None:
    _, carried = calls(SEND, (0, 1))
    assert not any((carried["up"] | carried["down"]).values())


def test_a_rings_flows_are_those_of_its_seed() -> None:
    def run(seed: int) -> tuple[float, Bytes]:
        return calls("ALL_REDUCE", range(8), plan=replace(PLAN, scheme=Scheme.RING, seed=seed))

    assert run(1) == run(1)
    ways = {tuple(number > MEGABYTE for number in run(seed)[1]["up"].values()) for seed in range(4)}
    assert len(ways) > 1


@pytest.mark.parametrize("spines", [1, 2, 4])
def test_a_rings_bytes_are_the_formulas_however_many_spines_there_are(spines: int) -> None:
    """Each leaf sends one flow, and answers one."""
    _, carried = calls("ALL_REDUCE", range(8), plan=replace(PLAN, scheme=Scheme.RING, spines=spines))
    each = 2 * 7 / 8 * MEGABYTE / TCP_EFFICIENCY * (1 + 33 / 1514)
    for leaf in range(4):
        up = [number for ends, number in carried["up"].items() if ends.startswith(f"leaf{leaf} ")]
        assert len(up) == spines
        assert sum(up) == pytest.approx(each, rel=0.01)


def test_many_flows_spread_over_the_spines() -> None:
    """Two ranks send six eighths of their vectors up from each leaf."""
    one, four = (
        calls("ALL_TO_ALL", range(8), plan=replace(PLAN, spines=spines), size=8 * MEGABYTE)[1]["up"].values()
        for spines in (1, 4)
    )
    assert max(one) == pytest.approx(2 * 6 * MEGABYTE / TCP_EFFICIENCY * (1 + 33 / 1514), rel=0.01)
    assert sum(four) == pytest.approx(sum(one), rel=0.01)
    assert max(four) < 0.6 * max(one)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("pods", "domain"), [(1, None), (2, None), (1, Domain(2, Quality(10**12, 100)))])
def test_reused_times_and_bytes_with_spines_are_those_of_all_packets(
    scheme: Scheme, pods: int, domain: Domain | None
) -> None:
    plan = replace(PLAN, workers=16, pods=pods, placement=Placement.HASH, scheme=scheme, lanes=64, domain=domain)
    traces = [step(Model(2, 256, 1024, 128, 1e13), rank, 4, 4) for rank in range(16)]
    reused, exact = (train(plan, traces, reuse=reuse) for reuse in (True, False))
    assert reused.exact
    assert exact.exact
    assert exact.simulated == exact.operations > reused.simulated
    assert reused.seconds == pytest.approx(exact.seconds, rel=0.01)
    for kind, each in exact.link_bytes.items():
        assert sum(reused.link_bytes[kind].values()) == pytest.approx(sum(each.values()), rel=0.02)


def test_a_parameter_server_is_reached_through_the_first_spine() -> None:
    _, carried = calls("ALL_REDUCE", EVEN, plan=replace(PLAN, scheme=Scheme.PARAMETER_SERVER))
    assert carried["to hosts"]["spine to server 0"] > 4 * MEGABYTE
    assert not any(number for ends, number in carried["up"].items() if "spine1" in ends)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--spines", "2"], "2 spines need racks"),
        (["--spines", "33", "--racks", "2"], "a network has 1 to 32 spines, not 33"),
        (["--spines", "2", "--racks", "2", "--placement", "best"], "'best' is not one of"),
    ],
)
def test_spines_that_cannot_be_are_errors(options: list[str], message: str) -> None:
    training = ["simulate", "training", "examples/trace/step.et", "--workers", "8", *options]
    done = CliRunner().invoke(build("simulate"), training)
    assert message in str(done.exception) + done.output
    assert done.exit_code != 0
