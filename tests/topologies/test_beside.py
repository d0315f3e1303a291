"""Simultaneous runs: each has its own hosts, switch and controller, and ends alone. Needs root."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.rack import Rack
from dropzero.topologies.processes.identity import Identity
from dropzero.topologies.registry.state import State, clean_crashed
from tests.support.training_runs import expected
from tests.topologies.networks.test_rack import left_of, state_of
from tests.topologies.orchestration.test_run import endless_run

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

DROPZERO = [sys.executable, "-m", "dropzero"]
SLOW = "--rate", "5"
"""Links on which a run trains for long, and leaves the processor to the others."""


def said(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command. Returns its output."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("DROPZERO_")} | environment
    return subprocess.run([*DROPZERO, *words], capture_output=True, text=True, check=False, env=mine)


@dataclass(frozen=True)
class ByHand:
    """A rack whose programs are started by hand, and the commands that it printed."""

    process: subprocess.Popen[str]
    state: State
    commands: list[list[str]]

    @property
    def name(self) -> str:
        return self.state.prefix


@contextmanager
def rack(folder: Path, *options: str) -> Iterator[ByHand]:
    """Starts a rack of two hosts."""
    command = [*DROPZERO, "rack", "--workers", "2", "--out", str(folder), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            commands = [shlex.split(process.stdout.readline()) for _ in range(4)]
            yield ByHand(process, state_of(process.pid), commands)
        finally:
            process.send_signal(signal.SIGTERM)


def start(resources: ExitStack, command: list[str]) -> subprocess.Popen[str]:
    """Starts a command that a rack printed."""
    assert command[0] == "dropzero"
    process = subprocess.Popen([*DROPZERO, *command[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    resources.callback(process.communicate)
    resources.callback(process.kill)
    return process


def await_line(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    pytest.fail(f"it ended and did not say {text}")


@pytest.fixture
def resources() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def test_exec_enters_a_host_of_the_named_run_and_needs_a_name_for_two_runs(tmp_path: Path) -> None:
    name = f"x{os.getpid() % 100_000}"
    with rack(tmp_path / "a") as one, rack(tmp_path / "b", "--name", name) as other:
        assert other.name == name
        for run in (one, other):
            assert all(command[:4] == ["dropzero", "exec", "--run", run.name] for command in run.commands)
            host = os.readlink(f"/proc/{run.state.node('h1').pid}/ns/net")
            words = ("h1", "readlink", "/proc/self/ns/net")
            assert said("exec", "--run", run.name, *words).stdout == f"{host}\n"
            assert said("exec", *words, DROPZERO_RUN=run.name).stdout == f"{host}\n"
        for command in (["exec", "h1", "true"], ["controller", "jobs"], ["controller", "waiting"]):
            asked = said(*command)
            assert asked.returncode == 2
            assert len(asked.stderr.splitlines()) == 1
            assert "runs are up" in asked.stderr
            assert str(one.state) in asked.stderr
            assert str(other.state) in asked.stderr
            assert asked.stderr.endswith("choose one with --run or DROPZERO_RUN\n")
        nowhere = said("exec", "--run", name, "h3", "true")
        assert nowhere.returncode == 2
        assert nowhere.stderr == f"dropzero: the run {name} has no h3; it has h1, h2, s1\n"
        again = said("rack", "--name", name, "--out", str(tmp_path / "c"))
        assert again.returncode == 2
        assert f"the name {name} is in use by a run" in again.stderr


def test_exec_passes_on_all_arguments_after_the_host(tmp_path: Path) -> None:
    with rack(tmp_path) as run:
        words = ("echo", "--run", "x", "-n")
        assert said("exec", "--run", run.name, "h1", *words).stdout == "--run x -n\n"
        assert said("exec", "--run", run.name, "h1", "--", *words).stdout == "--run x -n\n"
        assert said("exec", "--run", run.name, "s1", "printenv", "DROPZERO_RUN").stdout == f"{run.name}\n"


def test_operator_commands_reach_the_runs_switch_and_controller(tmp_path: Path) -> None:
    with (
        Rack(1, tmp_path / "a", kind=SwitchKind.SOFTSWITCH) as empty,
        Rack(1, tmp_path / "b", kind=SwitchKind.SOFTSWITCH) as whole,
    ):
        whole.start_switches()
        whole.start_controller()
        for verb in (("waiting",), ("loss", "show")):
            assert said("controller", *verb, "--run", whole.name).returncode == 0
        assert said("controller", "counters", DROPZERO_RUN=whole.name).returncode == 0
        assert empty.switch.address in said("controller", "jobs", "--run", empty.name).stderr
        assert str(empty.controller_socket) in said("controller", "waiting", "--run", empty.name).stderr
        elsewhere = said("controller", "waiting", "--run", whole.name, DROPZERO_CONTROLLER="unix:/nowhere")
        assert "unix:/nowhere" in elsewhere.stderr
        assert elsewhere.returncode == 2


@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL", "stop"])
def test_guests_of_a_rack_end_with_it_and_are_named(tmp_path: Path, resources: ExitStack, how: str) -> None:
    with rack(tmp_path) as run:
        switch, controller, worker, _ = run.commands
        started = [start(resources, switch)]
        await_line(started[0], "Server listening")
        started.append(start(resources, controller))
        await_line(started[1], "ready")
        started.append(start(resources, worker))
        while len(run.state.guests) < 3:
            assert started[2].poll() is None
        names = [f"dropzero {name} (pid " for name in ("switch on s1", "controller on s1", "worker on h1")]
        bystander = resources.enter_context(subprocess.Popen(["sleep", "1000"]))
        resources.callback(bystander.kill)
        if how == "stop":
            text = said("stop", "--run", run.name).stdout
        else:
            run.process.send_signal(signal.Signals[how])
            text = run.process.communicate()[1]
        if how == "SIGKILL":
            # As a run that starts does. One may have started, and have the name now: stopping that would end it.
            clean_crashed()
        else:
            assert all(name in text for name in names), text
        assert [process.wait() is not None for process in started] == [True] * 3
        assert bystander.poll() is None
        assert left_of(run.state) == []


def test_trace_reads_the_captures_of_the_named_run(tmp_path: Path) -> None:
    with Rack(1, tmp_path / "a", kind=SwitchKind.SOFTSWITCH, pcap=True) as network:
        network.start_switches()
        assert network.pcaps is not None
        absent = said("trace", "audit", "--run", "none")
        assert (absent.returncode, "no run none is up" in absent.stderr) == (2, True)
        shown = said("trace", "show", "--run", network.name)
        assert shown.returncode == 0, shown.stderr
        assert str(network.pcaps) in said("trace", "show", str(network.pcaps / "none"), "--run", network.name).stderr


def test_two_runs_at_once_train_the_same_weights_as_one(tmp_path: Path) -> None:
    with ExitStack() as resources, endless_run(tmp_path / "endless", *SLOW):
        options = ["run", "--no-plot", "--switch", "softswitch", "--workers", "2", "--steps", "12", "--out"]
        runs = [
            resources.enter_context(
                subprocess.Popen([*DROPZERO, *options, str(tmp_path / name)], stderr=subprocess.PIPE, text=True)
            )
            for name in ("one", "other")
        ]
        assert runs
        for run in runs:
            _, errors = run.communicate()
            assert run.returncode == 0, errors
    summaries = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("one", "other")]
    weights = expected(2, 12)
    for summary in summaries:
        assert (summary["steps"], summary["workers"], summary["replicas_identical"]) == (12, 2, True)
        assert summary["weights_sha256"] == weights


def test_stopping_one_of_two_runs_leaves_the_other_training(tmp_path: Path) -> None:
    with (
        endless_run(tmp_path / "one", *SLOW) as (one, first),
        endless_run(tmp_path / "other", *SLOW) as (other, second),
    ):
        stopped = said("stop", "--run", first.prefix)
        assert stopped.stdout == f"stopped {first}\n"
        _, errors = one.communicate()
        assert one.returncode == 128 + signal.SIGTERM, errors
        assert left_of(first) == []
        metrics = tmp_path / "other" / "worker-0" / "metrics.jsonl"
        size = metrics.stat().st_size
        while metrics.stat().st_size == size:
            assert other.poll() is None, other.communicate()
        assert all(process.alive for process in second.processes)
        assert Identity.of("other", other.pid).alive
        other.send_signal(signal.SIGTERM)
        other.communicate()
    assert left_of(second) == []
