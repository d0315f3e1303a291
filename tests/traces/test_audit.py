"""The audit accepts a correct run, and detects each kind of error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.utils import PcapWriter, rdpcap
from typer.testing import CliRunner

from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.tensor.arrays import touched
from dropzero.protocol.tensor.shards import shards
from dropzero.protocol.wire import ASSIGNED, PACKET_ELEMENTS, UDP_PORT, Kind
from dropzero.simulator.tree import Node, Shape
from dropzero.traces.audit import AuditError, audit
from dropzero.traces.capture import CaptureError, captures
from dropzero.traces.cli import app
from dropzero.traces.layers import Dropzero
from tests.support.network import (
    SPINE,
    TREES,
    Fabric,
    Switch,
    all_reduce,
    members,
    members_of_tree,
    model,
    model_tree,
    racks,
)
from tests.traces.frames import udp_frame

WORKERS, LANES = 3, 2

Meddle = Callable[[str, Packet], Packet]


def record(folder: Path, meddle: Meddle = lambda _, packet: packet, trouble: float = 0.1) -> None:
    """Writes captures of one all-reduce at a switch's ports, with each packet modified by `meddle`."""
    rack = model(WORKERS, LANES)
    with Recorder(folder, meddle) as recorder:
        recorder.port("switch", 0, "in").write(Ether() / ARP())  # not everything in a network is ours
        reduce(members(WORKERS, LANES), recorder.around(rack), trouble)


def record_racks(folder: Path, meddle: Meddle = lambda _, packet: packet, trouble: float = 0.1) -> None:
    """The same for two racks of two workers, at all switches' ports."""
    record_tree(folder, racks(2, 2), meddle, trouble)


def record_tree(folder: Path, shape: Shape, meddle: Meddle = lambda _, packet: packet, trouble: float = 0.1) -> None:
    with Recorder(folder, meddle) as recorder:
        reduce(members_of_tree(shape, LANES), recorder.around(model_tree(shape, LANES)), trouble)


def record_shards(folder: Path, shape: Shape, meddle: Meddle = lambda _, packet: packet, trouble: float = 0.1) -> None:
    """The same, where each worker needs a shard of the sum."""
    with Recorder(folder, meddle) as recorder:
        workers = members_of_tree(shape, LANES)
        size = 8 * PACKET_ELEMENTS * len(workers)
        wanted = [touched(size, [part]) for part in shards(size, len(workers))]
        tensors: list[Any] = [np.arange(size, dtype=np.int32)] * len(workers)
        all_reduce(workers, recorder.around(model_tree(shape, LANES)), tensors, wanted=wanted, trouble=trouble)


def reduce(workers: list[Lanes], fabric: Fabric, trouble: float) -> None:
    """Makes sums with non-zero blocks in several chunks of a column."""
    draw = np.random.default_rng(0)
    size = 8 * 32 * LANES * 70
    tensors = [(draw.standard_normal(size) * (draw.random(size) < 0.001)).astype(np.float32) for _ in workers]
    all_reduce(workers, fabric, list(tensors), trouble=trouble)


def test_small_calls_may_begin_with_the_blocks_of_the_call_before(tmp_path: Path) -> None:
    workers = members(WORKERS, LANES)
    with Recorder(tmp_path, lambda _, packet: packet) as recorder:
        fabric = recorder.around(model(WORKERS, LANES))
        for number, factor in enumerate((1, 1, 4, 1, 0)):
            tensors = [np.full(300, factor * (1 + worker), np.float32) for worker in range(WORKERS)]
            all_reduce(workers, fabric, list(tensors), number=number)
    audit(tmp_path)


