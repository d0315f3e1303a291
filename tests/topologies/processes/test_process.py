"""Child processes are watched, and never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dropzero.topologies.processes.errors import RunError
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.processes.process import Process, started_at, stop, until, wait

FOREVER = [sys.executable, "-c", "import signal; print('ready', flush=True); signal.pause()"]


def test_the_ended_process_is_found_among_running_ones(tmp_path: Path) -> None:
    lasting = Process("lasting", FOREVER, tmp_path / "lasting.log")
    brief = Process("brief", ["sh", "-c", "echo last words; exit 3"], tmp_path / "brief.log")
    assert wait([lasting, brief], 60) == [brief]
    assert brief.status == 3
    assert "brief (pid" in brief.failure_report()
    assert "exit status 3" in brief.failure_report()
    assert brief.failure_report().endswith("last words")
    stop([lasting, brief])
    assert lasting.status == -signal.SIGTERM


def test_a_killed_process_is_reported_as_killed(tmp_path: Path) -> None:
    process = Process("target", FOREVER, tmp_path / "log")
    os.kill(process.pid, signal.SIGKILL)
    assert wait([process], 60) == [process]
    assert "killed by signal 9 (SIGKILL)" in process.failure_report()
    stop([process])


def test_a_process_that_ignores_sigterm_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dropzero.topologies.processes.process.GRACE", 0.2)
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); signal.pause()"
    process = Process("deaf", [sys.executable, "-c", deaf], tmp_path / "log")
    until(lambda: process.tail() == ["ready"], process, 60, "not ready")
    stop([process])
    assert process.status == -signal.SIGKILL


def test_waiting_for_a_condition_ends_with_the_process(tmp_path: Path) -> None:
    process = Process("starter", ["sh", "-c", "echo no such interface; exit 2"], tmp_path / "log")
    with pytest.raises(RunError, match=r"exit status 2(.|\n)*no such interface"):
        until(lambda: False, process, 60, "never")
    stop([process])


def test_children_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from dropzero.topologies.processes.process import Process
import signal
print(Process("child", {FOREVER!r}, Path({str(tmp_path / "log")!r})).pid, flush=True)
signal.pause()
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = Identity.of("child", int(parent.stdout.readline()))
        # Before that, the kernel does not know yet that the child should die with its parent.
        while Path(f"/proc/{child.pid}/comm").read_text() == "setpriv\n":
            time.sleep(0.01)
        parent.kill()
    assert child.end(signal.SIGCONT, timeout=600)


def test_an_ended_process_has_no_start_time() -> None:
    with subprocess.Popen(["true"]) as process:
        pass
    assert started_at(process.pid) is None
