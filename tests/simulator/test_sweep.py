"""`dropzero sweep`: the points of a grid, each simulated once."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.exceptions import TyperException
from typer.testing import CliRunner, Result

from dropzero.cli import build
from dropzero.simulator.commands.sweep import parse


def sweep(*words: str) -> Result:
    return CliRunner().invoke(build("sweep"), ["sweep", *words])


def test_every_point_is_simulated_once_and_one_that_fails_stops_no_other(tmp_path: Path) -> None:
    words = ["--rate", "1G", "--size", "4kB", "--out", str(tmp_path)]
    done = sweep("workers=2,33", "overlap=full", *words)
    assert done.exit_code == 1
    assert "workers=33,overlap=full: a rack holds up to 32 workers" in done.output
    file = tmp_path / "workers=2,overlap=full.json"
    first = file.stat()
    done = sweep("workers=2,3", "overlap=full", *words)
    assert done.exit_code == 0, done.output
    assert file.stat() == first
    assert json.loads((tmp_path / "workers=3,overlap=full.json").read_text())["workers"] == 3
    with (tmp_path / "sweep.csv").open() as table:
        assert [(row["workers"], row["overlap"], row["exact"]) for row in csv.DictReader(table)] == [
            ("2", "full", "True"),
            ("3", "full", "True"),
        ]
    assert (tmp_path / "sweep.png").stat().st_size

    other = sweep("workers=2,3", "--rate", "2G", "--out", str(tmp_path))
    assert "has a sweep with --rate 1G --size 4kB" in str(other.exception)


def test_a_mistake_does_not_take_the_folder(tmp_path: Path) -> None:
    words = ["workers=2", "--size", "4kB", "--out", str(tmp_path)]
    mistaken = sweep(*words, "--rat", "2G")
    assert mistaken.exit_code == 1
    assert "No such option: --rat" in mistaken.output
    assert sweep(*words, "--rate", "2G").exit_code == 0


def test_a_value_may_be_a_path(tmp_path: Path) -> None:
    policy = "examples/policy/shortest_first.py:ShortestFirst"
    words = [f"policy=first-come,{policy}", "--size", "4kB", "--out", str(tmp_path)]
    for _ in range(2):
        assert sweep(*words).exit_code == 0
    with (tmp_path / "sweep.csv").open() as table:
        assert [row["policy"] for row in csv.DictReader(table)] == ["first-come", policy]


def test_a_file_that_is_no_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "workers=2.json").write_text('{"workers":')
    done = sweep("workers=2", "--size", "4kB", "--out", str(tmp_path))
    assert isinstance(done.exception, TyperException)
    assert str(done.exception).startswith(f"{tmp_path / 'workers=2.json'} is not JSON: ")


def test_a_result_that_cannot_be_written_ends_the_sweep(tmp_path: Path) -> None:
    (tmp_path / "workers=2.part").symlink_to("/dev/full")
    done = sweep("workers=2", "--size", "4kB", "--out", str(tmp_path))
    assert isinstance(done.exception, TyperException)
    assert str(done.exception) == "[Errno 28] No space left on device"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--rate", "1G"], "name an option to vary first"),
        (["workers"], "an option to vary is NAME=VALUE,..., not 'workers'"),
        (["workers=2,"], "not 'workers=2,'"),
        (["workers=2", "workers=3"], "workers is given twice"),
    ],
)
def test_what_is_no_grid_is_refused(words: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse(words)


def test_points_are_simulated_on_a_ray_cluster(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = ["--rate", "1G", "--size", "4kB", "--out", str(tmp_path), "--ray", "local", "--processes", "1"]
    done = sweep("workers=2,33", *words)
    assert "workers=33: a rack holds up to 32 workers" in done.output
    assert json.loads((tmp_path / "workers=2.json").read_text())["exact"]
