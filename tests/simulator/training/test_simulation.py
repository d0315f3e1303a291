"""Steps of training in virtual time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dropzero.cli import build
from dropzero.simulator import network
from dropzero.simulator.formulas import Kind, Scheme, collective_seconds
from dropzero.simulator.kernel.links import Quality
from dropzero.simulator.simulation import Plan, Simulation
from dropzero.simulator.training.chakra_pb2 import CollectiveType
from dropzero.simulator.training.simulation import SoFar, compute_seconds, load, train
from dropzero.simulator.training.trace import Node, Trace, TraceError, write

PLAN = Plan(4, 1, Quality(10**10, 1000), 4)
STEP = Trace(
    [
        Node(0, "backward 2", duration=1_000_000),
        Node(1, "sum 2", (0,), collective="ALL_REDUCE", size=400_000),
        Node(2, "backward 1", (0,), 100_000),
        Node(3, "sum 1", (2,), collective="ALL_REDUCE", size=100_000),
        Node(4, "update", (1, 3), 50_000),
    ]
)


@pytest.mark.parametrize("scheme", [Scheme.DROPZERO, Scheme.RING, Scheme.PARAMETER_SERVER])
def test_all_reduces_take_the_time_that_they_take_alone(scheme: Scheme) -> None:
    """The sums hide behind nothing but 0.1 ms of the first, and follow each other."""
    result = train(replace(PLAN, scheme=scheme), [STEP] * 4, steps=1)
    assert result.exact
    span = {node.name: (begin, end) for node, begin, end in result.spans}
    assert span["backward 2"] == (0, 1_000_000)
    assert span["backward 1"] == (1_000_000, 1_100_000)
    assert span["sum 2"][0] == 1_000_000
    assert span["sum 1"][0] >= span["sum 2"][1] > span["backward 1"][1]
    assert span["update"] == (span["sum 1"][1], span["sum 1"][1] + 50_000)
    assert result.seconds >= 0.00105 + result.kinds["ALL_REDUCE"] - 1e-9


def test_its_progress_grows_until_all_operations_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "LOOK", 1000)
    seen: list[SoFar] = []
    step = Trace([*STEP.nodes, Node(5, "again", (4,), collective="ALL_GATHER", size=1000)])
    train(PLAN, [step] * 4, 2, seen.append, reuse=False)
    assert seen == sorted(seen)
    assert [dict.fromkeys(each.operations for each in seen), {each.total for each in seen}] == [
        dict.fromkeys(range(7)),
        {6},
    ]
    assert len({each.seconds for each in seen}) > 10


def test_the_first_all_reduce_takes_as_long_as_one_without_training() -> None:
    alone = Simulation(replace(PLAN, size=400_000)).run().seconds
    result = train(PLAN, [Trace(STEP.nodes[:2])] * 4, steps=1)
    assert result.kinds["ALL_REDUCE"] == pytest.approx(alone, rel=1e-4)


@pytest.mark.parametrize("kind", sorted({*CollectiveType.keys()} - {"ALL_REDUCE", "REDUCE_SCATTER_BLOCK"}))
def test_every_collective_of_a_ring_takes_about_the_time_of_its_formula(kind: str) -> None:
    step = Trace([Node(0, "call", collective=kind, size=0 if kind == "BARRIER" else 1_000_000)])
    expected = collective_seconds(kind, step.nodes[0].size, 4, 1e10, PLAN.latency)
    found = train(replace(PLAN, scheme=Scheme.RING), [step] * 4)
    assert found.exact
    assert expected <= found.seconds < 1.15 * expected


@pytest.mark.parametrize("kind", ["ALL_GATHER", "REDUCE_SCATTER", "BROADCAST", "REDUCE", "BARRIER"])
def test_the_switch_carries_out_what_it_can(kind: str) -> None:
    step = Trace([Node(0, "call", collective=kind, size=0 if kind == "BARRIER" else 1_000_000)])
    call = Kind(kind.lower().replace("_", "-"))
    plan = replace(PLAN, size=4_000_000 if call is Kind.ALL_GATHER else 1_000_000, call=call)
    assert train(PLAN, [step] * 4, steps=1).seconds == pytest.approx(Simulation(plan).run().seconds, rel=0.01)


def test_without_communication_a_step_takes_what_it_computes() -> None:
    assert compute_seconds([STEP] * 4) == compute_seconds([STEP] * 4, steps=3) == 0.00115


def test_a_pipeline_waits_for_its_messages_alone() -> None:
    """In the second step, each stage computes while the other does."""
    first = Trace([Node(0, "stage 0", duration=20_000), Node(1, "out", (0,), collective="SEND", size=1000, peer=1)])
    second = Trace([Node(0, "in", collective="RECEIVE", size=1000), Node(1, "stage 1", (0,), 20_000)])
    computing = compute_seconds([first, second], steps=2)
    assert computing == 20e-6 < train(replace(PLAN, workers=2), [first, second], steps=2).seconds


def test_ranks_may_have_traces_of_their_own(tmp_path: Path) -> None:
    slow = Trace([replace(STEP.nodes[0], duration=3_000_000), *STEP.nodes[1:]])
    for rank, trace in enumerate([STEP, STEP, slow]):
        write(tmp_path / f"step.{rank}.et", trace)
    traces = load(tmp_path / "step", 3)
    assert traces[2] == slow
    assert train(replace(PLAN, workers=3), traces).seconds > 0.003


def test_traces_of_more_ranks_than_workers_are_refused(tmp_path: Path) -> None:
    for rank in range(4):
        write(tmp_path / f"step.{rank}.et", STEP)
    with pytest.raises(TraceError, match=r"step\.3\.et is the trace of one more rank, and there are 3 workers"):
        load(tmp_path / "step", 3)


def test_the_command_compares_the_switch_with_a_ring(tmp_path: Path) -> None:
    write(tmp_path / "step.et", STEP)
    options = ["training", str(tmp_path / "step.et"), "--workers", "4", "--rate", "10G"]
    written = ["--json", str(tmp_path / "step.json"), "--figure", str(tmp_path / "step.png")]
    done = CliRunner().invoke(build("simulate"), ["simulate", *options, *written])
    assert done.exit_code == 0, done.output
    result = json.loads((tmp_path / "step.json").read_text())
    switch, ring = (result["schemes"][name] for name in ("dropzero", "ring"))
    assert result["compute_seconds"] < switch["step_seconds"] < ring["step_seconds"]
    assert (tmp_path / "step.png").stat().st_size > 1000


def test_the_command_runs_groups_that_the_traces_or_a_file_name(tmp_path: Path) -> None:
    for rank in range(4):
        nodes = [
            Node(0, "pair", collective="ALL_GATHER", size=1000, group=f"pair {rank // 2}"),
            Node(1, "all", (0,), collective="BARRIER"),
        ]
        write(tmp_path / f"step.{rank}.et", Trace(nodes))
    options = ["simulate", "training", str(tmp_path / "step"), "--workers", "4", "--exact", "--json"]
    groups = tmp_path / "groups.json"
    groups.write_text('{"pair 0": [0, 1], "pair 1": [3, 2]}')
    for more in ([], ["--groups", str(groups)]):
        done = CliRunner().invoke(build("simulate"), [*options, str(tmp_path / "result.json"), *more])
        assert done.exit_code == 0, done.output
        result = json.loads((tmp_path / "result.json").read_text())["schemes"]["dropzero"]
        assert set(result["kind_seconds"]) == {"ALL_GATHER", "BARRIER"}
        assert result["simulated"] == result["operations_between_ranks"] == 2 * 3


@pytest.mark.parametrize("content", ["[1]", '{"a": []}', '{"a": [true]}', "?"])
def test_a_file_without_groups_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "groups.json").write_text(content)
    write(tmp_path / "step.et", STEP)
    options = ["training", str(tmp_path / "step.et"), "--groups", str(tmp_path / "groups.json")]
    done = CliRunner().invoke(build("simulate"), ["simulate", *options])
    assert "is not a JSON object with a list of ranks" in str(done.exception) + done.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["training", "step.et", "--size", "1MB"], "No such option: --size"),
        (["--steps", "3"], "No such option: --steps"),
        (["training", "/nowhere"], "No such file"),
    ],
)
def test_options_of_the_other_simulations_are_errors(options: list[str], message: str) -> None:
    done = CliRunner().invoke(build("simulate"), ["simulate", *options])
    assert message in str(done.exception) + done.output
    assert done.exit_code != 0
