"""Training continues after kill -9 of a worker, a switch, or the controller. Needs root."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.processes.process import until
from tests.support.training_runs import expected, train

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

STEPS = 60

DELAY = 5
"""ms. The training takes seconds, so that it is under way when something is killed."""


def test_restarts_of_a_switch_and_the_controller_change_no_weight(tmp_path: Path, switch: str) -> None:
    """The switch is a leaf of two racks. The second controller's log shows both: it found the first one's jobs, and
    lost the switch."""
    kill = ("--kill", "controller", "--kill", "switch")
    # BMv2 cannot delay packets, and takes long enough without.
    delay = 0 if switch == "bmv2" else DELAY
    (summary,) = train(tmp_path / "run", *kill, workers=4, racks=2, steps=STEPS, delay=delay, switch=switch)
    log = (tmp_path / "run" / "logs" / "controller.log").read_text()
    assert "found with 4 workers" in log
    assert "waiting for it" in log
    assert summary["replicas_identical"] is True
    assert summary["weights_sha256"] == expected(4, STEPS)


def test_workers_with_rings_continue_after_a_restart_of_the_switch(tmp_path: Path) -> None:
    """They use the interface until the switch is back, and have rings again then."""
    options = {"workers": 2, "steps": STEPS, "delay": 1, "switch": "softswitch", "ports": "shm"}
    (summary,) = train(tmp_path / "run", "--kill", "switch", **options)
    assert summary["weights_sha256"] == expected(2, STEPS)
    log = (tmp_path / "run" / "logs" / "s1.log").read_text()
    assert "Port 1: rings for 10.0.0.1" in log
    assert "Port 2: rings for 10.0.0.2" in log


@pytest.mark.parametrize("racks", [1, 2])
def test_when_a_worker_is_killed_the_others_finish_with_the_same_weights(tmp_path: Path, racks: int) -> None:
    options = {"workers": 4, "racks": racks, "steps": STEPS, "delay": DELAY, "switch": "softswitch"}
    (summary,) = train(tmp_path / "run", "--kill", "worker", **options)
    assert summary["workers"] == 3
    assert summary["steps"] == STEPS
    assert summary["replicas_identical"] is True
    assert summary["test_accuracy"] > 0.9


def test_two_switches_killed_at_once_are_set_up_again(tmp_path: Path, switch: str) -> None:
    with Racks(2, 1, tmp_path, kind=SwitchKind(switch)) as racks:
        racks.start_switches()
        controller = racks.start_controller()
        leaves = racks.switches[:2]
        for leaf in leaves:
            assert leaf.process is not None
            leaf.process.signal(signal.SIGKILL)
            leaf.process.reap()
        until(lambda: controller.log.read_text().count("waiting for it") == 2, controller, 60, "both are missed")
        racks.start_switches(leaves)
        until(lambda: controller.log.read_text().count("is back") == 2, controller, 60, "both are set up again")
        assert "1 received" in racks.hosts[0].cmd("ping -c 1 -W 60 10.0.0.2")
