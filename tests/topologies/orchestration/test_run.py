"""Complete runs train; whatever happens, they end and leave a clean machine."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from dropzero.topologies.orchestration.bring_up import explained
from dropzero.topologies.registry.state import State
from tests.topologies.networks.test_rack import left_of, state_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

TIMEOUT = 240
COMMAND = [sys.executable, "-m", "dropzero", "run", "--switch", "softswitch"]


def test_a_run_trains_identical_replicas_and_reports_it(tmp_path: Path) -> None:
    out = tmp_path / "first"
    command = [*COMMAND, "--workers", "3", "--steps", "12", "--density", "0.1", "--pcap", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr
    assert "step 12/12" in done.stdout
    summary = json.loads((tmp_path / "latest" / "summary.json").read_text())
    assert summary["workers"] == 3
    assert summary["switch"] == "softswitch"
    assert summary["steps"] == 12
    assert summary["replicas_identical"] is True
    # A busy machine sends some packets again, of 1514 bytes at most.
    again = 1514 * summary["retransmissions"]
    assert 0 < summary["uplink_bytes"] < 0.25 * summary["dense_uplink_bytes"] + again
    assert (out / "plot.png").exists()
    assert len((out / "worker-2" / "metrics.jsonl").read_text().splitlines()) == 12
    assert len(list((out / "pcaps").glob("*.pcap"))) == 2 * 3


@contextmanager
def endless_run(out: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], State]]:
    """A run of two workers during training, and its record."""
    command = [*COMMAND, "--workers", "2", "--steps", "1000000", "--out", str(out), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + TIMEOUT
            ended = select.poll()
            ended.register(os.pidfd_open(process.pid), select.POLLIN)
            metrics = [out / f"worker-{rank}" / "metrics.jsonl" for rank in range(2)]
            while not all(path.exists() and path.stat().st_size for path in metrics):
                assert not ended.poll(50), process.communicate()
                assert time.monotonic() < deadline
            yield process, state_of(process.pid)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("worker 1", signal.SIGKILL),
        ("switch s1", signal.SIGKILL),
        ("switch s1", signal.SIGTERM),
        ("the controller", signal.SIGKILL),
    ],
)
def test_when_a_program_dies_the_run_ends_and_names_it(tmp_path: Path, target: str, wanted: signal.Signals) -> None:
    with endless_run(tmp_path / "run") as (process, state):
        pid = next(each.pid for each in state.processes if each.name == target)
        os.kill(pid, wanted)
        _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 1
    assert errors.startswith(f"dropzero: {target} (pid {pid}) ")
    if wanted is signal.SIGKILL:
        assert "was killed by signal 9 (SIGKILL)" in errors
    assert len(re.findall(r"\(pid \d+\)", errors)) == 1
    assert left_of(state) == []


@pytest.mark.parametrize("wanted", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_asked_to_end_cleans_up(tmp_path: Path, wanted: signal.Signals) -> None:
    with endless_run(tmp_path / "run") as (process, state):
        process.send_signal(wanted)
        _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 128 + wanted
    assert errors == f"dropzero: stopped by {wanted.name}; cleaned up\n"
    over = json.loads((tmp_path / "run" / "samples.jsonl").read_text().splitlines()[-1])["over"]
    assert over == {"error": f"interrupted by signal {wanted.value}"}
    assert left_of(state) == []


def test_a_run_does_not_mix_its_files_with_those_of_another(tmp_path: Path) -> None:
    (tmp_path / "summary.json").touch()
    command = [*COMMAND, "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 2
    assert "a folder of its own" in done.stderr


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--colour"], "No such option: --colour"),
        (["--workers", "241"], "Invalid value for '--workers'"),
        (["--density", "0"], "Invalid value for '--density'"),
        (["--switch", "tofino"], "Invalid value for '--switch'"),
        (["--steps", "many"], "Invalid value for '--steps'"),
        (["--duplicate", "2"], "Invalid value for '--duplicate'"),
        (["--reorder", "0.1"], "--reorder needs --delay: packets overtake others by skipping the delay"),
    ],
)
def test_a_wrong_option_prints_one_line_and_exits_with_2(options: list[str], complaint: str) -> None:
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("slow", [True, False])
def test_a_slow_start_gives_its_reason_once(slow: bool) -> None:
    console = Console(record=True, file=StringIO(), width=200)
    with explained(console, 0 if slow else 1e6):
        while slow and not console.export_text(clear=False):
            time.sleep(0.001)
    assert console.export_text().count("code is compiled when it first runs on a machine") == slow
