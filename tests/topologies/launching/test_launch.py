"""Users' own commands on all hosts of a network, and their outcomes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dropzero.topologies.launching.outcome import Outcome, digest
from dropzero.topologies.processes.process import started_at
from tests.topologies.networks.test_rack import left_of, state_of

root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
LAUNCH = [sys.executable, "-m", "dropzero", "launch", "--switch", "softswitch", "--workers", "2"]

SUM = """
import os, socket
import numpy as np
import dropzero
with dropzero.connect() as network:
    total = network.all_reduce(np.full(2, 1 + network.rank, np.int32))
    print(socket.gethostname(), os.environ["DROPZERO_RUN"], total)
    print("parameters: sha256 0123456789abcdef")
"""


def outcome(*digests: str | None) -> Outcome:
    return Outcome(["true"], {}, len(digests), 1, "softswitch", [0] * len(digests), 1.0, 1, 1, 0, 1, [*digests])


@pytest.mark.parametrize(("digests", "identical"), [(("ab", "ab"), True), (("ab", "ac"), False), (("ab", None), None)])
def test_replicas_are_identical_if_all_print_the_same_digest(
    tmp_path: Path, digests: tuple[str | None, ...], identical: bool | None
) -> None:
    outcome(*digests).write(tmp_path / "summary.json")
    assert json.loads((tmp_path / "summary.json").read_text())["replicas_identical"] is identical


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("", None),
        ("rank 0 sha256 0123456789abcdef", "0123456789abcdef"),
        ("sha256: 01234567\nnothing\nsha256=89abcdef", "89abcdef"),
        ("xsha256 01234567, sha256 what", None),
    ],
)
def test_the_last_printed_digest_counts(tmp_path: Path, said: str, found: str | None) -> None:
    (tmp_path / "log").write_text(said)
    assert digest(tmp_path / "log") == found


@root
def test_a_command_runs_on_every_host_and_joins_without_an_argument(tmp_path: Path) -> None:
    script, out = tmp_path / "my.py", tmp_path / "run"
    script.write_text(SUM)
    command = [*LAUNCH, "--out", str(out), "--", "python", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 programs succeeded" in done.stderr
    for rank in range(2):
        assert re.search(rf"^\[{rank}\] h{rank + 1} \w+ \[3 3\]$", done.stdout, re.MULTILINE)
        assert f"h{rank + 1}" in (out / "logs" / f"worker-{rank}.log").read_text()
    summary = json.loads((out / "summary.json").read_text())
    assert summary["exit_statuses"] == [0, 0]
    assert summary["replicas_identical"] is True
    assert summary["uplink_bytes"] > 0
    assert summary["downlink_bytes"] > 0
    assert 0 < summary["summed_bytes"] < summary["uplink_bytes"]


@root
def test_a_switch_that_added_up_nothing_is_a_warning(tmp_path: Path) -> None:
    command = [*LAUNCH, "--out", str(tmp_path / "run"), "ping", "-c", "1", "h2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *_, warning, last = done.stderr.splitlines()
    assert warning == "warning: the switch added up nothing: no program called a collective of dropzero"
    assert "added up in the switch 0 bytes" in last


@root
def test_when_one_fails_the_others_are_ended_and_it_is_named(tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = tmp_path / "first"
    script = (
        f"echo started; [ $DROPZERO_RANK = 0 ] && touch {first} && exec sleep 1000; "
        f"until [ -e {first} ]; do sleep 0.1; done; exit 3"
    )
    done = subprocess.run([*LAUNCH, "--out", str(out), "sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert sorted(done.stdout.splitlines()) == ["[0] started", "[1] started"]
    log = out / "logs" / "worker-1.log"
    line = rf"dropzero: worker 1 on h2 \(pid \d+\) ended with exit status 3; its output is in {log}"
    assert re.fullmatch(line, done.stderr.splitlines()[-1])
    summary = json.loads((out / "summary.json").read_text())
    assert summary["exit_statuses"] == [-signal.SIGTERM, 3]


@root
def test_ctrl_c_ends_even_processes_that_left_their_group(tmp_path: Path) -> None:
    command = [*LAUNCH, "--out", str(tmp_path / "run"), "sh", "-c", "setsid sleep 1000 & echo $!; wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        strays = [int(process.stdout.readline().split()[1]) for _ in range(2)]
        state = state_of(process.pid)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode == 128 + signal.SIGINT
    assert errors.endswith("dropzero: stopped by SIGINT; cleaned up\n")
    assert left_of(state) == []
    assert not [pid for pid in strays if started_at(pid) is not None]


@root
@pytest.mark.parametrize("kilobytes", [0, 24], ids=["at the start", "at the end"])
def test_a_full_disk_ends_a_launch_with_one_line(tmp_path: Path, kilobytes: int) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], check=True)
    try:
        (tmp_path / "other").write_bytes(bytes((64 - kilobytes) << 10))
        command = ["sh", "-c", f"head -c 64k /dev/zero > {tmp_path}/other"]
        done = subprocess.run(
            [*LAUNCH, "--out", str(tmp_path / "run"), *command], capture_output=True, text=True, check=False
        )
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)
    assert done.returncode == 1
    assert done.stderr.endswith(f"dropzero: no space left in {tmp_path}/run\n")
    assert "Traceback" not in done.stderr
    assert ("2 hosts, switch softswitch" in done.stderr) == bool(kilobytes)


@root
def test_output_that_the_terminal_cannot_show_does_not_end_a_launch(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.stdout.reconfigure(encoding='utf-8'); print('\u65e5 100 %')"]
    done = subprocess.run(
        [*LAUNCH, "--out", str(tmp_path / "run"), *command],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["[0] ? 100 %", "[1] ? 100 %"]


@root
def test_an_unknown_command_is_named_before_anything_starts(tmp_path: Path) -> None:
    done = subprocess.run(
        [*LAUNCH, "--out", str(tmp_path / "run"), "pyton"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, "dropzero: there is no command pyton\n")
    assert not (tmp_path / "run").exists()
