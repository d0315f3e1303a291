"""Protocols on several switches: the racks' shape, and Canary, whose partial sums find their way to a leader."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropzero.ina import virtual
from dropzero.ina.audit import AuditError
from dropzero.ina.chaos import survive
from dropzero.ina.conditions import Conditions
from dropzero.ina.folder import Folder
from dropzero.ina.outcome import Outcome
from dropzero.ina.topology import Topology
from dropzero.simulator.kernel.links import Quality
from tests.support import ROOT

CANARY = ROOT / "examples" / "protocols" / "canary"
CALM = Conditions(Quality(10**10, 1000))
ELEMENTS = 20_000
QUICK = {"timeout": "200us", "patience": "5us", "tick": "50us"}


def simulated(conditions: Conditions, workers: int = 8, folder: Path = CANARY, **options: int | str) -> Outcome:
    found = Folder(folder)
    protocol = found.protocol(workers, QUICK | {name: str(value) for name, value in options.items()})
    return virtual.run(found, protocol, ELEMENTS, conditions)


@given(st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 2, 4]))
def test_whatever_port_packets_leave_by_they_come_to_their_host_in_three_hops(
    racks: int, size: int, spines: int
) -> None:
    topology = Topology(racks * size, racks, spines)
    cables = {end: other for pair in topology.trunks for end, (other, _) in (pair, pair[::-1])}
    hosts = {topology.port(host): host for host in range(topology.hosts)}
    assert len(hosts) == topology.hosts
    assert not hosts.keys() & cables.keys()

    def reached(switch: str, host: int, hops: int) -> set[int]:
        place = topology.places(topology.switches.index(switch))[host]
        if not place.ways:
            return {hosts[switch, place.port]}
        assert hops
        return set().union(*(reached(cables[switch, port], host, hops - 1) for port in place.ports))

    for switch in topology.switches:
        for host in range(topology.hosts):
            assert reached(switch, host, 2) == {host}


@pytest.mark.parametrize(
    ("shape", "error"),
    [
        ({"racks": "3"}, "3 racks and 2 spines cannot share 4 hosts equally"),
        ({"racks": "2", "spines": "3"}, "spines must be a power of two, not 3"),
        ({"racks": "16"}, "at most 8 racks and spines"),
    ],
)
def test_racks_that_cannot_be_are_refused(shape: dict[str, str], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        Topology.of(Folder(CANARY).protocol(4, shape))


@pytest.mark.parametrize("name", ["omnireduce", "optireduce", "ring", "zen"])
def test_protocols_between_hosts_come_to_the_same_across_racks(name: str) -> None:
    found = Folder(CANARY.parent / name)
    options = {"racks": "4"} | ({"aggregators": "4"} if name == "omnireduce" else {})
    fault = 0.0 if name == "optireduce" else 0.01
    outcome = virtual.run(found, found.protocol(8, options), ELEMENTS, Conditions(Quality(10**10, 1000, fault, fault)))
    assert outcome.identical
    assert outcome.whole == 1


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([(2, 1), (4, 1), (4, 2), (6, 3), (8, 4)]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 4, 1024]),
    st.sampled_from([0.0, 0.02]),
    st.integers(0, 99),
)
def test_all_sums_are_right_on_racks_of_any_shape(
    shape: tuple[int, int], spines: int, descriptors: int, fault: float, seed: int
) -> None:
    workers, racks = shape
    conditions = Conditions(Quality(10**10, 1000, fault, fault, fault), seed)
    outcome = simulated(conditions, workers, racks=racks, spines=spines, descriptors=descriptors)
    assert outcome.identical
    assert outcome.whole == 1


def test_it_survives_random_faults_on_racks() -> None:
    found = Folder(CANARY)
    protocol = found.protocol(6, QUICK | {"racks": "3"})
    survived = survive(protocol, CALM, 8, lambda conditions: virtual.run(found, protocol, ELEMENTS, conditions))
    assert {"loss", "duplicate", "reorder", "stopped host"} <= survived.faults.keys()


def test_leaves_and_spines_add_up_so_that_racks_take_hardly_longer_than_one_switch() -> None:
    """Each spine's link to a rack would otherwise carry the packets of 12 workers: with one spine, three times as long
    as a worker's."""
    one, racks = (simulated(CALM, 16, racks=racks, spines=1, window=16).seconds for racks in (1, 4))
    assert racks < 1.5 * one