class Recorder:
    """Writes captures of the switches of a fabric."""

    def __init__(self, folder: Path, meddle: Meddle) -> None:
        self._folder, self._meddle = folder, meddle
        self._writers: dict[tuple[Node, Node, str], Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers.values():
            writer.close()

    def port(self, switch: Node, peer: Node, direction: str) -> Any:
        """The capture at the switch's port to a peer."""
        if (switch, peer, direction) not in self._writers:
            number = peer + 1 if isinstance(peer, int) else {SPINE: 99}.get(peer, peer)
            name = f"{switch}-eth{number}_{direction}.pcap"
            self._writers[switch, peer, direction] = PcapWriter(str(self._folder / name), linktype=1)
        return self._writers[switch, peer, direction]

    def around(self, fabric: Fabric) -> Fabric:
        """The same fabric, with captures."""
        return Fabric(
            {name: partial(self._pass, name, switch) for name, switch in fabric.switches.items()}, fabric.homes
        )

    def _pass(self, name: Node, switch: Switch, sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        self._write(name, sender, "in", payload)
        answers = switch(sender, payload)
        for receiver, answer in answers:
            self._write(name, receiver, "out", answer)
        return answers

    def _write(self, switch: Node, peer: Node, direction: str, payload: bytes) -> None:
        ports = (40000, UDP_PORT) if direction == "in" else (UDP_PORT, 40000)
        packet = self._meddle(f"{switch} {direction}", Packet.decode(payload))
        # Packets from workers are marked in the IP header, where a queue could do it.
        tos = 3 if packet.marked and direction == "in" else 2
        self.port(switch, peer, direction).write(udp_frame(packet.encode(), ports=ports, tos=tos))


def test_a_correct_run_passes(tmp_path: Path) -> None:
    record(tmp_path)
    found = audit(tmp_path)
    assert found.results
    assert found.duplicates > 0
    assert found.packets == sum(len(list(capture.packets())) for capture in captures(tmp_path))
    assert any(column.next & ASSIGNED for result in found.results.values() for column in result.columns)


def test_a_correct_run_over_racks_passes(tmp_path: Path) -> None:
    record_racks(tmp_path)
    found = audit(tmp_path)
    assert sorted(found.switches) == ["leaf0", "leaf1", "spine"]
    leaf, spine = found.switches["leaf0"], found.switches["spine"]
    assert set(leaf.shares) == set(leaf.given) == set(spine.results) == set(found.results)
    assert not spine.given


@pytest.mark.parametrize("shape", TREES)
def test_a_correct_run_over_any_tree_passes(tmp_path: Path, shape: str) -> None:
    record_tree(tmp_path, TREES[shape])
    found = audit(tmp_path)
    assert found.switches.keys() == TREES[shape].parents.keys()
    assert set(found.switches[SPINE].results) == set(found.results)
    assert all(set(ledger.given) == set(found.results) for name, ledger in found.switches.items() if name != SPINE)


@pytest.mark.parametrize("shape", TREES)
def test_a_correct_run_whose_results_go_to_their_owners_passes(tmp_path: Path, shape: str) -> None:
    record_shards(tmp_path, TREES[shape])
    assert audit(tmp_path).results


WRONG_OWNERS: dict[str, tuple[Meddle, str]] = {
    "a worker that needs no data": (
        lambda way, p: replace(p, declines=False) if way == "spine in" and p.worker == 0 else p, "no data"
    ),
    "a worker that needs data": (
        lambda way, p: replace(p, declines=True) if way == "spine in" and p.worker == 0 else p,
        "data that it had declined|has data columns",
    ),
    "a share": (
        lambda way, p: replace(p, declines=not p.declines)
        if way == "leaf0 out" and p.kind is Kind.CONTRIBUTION else p,
        "the share (declines|asks for) the result's data",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG_OWNERS)
def test_data_that_go_to_the_wrong_workers_are_found(tmp_path: Path, what: str) -> None:
    meddle, message = WRONG_OWNERS[what]
    record_shards(tmp_path, racks(2, 1, top=1), meddle, trouble=0.0)
    with pytest.raises(AuditError, match=message):
        audit(tmp_path)


def test_scapy_reads_the_captures(tmp_path: Path) -> None:
    record(tmp_path)
    packets = [packet for packet in rdpcap(str(tmp_path / "switch-eth2_out.pcap")) if Dropzero in packet]
    assert {packet[Dropzero].kind for packet in packets} >= {int(Kind.RESULT)}


def only_first(direction: str, change: Callable[[Packet], Packet], when: Callable[[Packet], bool]) -> Meddle:
    """Changes the first packet in this direction that fulfils the condition."""
    done: list[Packet] = []

    def meddle(way: str, packet: Packet) -> Packet:
        if not way.endswith(direction) or done or not when(packet):
            return packet
        done.append(packet)
        return change(packet)

    return meddle


def flip(packet: Packet) -> Packet:
    column, elements = next(iter(packet.data.items()))
    return replace(packet, data={**packet.data, column: elements ^ np.int32(1)})


def is_result(packet: Packet) -> bool:
    return packet.kind is Kind.RESULT


WRONG: dict[str, tuple[Meddle, str]] = {
    "a sum": (only_first("out", flip, lambda p: is_result(p) and bool(p.data)), "two different results"),
    "a contribution": (only_first("in", flip, lambda p: bool(p.data)), "is wrong"),
    "who is in it": (only_first("out", lambda p: replace(p, workers=1), is_result), "two different results"),
    "all exponents": (
        lambda way, p: (
            replace(p, columns=tuple(replace(c, exponent=9) for c in p.columns)) if way.endswith("out") else p
        ),
        "announces",
    ),
    "all masks": (lambda way, p: replace(p, data={}) if way.endswith("out") else p, "data columns"),
    "all members": (lambda way, p: replace(p, workers=1) if way.endswith("out") and is_result(p) else p, "workers 0x1"),
    "a chunk": (
        lambda way, p: (
            replace(p, columns=tuple(replace(c, next=c.next & ~1) if c.next & ASSIGNED else c for c in p.columns))
            if way.endswith("out")
            else p
        ),
        "was already assigned",
    ),
    "a congested round": (lambda way, p: replace(p, congested=p.round == 1) if way.endswith("out") else p, "congested"),
    "the blocks asked for": (
        lambda way, p: replace(p, columns=tuple(Column(5, c.next, c.exponent) for c in p.columns)),
        "but the round before requested",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_errors_are_found(tmp_path: Path, what: str) -> None:
    meddle, message = WRONG[what]
    record(tmp_path, meddle, trouble=0.0)
    with pytest.raises(AuditError, match=message):
        audit(tmp_path)


WRONG_IN_RACKS: dict[str, tuple[Meddle, str]] = {
    "a leaf's share": (
        only_first("leaf1 out", flip, lambda p: p.kind is Kind.CONTRIBUTION and bool(p.data)), "data column . is wrong"
    ),
    "a spine's sums": (lambda way, p: flip(p) if way == "spine out" and p.data else p, "data column . is wrong"),
    "a leaf's results": (
        lambda way, p: flip(p) if way == "leaf0 out" and is_result(p) and p.data else p, "data column . is wrong"
    ),
    "what a leaf was sent": (
        lambda way, p: replace(p, columns=tuple(replace(c, exponent=9) for c in p.columns))
        if way in ("leaf0 in", "leaf0 out") and is_result(p) else p,
        "leaf0 received a different result than its parent sent",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG_IN_RACKS)
def test_errors_in_racks_are_found(tmp_path: Path, what: str) -> None:
    meddle, message = WRONG_IN_RACKS[what]
    record_racks(tmp_path, meddle, trouble=0.0)
    with pytest.raises(AuditError, match=message):
        audit(tmp_path)


def test_marks_are_read_from_the_ip_header_too(tmp_path: Path) -> None:
    """The model of the switch saw none of these marks."""
    record(tmp_path, lambda way, p: replace(p, marked=p.round == 1), trouble=0.0)
    with pytest.raises(AuditError, match="round 1: the result is not marked as congested"):
        audit(tmp_path)


def test_a_retransmission_that_differs_is_found(tmp_path: Path) -> None:
    turn = iter(range(10**9))
    record(tmp_path, lambda way, p: replace(p, workers=next(turn)) if way.endswith("in") else p)
    with pytest.raises(AuditError, match="two different contributions"):
        audit(tmp_path)


def test_the_command_reports_its_findings(tmp_path: Path) -> None:
    record(tmp_path)
    done = CliRunner().invoke(app, ["audit", str(tmp_path)])
    assert done.exit_code == 0
    assert "rounds are right" in done.output
    counts = json.loads(CliRunner().invoke(app, ["audit", str(tmp_path), "--json"]).output)
    assert done.output.startswith(f"{counts['rounds']} rounds are right, in {counts['packets']} packets")
    shown = CliRunner().invoke(app, ["show", str(tmp_path), "--interface", "switch-eth1", "--count", "3"])
    assert shown.exit_code == 0
    assert "contribution" in shown.output
    listed = CliRunner().invoke(app, ["show", str(tmp_path), "--interface", "switch-eth1", "--count", "3", "--json"])
    packets = [
        packet
        for capture in captures(tmp_path)
        if capture.interface == "switch-eth1"
        for packet in islice(capture.packets(), 3)
    ]
    found = [json.loads(line) for line in listed.output.splitlines()]
    assert [(each["kind"], each["lane"], each["round"]) for each in found] == [
        (packet.kind.name.lower(), packet.lane, packet.round) for packet in packets
    ]
    other = CliRunner().invoke(app, ["show", str(tmp_path), "--interface", "eth9"])
    assert other.exit_code == 2
    assert "has no capture of eth9; it has switch-eth1" in other.output


def test_the_folder_of_a_run_is_not_that_of_its_captures(tmp_path: Path) -> None:
    (tmp_path / "pcaps").mkdir()
    with pytest.raises(CaptureError, match=f"no captures in {tmp_path}: those of a run are in {tmp_path}/pcaps"):
        captures(tmp_path)


def test_missing_and_broken_captures_are_named(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"no captures in .*: `make run PCAP=1` or"):
        captures(tmp_path)
    (tmp_path / "switch-eth1_in.pcap").write_bytes(b"nothing of the kind")
    with pytest.raises(CaptureError, match="is not a complete capture"):
        audit(tmp_path)
    assert CliRunner().invoke(app, ["audit", str(tmp_path)]).exit_code == 2


def test_a_capture_that_ends_within_a_packet_is_not_audited(tmp_path: Path) -> None:
    file = tmp_path / "s1-eth1_in.pcap"
    with PcapWriter(str(file)) as writer:
        writer.write(Ether() / ARP())
    os.truncate(file, file.stat().st_size - 1)
    with pytest.raises(CaptureError, match=r"s1-eth1_in\.pcap is not a complete capture: its last packet is cut"):
        audit(tmp_path)


def test_a_malformed_packet_is_named_with_its_capture(tmp_path: Path) -> None:
    with PcapWriter(str(tmp_path / "s1-eth1_in.pcap")) as writer:
        writer.write(Ether() / ARP())
        writer.write(Ether() / IP() / UDP(sport=1, dport=UDP_PORT) / b"short")
    with pytest.raises(CaptureError, match=r"s1-eth1_in\.pcap, packet 2: 5 bytes are shorter"):
        audit(tmp_path)
