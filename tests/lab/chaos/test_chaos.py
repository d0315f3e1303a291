"""A short run from the command line: many faults, and no problem. Needs root."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.chaos.stage.schedule import Schedule

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

SEED = 20


def test_nothing_goes_wrong_while_workers_links_switch_and_controller_fail(tmp_path: Path) -> None:
    out = tmp_path / "chaos"
    command = [
        sys.executable,
        "-m",
        "lab.chaos",
        "--minutes",
        "0.35",
        "--seed",
        str(SEED),
        "--workers",
        "3",
        "--racks",
        "1",
    ]
    done = subprocess.run([*command, "--out", str(out)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((out / "summary.json").read_text())
    assert summary["seed"] == SEED
    assert summary["collectives"] > 50
    assert summary["faults"] > 3
    assert [summary[name] for name in ("wrong", "differing", "hung", "left_behind")] == [0, 0, 0, 0]


def test_a_seed_determines_the_faults() -> None:
    assert Schedule(1).stage(3) == Schedule(1).stage(3)
    assert Schedule(1).stage(3) != Schedule(2).stage(3)


def test_an_unknown_kind_of_fault_is_refused_with_exit_status_2() -> None:
    command = [sys.executable, "-m", "lab.chaos", "--kind", "earthquake"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Error: Invalid value: earthquake: kinds are stop-worker, " in done.stderr
