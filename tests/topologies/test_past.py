"""Past runs are listed and compared from the files in their folders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dropzero.topologies.orchestration.metrics import Standing
from dropzero.topologies.orchestration.plan import Hosts, Plan
from dropzero.topologies.orchestration.summary import Summary
from dropzero.topologies.past import app
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.registry.state import State


def run_of(
    folder: Path, *, seconds: float = 1.0, loss: float = 0.0, compress: str = "topk(0.1,block=32)+ef", steps: int = 10
) -> Summary:
    """A run of one worker that sent a tenth of what dense training would."""
    folder.mkdir(parents=True)
    result = {"steps": steps, "training_loss": 0.25, "test_accuracy": 0.975, "seconds": seconds, "weights_sha256": "aa"}
    last = Standing(10, loss=0.5, accuracy=None, sent=900, dense=10000, retransmissions=3)
    plan = Plan(Hosts(1), loss=loss, out=folder, compress=compress, steps=steps)
    summary = Summary.of([result], plan, last, switch="softswitch", uplink=1000, downlink=2000)
    summary.write(folder / "summary.json")
    return summary


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs, the second with two jobs, and unrelated files."""
    run_of(tmp_path / "a")
    run_of(tmp_path / "b" / "job-1", seconds=2.0, loss=0.1)
    run_of(tmp_path / "b" / "job-2")
    (tmp_path / "latest").symlink_to("a")
    (tmp_path / "chaos").mkdir()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "summary.json").write_text("{")
    return tmp_path


def test_each_job_is_listed_once_with_its_options_and_outcome(runs: Path) -> None:
    done = CliRunner().invoke(app, ["runs", str(runs)])
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[0] == ["run", "workers", "compress", "packet", "loss", "steps", "accuracy", "of", "dense", "seconds"]
    assert rows[1:] == [
        ["a", "1", "topk(0.1,block=32)+ef", "0", "10", "0.975", "0.1", "1"],
        ["b/job-1", "1", "topk(0.1,block=32)+ef", "0.1", "10", "0.975", "0.1", "2"],
        ["b/job-2", "1", "topk(0.1,block=32)+ef", "0", "10", "0.975", "0.1", "1"],
    ]
    assert f"skipped {runs}/c/summary.json" in done.stderr


def test_a_run_whose_workers_were_killed_says_how_many_finished(tmp_path: Path) -> None:
    path = tmp_path / "a" / "summary.json"
    run_of(path.parent)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"workers": 3, "killed": [3]}))
    assert " 3 of 4 " in CliRunner().invoke(app, ["runs", str(tmp_path)]).stdout


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setattr("dropzero.console.WIDTH", 80)


@pytest.mark.usefixtures("narrow")
def test_the_list_fits_80_columns(tmp_path: Path) -> None:
    names = [f"20261123-14291{number}.387" for number in range(3)]
    compress = "topk(0.1,block=64)+ef+fixed16"
    for number, name in enumerate(names):
        run_of(tmp_path / name, seconds=15.47, loss=0.02, compress=compress, steps=10**number)
    heading, *lines = CliRunner().invoke(app, ["runs", str(tmp_path)]).stdout.splitlines()
    assert heading.split()[-3:] == ["of", "dense", "seconds"]
    assert max(map(len, lines)) <= 80
    rows = [line.split() for line in lines if not line.startswith(" ")]
    assert [row[:2] + row[-5:] for row in rows] == [
        [name, "1", "0.02", str(10**number), "0.975", "0.1", "15.47"] for number, name in enumerate(names)
    ]
    assert "".join(line[heading.index("compress") : heading.index("packet")].strip() for line in lines) == 3 * compress


@pytest.mark.usefixtures("narrow")
def test_a_comparison_fits_80_columns(tmp_path: Path) -> None:
    for name, steps in (("20261123-142912.387", 3), ("20261123-142913.387", 60)):
        run_of(tmp_path / name, steps=steps)
    folders = [str(each) for each in sorted(tmp_path.iterdir())]
    shown = CliRunner().invoke(app, ["compare", *folders]).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert ["steps", "3", "60", "20", "times"] in [line.split() for line in shown.splitlines()]
    assert "…" not in shown


@pytest.mark.parametrize(
    "content",
    [
        {"seconds": 600, "faults": 12},
        {"steps": 1, "parameters": []},
        {"steps": 1, "parameters": {"faults": 3}},
        {"steps": 1, "workers": 2, "killed": 3},
        {"steps": 1, "uplink_bytes": "3", "dense_uplink_bytes": 1},
    ],
)
def test_summaries_of_other_programs_are_not_listed(tmp_path: Path, content: dict[str, object]) -> None:
    (tmp_path / "chaos").mkdir()
    (tmp_path / "chaos" / "summary.json").write_text(json.dumps(content))
    done = CliRunner().invoke(app, ["runs", str(tmp_path), "--json"])
    assert (done.stdout, done.stderr) == ("[]\n", "")
    compared = CliRunner().invoke(app, ["compare", *2 * [str(tmp_path / "chaos")]])
    assert compared.stderr == f"dropzero: {tmp_path / 'chaos'} has no summary of a run: it is not that of a run\n"


