"""The files of a run: summary, metrics and plot."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from dropzero.topologies.orchestration.metrics import Metrics, Standing
from dropzero.topologies.orchestration.plan import Hosts, Plan
from dropzero.topologies.orchestration.plot import plot
from dropzero.topologies.orchestration.summary import Summary, comparison
from dropzero.topologies.processes.follower import Follower


def result(rank: int, digest: str = "aa") -> dict[str, Any]:
    return {
        "rank": rank,
        "steps": 10,
        "training_loss": 0.25,
        "test_accuracy": 0.975,
        "retransmissions": rank,
        "seconds": 1.0 + rank,
        "weights_sha256": digest,
    }


def summary(*digests: str, killed: Sequence[int] = ()) -> Summary:
    results = [result(rank, digest) for rank, digest in enumerate(digests)]
    plan = Plan(Hosts(len(digests)), out=Path("nowhere"), seed=7)
    last = Standing(10, loss=0.5, accuracy=None, sent=900, dense=15000, retransmissions=3)
    return Summary.of(results, plan, last, switch="softswitch", uplink=1000, downlink=2000, killed=killed)


def test_the_summary_has_the_keys_that_scripts_rely_on(tmp_path: Path) -> None:
    summary("aa", "aa", "aa").write(tmp_path / "summary.json")
    found = json.loads((tmp_path / "summary.json").read_text())
    parameters, versions = found.pop("parameters"), found.pop("versions")
    assert versions["python"] == platform.python_version()
    assert (parameters["compress"], parameters["seed"], parameters["rate"]) == ("topk(0.1,block=32)+ef", 7, None)
    assert found == {
        "workers": 3,
        "killed": [],
        "racks": 1,
        "switch": "softswitch",
        "steps": 10,
        "training_loss": 0.25,
        "test_accuracy": 0.975,
        "replicas_identical": True,
        "uplink_bytes": 1000,
        "downlink_bytes": 2000,
        "dense_uplink_bytes": 15000,
        "trunk_bytes": 0,
        "retransmissions": 3,
        "seconds": 3.0,
        "weights_sha256": "aa",
    }


def text_of(table: Table) -> str:
    console = Console(file=StringIO(), width=80)
    with console.capture() as shown:
        console.print(table)
    return " ".join(shown.get().split())


def test_the_tables_name_the_workers_that_were_killed_and_the_loss_that_they_show() -> None:
    one, two = summary("aa", "aa", killed=[2]), summary("aa", "aa", killed=[3, 2])
    assert "workers │ 2 of 3 finished; worker 2 was killed │" in text_of(one.table())
    assert "│ 2 of 4 finished; workers 2 and 3 were killed │" in text_of(two.table())
    assert "training loss │ 0.2500" in text_of(one.table())
    several = text_of(comparison([summary("aa", "aa"), two]))
    assert "training" in several
    assert several.endswith("job 2: 2 of 4 finished; workers 2 and 3 were killed")


def test_replicas_with_different_weights_are_not_identical() -> None:
    assert not summary("aa", "aa", "bb").replicas_identical


def test_a_follower_reads_every_line_once_and_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    follower = Follower(path)
    assert follower.new() == []
    path.write_text('{"step": 1}\n{"step"')
    assert follower.new() == ['{"step": 1}']
    assert follower.new() == []
    with path.open("a") as file:
        file.write(': 2}\n{"step": 3}\n')
    assert follower.new() == ['{"step": 2}', '{"step": 3}']
    with path.open("a") as file:
        file.write("\n{")
    assert follower.new(last=True) == ["", "{"]
    assert follower.new(last=True) == []


def write_metrics(folder: Path, rank: int, losses: list[float]) -> None:
    (folder / f"worker-{rank}").mkdir()
    rows = [
        {
            "step": step,
            "loss": loss,
            "accuracy": 0.5 if step == 2 else None,
            "bytes_sent": 100 * step,
            "retransmissions": rank * step,
            "congested": step,
            "window": 10 + rank,
            "densities": f"00{100 * rank:02x}",
        }
        for step, loss in enumerate(losses, 1)
    ]
    (folder / f"worker-{rank}" / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_runs_progress_is_that_of_its_slowest_worker(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path, workers=2, dense_per_step=1000)
    assert metrics.latest() is None
    write_metrics(tmp_path, 0, [4.0, 2.0, 1.0])
    write_metrics(tmp_path, 1, [2.0, 1.0])
    metrics.update()
    latest = metrics.latest()
    assert latest is not None
    assert (latest.step, latest.loss, latest.accuracy) == (2, 1.5, 0.5)
    assert (latest.sent, latest.dense, latest.retransmissions) == (400, 4000, 2)
    assert latest.densities == bytes([0, 50]).hex()
    assert metrics.workers() == [[0, 10, 3, 0], [1, 11, 2, 2]]
    assert [standing.accuracy for standing in metrics.standings()] == [None, 0.5]


def test_a_lost_workers_bytes_and_steps_still_count(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path, workers=2, dense_per_step=1000)
    write_metrics(tmp_path, 0, [4.0, 2.0, 1.0])
    write_metrics(tmp_path, 1, [2.0, 1.0])
    metrics.lose(1)
    metrics.update()
    sent, dense, again = zip(
        *((each.sent, each.dense, each.retransmissions) for each in metrics.standings()), strict=True
    )
    assert sent == (100 + 100, 200 + 200, 300 + 200)
    assert dense == (2000, 4000, 3000 + 2000)
    assert again == (1, 2, 2)
    assert metrics.workers() == [[0, 10, 3, 0]]
    assert [each.loss for each in metrics.standings()] == [4.0, 2.0, 1.0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("last", [1.0, 0.0, math.inf])
def test_the_picture_is_a_png(tmp_path: Path, last: float) -> None:
    metrics = Metrics(tmp_path, workers=1, dense_per_step=1000)
    write_metrics(tmp_path, 0, [4.0, 2.0, last])
    metrics.update()
    assert metrics.spreads() == [(4.0, 4.0), (2.0, 2.0), (last, last)]
    plot(metrics.standings(), tmp_path / "plot.png", "1 worker", metrics.spreads(), kills=[(2, "switch")])
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
