"""Processes are killed while workers reduce one array after the other; the others recover."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dropzero.membership.operator_client import Operator
from dropzero.topologies.processes.process import Process, wait
from tests.support.on_hosts import SECONDS, Hosts, hosts
from tests.worker.programs.endurance import CALLS

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

PROGRAM = Path(__file__).parents[1] / "programs" / "endurance.py"
LAST_RESULT = PROGRAM.with_name("last_result.py")
WORKERS = 3


@pytest.fixture(params=["softswitch", "bmv2"])
def network(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hosts]:
    if request.param == "bmv2" and not shutil.which("simple_switch_grpc"):
        pytest.skip("simple_switch_grpc is not on PATH: kills were tried on the embedded switch only")
    with hosts(tmp_path / "net", WORKERS, request.param, loss=0.01) as running:
        yield running


def undisturbed() -> int:
    """The digest of all sums of all workers."""
    draws = [np.random.default_rng(rank) for rank in range(WORKERS)]
    state = np.zeros(2000, np.int32)
    for _ in range(CALLS):
        total = np.zeros_like(state)
        for draw in draws:
            own = draw.integers(-99, 99, state.shape).astype(np.int32) * (draw.random(state.shape) < 0.05)
            total += own.astype(np.int32)
        state = state * np.int32(31) + total
    return int(state.astype(np.int64).sum())


def started(network: Hosts, folder: Path) -> list[Process]:
    """The running workers."""
    processes = network.start(PROGRAM, str(folder))
    deadline = time.monotonic() + SECONDS
    while not all((folder / f"going-{rank}").exists() for rank in range(WORKERS)):
        assert not wait(processes, 0.05), [process.failure_report() for process in processes]
        assert time.monotonic() < deadline
    return processes


def outcome(processes: list[Process], folder: Path) -> set[str]:
    """The final outputs, after something has struck: one element, if all agree."""
    (folder / "struck").touch()
    for process in processes:
        assert wait([process], SECONDS), f"{process.name} does not end"
        assert process.status == 0, process.failure_report()
    return {process.log.read_text() for process in processes}


def test_the_others_finish_without_a_worker_that_was_killed(network: Hosts, tmp_path: Path) -> None:
    processes = started(network, tmp_path)
    os.kill(processes[1].pid, signal.SIGKILL)
    wait([processes[1]], SECONDS)
    (line,) = outcome([processes[0], processes[2]], tmp_path)
    assert line.split()[1:] == ["0", "2"]


def test_the_others_still_get_the_last_result_of_a_worker_that_died(network: Hosts, tmp_path: Path) -> None:
    """They have lost it, and must not repeat that call without the contribution that the other one has counted."""
    first, _, third = network.run(LAST_RESULT, str(tmp_path))
    assert first == third == "(0, 1, 2) {111}\n(0, 1, 2) {111}\n(0, 2) {101}\n"


def test_a_switch_restart_loses_nothing_and_counts_nothing_twice(network: Hosts, tmp_path: Path) -> None:
    processes = started(network, tmp_path)
    network.restart_switch()
    assert outcome(processes, tmp_path) == {f"{undisturbed()} 0 1 2\n"}


def test_workers_do_not_need_the_controller_while_nothing_changes(network: Hosts, tmp_path: Path) -> None:
    processes = started(network, tmp_path)
    network.restart_controller()
    assert outcome(processes, tmp_path) == {f"{undisturbed()} 0 1 2\n"}


def test_a_call_survives_a_link_that_flaps_or_briefly_has_a_small_mtu(network: Hosts, tmp_path: Path) -> None:
    processes = started(network, tmp_path)
    host = network.rack.hosts[1]
    for change, back in (("down", "up"), ("mtu 576", "mtu 1500"), ("down", "up")):
        host.cmd(f"ip link set dev {host.defaultIntf()} {change}")
        with Operator(network.controller) as operator:
            operator.reset(1)
        time.sleep(0.3)
        host.cmd(f"ip link set dev {host.defaultIntf()} {back}")
    assert outcome(processes, tmp_path) == {f"{undisturbed()} 0 1 2\n"}


def test_a_worker_whose_packets_are_dropped_is_removed_although_the_controller_reaches_it(
    network: Hosts, tmp_path: Path
) -> None:
    """Also if the last that this worker heard from the switch is that another one was missing."""
    processes = started(network, tmp_path)
    host = network.rack.hosts[1]
    os.kill(processes[0].pid, signal.SIGSTOP)
    time.sleep(0.5)
    host.cmd(f"ip link set dev {host.defaultIntf()} down")
    os.kill(processes[0].pid, signal.SIGCONT)
    (line,) = outcome([processes[0], processes[2]], tmp_path)
    assert line.split()[1:] == ["0", "2"]
    assert wait([processes[1]], SECONDS)
    assert "its packets do not reach the switch" in processes[1].log.read_text()
