"""Racks under a spine: a network of several switches that trains as one switch does. Needs root."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.topologies.test_rack import left_of
from tests.topologies.training import train
from topologies.errors import SetupError
from topologies.kind import Kind
from topologies.racks import Racks
from topologies.state import states
from traces.capture import captures

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

STEPS = 12


@pytest.fixture(scope="module")
def on_one_rack(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Two jobs of four workers, at the same time, on one switch."""
    return train(tmp_path_factory.mktemp("one") / "run", workers=4, jobs=2, steps=STEPS, switch="softswitch")


def test_the_tree_is_what_controllers_read_and_goes_without_a_trace(tmp_path: Path) -> None:
    with Racks(2, 2, tmp_path, kind=Kind.SOFTSWITCH, rate=100, trunk_rate=200) as racks:
        topology = json.loads(racks.topology.read_text())
        assert list(topology["hosts"]) == ["h1", "h2", "h3", "h4"]
        assert list(topology["switches"]) == ["s1", "s2", "s3"]
        assert topology["links"][-3:] == [["h4", "s2-p2"], ["s1-p3", "s3-p1"], ["s2-p3", "s3-p2"]]
        assert [[host.name for host in rack] for rack in racks.racks] == [["h1", "h2"], ["h3", "h4"]]
        for switch, port, rate in ((0, 1, 100), (0, 3, 200), (2, 1, 200)):
            leaf = racks.switches[switch]
            assert f"rate {rate}Mbit ceil {rate}Mbit" in leaf.cmd(f"tc class show dev {leaf.intfs[port].name}")
        state = next(state for state in states() if racks.switches[0].intfs[1].name in state.interfaces)
        racks.start_switches()
    assert left_of(state) == []


def test_hosts_reach_each_other_across_the_racks_and_every_switch(tmp_path: Path, switch: str) -> None:
    with Racks(2, 1, tmp_path, kind=Kind(switch)) as racks:
        racks.start_switches()
        racks.start_controller()
        for address in ("10.0.0.2", "10.0.0.254", "10.0.0.253", "10.0.0.252"):
            assert "1 received" in racks.hosts[0].cmd(f"ping -c 1 -W 10 {address}")


def test_two_racks_train_the_weights_of_one_and_jobs_side_by_side_those_of_one_alone(
    tmp_path: Path, on_one_rack: list[dict[str, Any]]
) -> None:
    (alone,) = train(tmp_path / "run", workers=4, racks=2, steps=STEPS, switch="softswitch")
    summaries = [alone, *on_one_rack]
    assert all(summary["replicas_identical"] for summary in summaries)
    assert len({summary["weights_sha256"] for summary in summaries}) == 1


def test_loss_anywhere_in_the_tree_changes_nothing_but_the_time(
    tmp_path: Path, switch: str, on_one_rack: list[dict[str, Any]]
) -> None:
    (summary,) = train(tmp_path / "run", workers=4, racks=2, steps=STEPS, switch=switch, loss=0.02)
    assert summary["retransmissions"] > 0
    assert summary["weights_sha256"] == on_one_rack[0]["weights_sha256"]


def test_a_rack_sends_one_stream_to_the_spine_not_one_a_worker(tmp_path: Path) -> None:
    """Four racks of four. Each leaf sends one packet for those of its workers."""
    (summary,) = train(tmp_path / "run", "--pcap", workers=16, racks=4, steps=3, switch="softswitch")
    assert summary["replicas_identical"] is True
    through = {f"{capture.interface}_{capture.direction}": capture for capture in captures(tmp_path / "run" / "pcaps")}
    (prefix,) = {name.partition("s")[0] for name in through}
    for leaf in range(1, 5):
        worker, rack = (
            [(packet.lane, packet.round) for packet in through[f"{prefix}s{leaf}-{name}"].packets()]
            for name in ("eth1_in", "eth5_out")
        )
        assert set(worker) == set(rack)
        assert len(rack) <= len(set(rack)) + summary["retransmissions"]


@pytest.mark.parametrize(("racks", "hosts"), [(1, 2), (14, 1), (2, 0), (13, 20)])
def test_more_than_there_are_addresses_for_is_refused(tmp_path: Path, racks: int, hosts: int) -> None:
    with pytest.raises(SetupError, match=f"not {racks} of {hosts}"):
        Racks(racks, hosts, tmp_path)


def test_workers_that_the_racks_cannot_share_out_evenly_are_refused(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "dropzero",
        "run",
        "--racks",
        "2",
        "--workers",
        "3",
        "--out",
        str(tmp_path / "run"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == "dropzero: 3 workers cannot be shared out evenly among 2 racks\n"