def test_the_list_is_available_as_json(runs: Path) -> None:
    listed = json.loads(CliRunner().invoke(app, ["runs", str(runs), "--json"]).stdout)
    assert [each["run"] for each in listed] == ["a", "b/job-1", "b/job-2"]
    assert listed[1]["parameters"]["loss"] == 0.1


def test_two_runs_are_compared_in_all_values(runs: Path) -> None:
    folders = [str(runs / "a"), str(runs / "b" / "job-1")]
    found = json.loads(CliRunner().invoke(app, ["compare", *folders, "--json"]).stdout)
    assert found.keys() >= Plan().parameters.keys() - {"faults"}
    assert {name: pair for name, pair in found.items() if pair[0] != pair[1]} == {
        "loss": [0.0, 0.1],
        "seconds": [1.0, 2.0],
    }
    shown = CliRunner().invoke(app, ["compare", *folders]).stdout
    changes = {line.split()[0]: line.split()[3:] for line in shown.splitlines()[1:]}
    assert {name: change for name, change in changes.items() if change} == {
        "loss": ["differs"],
        "seconds": ["+100", "%"],
    }


def test_runs_are_found_by_their_names_and_missing_ones_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_of(tmp_path / "runs" / "a")
    (tmp_path / "runs" / "latest").symlink_to("a")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["compare", "latest", "a"]).exit_code == 0
    missing = CliRunner().invoke(app, ["compare", "latest", "X"])
    assert (missing.exit_code, missing.stderr) == (2, "dropzero: there is no run X: `dropzero runs` lists them\n")


def aged(folder: Path, number: int) -> Path:
    """A run's folder; the higher the number, the older."""
    (folder / "pcaps").mkdir(parents=True)
    (folder / "pcaps" / "s1.pcap").write_bytes(bytes(100_000))
    (folder / "topology.json").write_text("{}")
    os.utime(folder / "topology.json", (1000 - number, 1000 - number))
    return folder


@pytest.fixture
def up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the runs 0 to 5, the newest first. 4 is still up; `latest` is 3."""
    monkeypatch.setattr("dropzero.topologies.registry.state.FOLDER", tmp_path / "records")
    for number in range(6):
        aged(tmp_path / "runs" / str(number), number)
    (tmp_path / "runs" / "latest").symlink_to("3")
    (tmp_path / "runs" / "bench").mkdir()
    owner = Identity.of("owner", os.getpid())
    State("four", owner, folder=str(tmp_path / "runs" / "latest" / ".." / "4")).begin()
    return tmp_path / "runs"


def test_pruning_deletes_all_but_the_newest_runs_and_says_what_it_frees(up: Path) -> None:
    planned = CliRunner().invoke(app, ["runs", "prune", str(up), "--keep", "2", "--dry-run"])
    assert len(list(up.iterdir())) == 8
    done = CliRunner().invoke(app, ["runs", "prune", str(up), "--keep", "2"])
    assert planned.stdout.replace("would be ", "") == done.stdout
    first, second, total = done.stdout.splitlines()
    assert first.startswith(f"deleted: {up}/2, 1")
    assert second.startswith(f"deleted: {up}/5, 1")
    assert total.endswith(" kB freed")
    assert sorted(path.name for path in up.iterdir()) == ["0", "1", "3", "4", "bench", "latest"]
    assert (up / "latest").is_dir()
    again = CliRunner().invoke(app, ["runs", "prune", str(up), "--keep", "2"])
    assert again.stdout == f"nothing to delete in {up}\n"


def test_a_list_of_runs_needs_no_subcommand(runs: Path) -> None:
    listed = [CliRunner().invoke(app, ["runs", *words, str(runs)]).stdout for words in ([], ["list"])]
    assert listed[0] == listed[1] != ""


@pytest.mark.parametrize(
    ("command", "complaint"),
    [(["runs", "{}"], "no runs in {}"), (["compare", "{}", "{}"], "dropzero: {} has no summary of a run")],
    ids=["runs", "compare"],
)
def test_a_folder_without_runs_is_named(tmp_path: Path, command: list[str], complaint: str) -> None:
    done = CliRunner().invoke(app, [word.format(tmp_path) for word in command])
    assert complaint.format(tmp_path) in done.stderr
