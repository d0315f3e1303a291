"""Scale-up domains, and collectives that have stages in them and between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from dropzero.cli import build
from dropzero.simulator.domain import Domain
from dropzero.simulator.formulas import TCP_EFFICIENCY, Scheme, wire_bytes
from dropzero.simulator.formulas import seconds as least
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan
from dropzero.simulator.training.hierarchy import Hierarchy
from dropzero.simulator.training.schedule import Operation
from dropzero.simulator.training.simulation import train
from dropzero.simulator.training.trace import SEND
from examples.trace.llama import Model, step

RATE, INSIDE = 10**11, 10**12
DOMAIN = Domain(4, Quality(INSIDE, 100))
PLAN = Plan(16, 1, Quality(RATE, 1000), 4, domain=DOMAIN)
MEGABYTE = 10**6
ANSWERS = 33 / 1514
"""Every second packet of a message is answered, by 66 bytes."""
SCHEMES = [Scheme.DROPZERO, Scheme.RING]
EVERYBODY = tuple(range(16))


def call(
    kind: str, *groups: Sequence[int], plan: Plan = PLAN, size: int = MEGABYTE
) -> tuple[float, dict[str, list[int]]]:
    """The seconds of the third call of its kind in groups at the same time, and the bytes of its links by kind."""
    medium = Hierarchy(plan, {str(number): tuple(ranks) for number, ranks in enumerate(groups)}, reuse=False)
    begin = 0
    for _ in range(3):
        carried = medium.cluster.bytes
        for number, ranks in enumerate(groups):
            medium.begin(Operation(number, kind, size, tuple(ranks), str(number)), begin)
        while medium.advance(None):
            pass
        took, begin = medium.finished[-1].end - begin, medium.finished[-1].end + 1000
    assert medium.cluster.exact
    carried = medium.cluster.bytes - carried
    return took / 1e9, {kind: carried[links].tolist() for kind, links in medium.cluster.network.kinds.items()}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_all_reduce_in_a_domain_takes_a_rings_formula_with_the_domains_rate(scheme: Scheme) -> None:
    found, carried = call("ALL_REDUCE", range(4, 8), plan=replace(PLAN, scheme=scheme), size=4 * MEGABYTE)
    expected = least(Scheme.RING, 4 * MEGABYTE, 4, INSIDE, latency=200e-9)
    assert expected < found < 1.05 * expected
    each = 1.5 * 4 * MEGABYTE / TCP_EFFICIENCY * (1 + ANSWERS)
    for kind in ("from hosts in domains", "to hosts in domains"):
        assert carried[kind] == pytest.approx([0] * 4 + [each] * 4 + [0] * 8, rel=0.005)
    assert not sum(carried["from hosts"]) + sum(carried["to hosts"])


def test_an_all_reduce_between_domains_takes_the_formulas_of_its_stages() -> None:
    """Reduce-scatter and all-gather in each domain; in between, a quarter on every network card."""
    size = 4 * MEGABYTE
    plans = {scheme: replace(PLAN, scheme=scheme) for scheme in SCHEMES}
    inside = least(Scheme.RING, size, 4, INSIDE, latency=200e-9)
    for scheme, plan in plans.items():
        found, carried = call("ALL_REDUCE", EVERYBODY, plan=plan, size=size)
        expected = inside + least(scheme, size // 4, 4, RATE, latency=2e-6)
        assert expected < found < 1.06 * expected
        each = {
            Scheme.DROPZERO: wire_bytes(size // 4, 1, 1),
            Scheme.RING: 1.5 * size / 4 / TCP_EFFICIENCY * (1 + ANSWERS),
        }[scheme]
        assert carried["from hosts"] == pytest.approx([each] * 16, rel=0.01)
        assert carried["from hosts in domains"] == pytest.approx(
            [1.5 * size / TCP_EFFICIENCY * (1 + ANSWERS)] * 16, rel=0.01
        )


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("kind", "stages"),
    [
        ("ALL_REDUCE", [("REDUCE_SCATTER", "in", 1), ("ALL_REDUCE", "between", 1 / 4), ("ALL_GATHER", "in", 1 / 4)]),
        ("REDUCE_SCATTER", [("REDUCE_SCATTER", "in", 1), ("REDUCE_SCATTER", "between", 1 / 4)]),
        ("ALL_GATHER", [("ALL_GATHER", "between", 1), ("ALL_GATHER", "in", 4)]),
        ("ALL_TO_ALL", [("ALL_TO_ALL", "in", 1), ("ALL_TO_ALL", "between", 1)]),
        ("GATHER", [("GATHER", "in", 1), ("GATHER", "first", 4)]),
        ("SCATTER", [("SCATTER", "first", 1), ("SCATTER", "in", 1 / 4)]),
        ("BROADCAST", [("BROADCAST", "first", 1), ("BROADCAST", "in", 1)]),
        ("REDUCE", [("REDUCE", "in", 1), ("REDUCE", "first", 1)]),
        ("BARRIER", [("BARRIER", "in", 1), ("BARRIER", "first", 1), ("BARRIER", "in", 1)]),
    ],
)
def test_a_call_between_domains_takes_the_sum_of_its_stages(
    kind: str, stages: list[tuple[str, str, float]], scheme: Scheme
) -> None:
    plan = replace(PLAN, scheme=scheme)
    places = [range(place, 16, 4) for place in range(4)]
    groups = {"in": [range(4)], "between": places, "first": places[:1]}
    alone = sum(call(stage, *groups[who], plan=plan, size=round(MEGABYTE * share))[0] for stage, who, share in stages)
    assert call(kind, EVERYBODY, plan=plan)[0] == pytest.approx(alone, rel=0.01)


@pytest.mark.parametrize(("target", "rate", "delay"), [(5, INSIDE, 100), (8, RATE, 1000)])
def test_a_message_goes_through_a_domain_or_the_network(target: int, rate: int, delay: int) -> None:
    found, carried = call(SEND, (4, target))
    expected = MEGABYTE / (rate / 8 * TCP_EFFICIENCY) + 2 * delay / 1e9
    assert expected < found < 1.05 * expected
    assert bool(sum(carried["from hosts in domains"])) == (rate == INSIDE) != bool(sum(carried["from hosts"]))


def test_a_group_with_one_rank_in_each_domain_takes_as_long_as_without_domains() -> None:
    group = range(1, 16, 4)
    for scheme in SCHEMES:
        plan = replace(PLAN, scheme=scheme)
        assert call("ALL_REDUCE", group, plan=plan)[0] == call("ALL_REDUCE", group, plan=replace(plan, domain=None))[0]


def test_a_group_with_more_ranks_in_one_domain_than_in_another_has_no_stages() -> None:
    _, carried = call("ALL_REDUCE", [0, 1, 4])
    assert carried["from hosts"] == pytest.approx(
        [wire_bytes(MEGABYTE, 1, 1) * (rank in (0, 1, 4)) for rank in EVERYBODY], rel=0.01
    )
    _, carried = call("ALL_REDUCE", [0, 1, 4], plan=replace(PLAN, scheme=Scheme.RING))
    sent = 4 / 3 * MEGABYTE / TCP_EFFICIENCY * (1 + ANSWERS)
    assert np.array(carried["from hosts"])[[0, 1, 4]] == pytest.approx([sent] * 3, rel=0.01)
    assert not sum(carried["from hosts in domains"])


def test_a_domain_loses_nothing_and_needs_no_core() -> None:
    bad = replace(PLAN, quality=Quality(RATE, 1000, loss=0.01, duplicate=0.01, reorder=0.01), cost=1000)
    assert call("ALL_REDUCE", range(4), plan=bad)[0] == call("ALL_REDUCE", range(4))[0]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("racks", [1, 2])
def test_reused_times_and_bytes_of_stages_are_those_of_all_packets(scheme: Scheme, racks: int) -> None:
    """Tensor parallel groups span two domains."""
    plan = replace(PLAN, racks=racks, scheme=scheme, lanes=64, domain=replace(DOMAIN, ranks=2))
    traces = [step(Model(2, 256, 1024, 128, 1e13), rank, 4, 4) for rank in range(16)]
    reused, exact = (train(plan, traces, reuse=reuse) for reuse in (True, False))
    assert reused.exact
    assert exact.exact
    assert exact.simulated == exact.operations > reused.simulated
    assert reused.seconds == pytest.approx(exact.seconds, rel=0.01)
    for kind, each in exact.link_bytes.items():
        assert sum(reused.link_bytes[kind].values()) == pytest.approx(sum(each.values()), rel=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--domain", "3"], "domains of 3 ranks cannot share 8 workers equally"),
        (["--domain", "400"], "a domain has 2 to 299 ranks, not 400"),
        (["--domain", "4", "--domain-rate", "0"], "links need a rate above 0"),
        (["--domain", "4", "--domain-delay", "fast"], "'fast' is not a number with one of the units"),
    ],
)
def test_domains_that_cannot_be_are_errors(options: list[str], message: str) -> None:
    training = ["simulate", "training", "examples/trace/step.et", "--workers", "8", *options]
    done = CliRunner().invoke(build("simulate"), training)
    assert message in str(done.exception) + done.output
    assert done.exit_code != 0
