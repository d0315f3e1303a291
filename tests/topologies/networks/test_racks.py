"""Racks under a spine: several switches train like one switch. Needs root."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dropzero.protocol.wire import Kind
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.network import Options
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.registry.state import states
from dropzero.traces.capture import captures
from tests.support.training_runs import expected, train
from tests.topologies.networks.test_rack import left_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

STEPS = 4


@pytest.fixture(scope="module")
def on_one_rack() -> str:
    """The SHA-256 of the weights that four workers train on one switch, computed in process: see `expected`."""
    return expected(4, STEPS)


def test_controllers_read_the_tree_and_nothing_is_left_of_it(tmp_path: Path) -> None:
    with Racks(2, 2, tmp_path, kind=SwitchKind.SOFTSWITCH, rate=100, trunk_rate=200) as racks:
        topology = json.loads(racks.topology.read_text())
        assert list(topology["hosts"]) == ["h1", "h2", "h3", "h4"]
        assert list(topology["switches"]) == ["s1", "s2", "s3"]
        assert topology["links"][-3:] == [["h4", "s2-p2"], ["s1-p3", "s3-p1"], ["s2-p3", "s3-p2"]]
        assert [[host.name for host in rack] for rack in racks.racks] == [["h1", "h2"], ["h3", "h4"]]
        for switch, impairment in (
            (0, "1/out:rate=100000000,limit=471"),
            (0, "3/out:rate=200000000,limit=942"),
            (2, "1/out:rate=200000000,limit=942"),
        ):
            assert impairment in racks.switches[switch].arguments
        state = next(state for state in states() if racks.switches[0].intfs[1].name in state.interfaces)
        racks.start_switches()
    assert left_of(state) == []


def test_only_the_last_spine_is_slow_and_only_links_between_switches_lose(tmp_path: Path) -> None:
    rates: Options = {"kind": SwitchKind.SOFTSWITCH, "rate": 100, "trunk_rate": 100}
    with Racks(2, 2, tmp_path, spines=2, slow_spine=0.5, trunk_loss=0.01, **rates) as racks:
        links = json.loads(racks.topology.read_text())["links"]
        assert links[-4:] == [[f"s{leaf}-p{port}", f"s{port}-p{leaf}"] for leaf in (1, 2) for port in (3, 4)]
        leaf, slow = (racks.switches[number].arguments for number in (0, 3))
        assert "1/out:rate=100000000,limit=471" in leaf
        assert "3/out:rate=100000000,limit=727,loss=0.010000" in leaf
        assert "4/out:rate=50000000,limit=620,loss=0.010000" in leaf
        assert "1/out:rate=50000000,limit=620,loss=0.010000" in slow


def test_hosts_reach_each_other_across_the_racks_and_all_switches(tmp_path: Path, switch: str) -> None:
    with Racks(2, 1, tmp_path, kind=SwitchKind(switch)) as racks:
        racks.start_switches()
        racks.start_controller()
        for address in ("10.0.0.2", "10.0.0.254", "10.0.0.253", "10.0.0.252"):
            assert "1 received" in racks.hosts[0].cmd(f"ping -c 1 -W 10 {address}")


def test_loss_duplicates_and_reordering_change_only_the_time(tmp_path: Path, on_one_rack: str) -> None:
    faults = {"loss": 0.05, "duplicate": 0.02, "reorder": 0.1, "delay": 1}
    (summary,) = train(tmp_path / "run", workers=4, steps=STEPS, switch="softswitch", **faults)
    assert summary["retransmissions"] > 0
    assert summary["weights_sha256"] == on_one_rack
    log = (tmp_path / "run" / "logs" / "s1.log").read_text()
    for direction in ("in", "out"):
        counts = re.findall(rf"Port \d {direction}: .* (\d+) duplicated, (\d+) reordered", log)
        assert len(counts) == 4
        assert all(any(map(int, each)) for each in zip(*counts, strict=True))


def test_two_racks_with_loss_and_slow_links_train_the_same_weights_as_one(
    tmp_path: Path, switch: str, on_one_rack: str
) -> None:
    options = {"loss": 0.02, "rate": 100, "trunk-rate": 50}
    (summary,) = train(tmp_path / "run", workers=4, racks=2, steps=STEPS, switch=switch, **options)
    assert summary["retransmissions"] > 0
    assert summary["weights_sha256"] == on_one_rack
    if switch == "softswitch":
        for name, port in (("s1", 1), ("s2", 3), ("s3", 1)):
            log = (tmp_path / "run" / "logs" / f"{name}.log").read_text()
            assert re.search(rf"Port {port} queues: \d+ offered", log)


def test_four_jobs_at_once_train_the_same_weights_as_one(tmp_path: Path) -> None:
    jobs = train(tmp_path / "jobs", workers=2, jobs=4, steps=STEPS, switch="softswitch")
    assert [job["weights_sha256"] for job in jobs] == [expected(2, STEPS)] * 4
    assert all(job["replicas_identical"] for job in jobs)


def test_a_rack_sends_one_stream_to_the_spine(tmp_path: Path, on_one_rack: str) -> None:
    """Two racks of two: each leaf sends one packet for its workers' packets. The weights equal those of one rack."""
    (summary,) = train(tmp_path / "run", "--pcap", workers=4, racks=2, steps=STEPS, switch="softswitch")
    assert summary["replicas_identical"] is True
    assert summary["weights_sha256"] == on_one_rack
    through = {f"{capture.interface}_{capture.direction}": capture for capture in captures(tmp_path / "run" / "pcaps")}
    (prefix,) = {name.partition("s")[0] for name in through}
    for leaf in range(1, 3):
        worker, rack = (
            [
                (packet.lane, packet.round)
                for packet in through[f"{prefix}s{leaf}-{name}"].packets()
                if packet.kind is Kind.CONTRIBUTION
            ]
            for name in ("eth1_in", "eth3_out")
        )
        assert set(worker) == set(rack)
        assert len(rack) <= len(set(rack)) + summary["retransmissions"]


@pytest.mark.parametrize(("racks", "hosts"), [(1, 2), (14, 1), (2, 0), (13, 20)])
def test_more_hosts_than_addresses_are_refused(tmp_path: Path, racks: int, hosts: int) -> None:
    with pytest.raises(SetupError, match=f"not {racks} of {hosts}"):
        Racks(racks, hosts, tmp_path)


def test_workers_that_do_not_divide_among_the_racks_are_refused(tmp_path: Path) -> None:
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
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2
    assert done.stderr == "dropzero: 3 workers cannot be divided evenly among 2 racks\n"