def test_a_block_without_a_descriptor_is_added_up_by_its_leader_and_comes_back() -> None:
    free, taken = (simulated(CALM, racks=2, descriptors=number, timeout="10ms") for number in (1024, 2))
    assert free.whole == taken.whole == 1
    assert taken.packets > 1.2 * free.packets
    assert taken.sums / taken.packets < free.sums / free.packets
    # Nobody had to ask.
    assert taken.seconds < 0.01


def test_a_switch_passes_on_what_it_has_when_its_patience_ends() -> None:
    late = Conditions(CALM.quality, late=100_000)
    soon, never = (simulated(late, racks=2, patience=patience) for patience in ("5us", "1s"))
    assert soon.whole == never.whole == 1
    assert soon.packets > never.packets


def test_a_leader_adds_up_what_no_attempt_brings_together() -> None:
    """Attempts alone take seconds: each needs a packet of every worker."""
    found = Folder(CANARY)
    quality = Quality(10**10, 1000, loss=0.25)
    outcome = virtual.run(found, found.protocol(16, {"timeout": "200us"}), 512, Conditions(quality))
    assert outcome.whole == 1
    assert outcome.seconds < 0.5


def test_trees_avoid_a_spine_whose_links_are_slow() -> None:
    slow = Conditions(CALM.quality, slow_spine=0.05)
    chosen, fixed = (
        simulated(slow, racks=4, window=64, timeout="10ms", margin=margin).seconds for margin in (2, 1_000)
    )
    assert chosen < fixed / 2


def test_the_audit_finds_a_descriptor_that_is_not_cleared(tmp_path: Path) -> None:
    copy = tmp_path / "canary"
    shutil.copytree(CANARY, copy)
    code = copy / "compiled" / "program.json"
    replace = '"verb_0"]},{"type":"hexstr","value":"0x01"}]},{"op":"assign"'
    assert code.read_text().count(replace) == 1
    code.write_text(code.read_text().replace(replace, replace.replace("0x01", "0x02")))
    with pytest.raises(AuditError, match=r"the switch to host \d, packet \d+: element \d+ is"):
        simulated(CALM, folder=copy, racks=2, descriptors=16)


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
@pytest.mark.parametrize("switch", ["softswitch", "bmv2"])
def test_racks_of_real_switches_and_processes_come_to_the_same(switch: str, tmp_path: Path) -> None:
    if switch == "bmv2" and not shutil.which("simple_switch_grpc"):
        pytest.skip("no simple_switch_grpc on PATH")
    faults = ["--duplicate", "0.02"] if switch == "softswitch" else ["--delay", "0"]
    command = [sys.executable, "-m", "dropzero", "protocol", str(CANARY), "--workers", "4", "--set", "racks=2"]
    command += [
        "--slow-spine",
        "0.5",
        "--size",
        "100kB",
        "--loss",
        "0.02",
        "--switch",
        switch,
        "--out",
        str(tmp_path),
        "--json",
        "-",
        *faults,
    ]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    outcome = json.loads(ended.stdout)
    assert (outcome["whole"], outcome["identical"]) == (1, True)
    topology = Topology(4, 2, 2)
    links = json.loads((tmp_path / "topology.json").read_text())["links"]
    ends = {tuple(f"{name}-p{port}" for name, port in pair) for pair in topology.trunks}
    ends |= {(f"h{host + 1}", "{}-p{}".format(*topology.port(host))) for host in range(4)}
    assert set(map(tuple, links)) == ends
    heading, *samples, _ = map(json.loads, (tmp_path / "samples.jsonl").read_text().splitlines())
    assert heading["switches"] == topology.switches
    assert all(sample["switches"].keys() == set(topology.switches) for sample in samples)
