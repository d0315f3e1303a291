"""The audit finds nothing wrong in a right run, and each kind of wrong in a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.utils import PcapWriter, rdpcap
from typer.testing import CliRunner

from protocol.packet import Column, Packet
from protocol.wire import UDP_PORT, Kind
from tests.protocol.network import Fabric, Node, all_reduce, members, model
from traces.audit import AuditError, audit
from traces.capture import CaptureError, captures
from traces.cli import app
from traces.layers import Dropzero

WORKERS, LANES = 3, 2

Meddle = Callable[[str, Packet], Packet]


def record(folder: Path, meddle: Meddle = lambda _, packet: packet, trouble: float = 0.1) -> None:
    """The captures of one all-reduce at a switch's ports, each packet as `meddle` has it."""
    writers: dict[tuple[Node, str], Any] = {
        (worker, direction): PcapWriter(str(folder / f"s1-eth{worker + 1}_{direction}.pcap"), linktype=1)
        for worker in range(WORKERS)
        for direction in ("in", "out")
    }
    rack = model(WORKERS, LANES)

    def write(worker: Node, direction: str, payload: bytes) -> None:
        udp = UDP(dport=UDP_PORT) if direction == "in" else UDP(sport=UDP_PORT)
        packet = meddle(direction, Packet.decode(payload))
        writers[worker, direction].write(Ether() / IP() / udp / packet.encode())

    def recorded(sender: Node, payload: bytes) -> list[tuple[Node, bytes]]:
        write(sender, "in", payload)
        answers = rack.switches["switch"](sender, payload)
        for receiver, answer in answers:
            write(receiver, "out", answer)
        return answers

    writers[0, "in"].write(Ether() / ARP())  # not everything in a network is ours
    draw = np.random.default_rng(0)
    tensors = [(draw.standard_normal(3000) * (draw.random(3000) < 0.01)).astype(np.float32) for _ in range(WORKERS)]
    all_reduce(members(WORKERS, LANES), Fabric({"switch": recorded}, rack.homes), list(tensors), trouble=trouble)
    for writer in writers.values():
        writer.close()


def test_a_right_run_passes(tmp_path: Path) -> None:
    record(tmp_path)
    found = audit(tmp_path)
    assert found.results
    assert found.duplicates > 0
    assert found.packets == sum(len(list(capture.packets())) for capture in captures(tmp_path))


def test_scapy_reads_the_captures_by_itself(tmp_path: Path) -> None:
    record(tmp_path)
    packets = [packet for packet in rdpcap(str(tmp_path / "s1-eth2_out.pcap")) if Dropzero in packet]
    assert {packet[Dropzero].kind for packet in packets} >= {int(Kind.RESULT)}


def only_first(direction: str, change: Callable[[Packet], Packet], when: Callable[[Packet], bool]) -> Meddle:
    """Changes one packet of those that go this way and fulfil the condition."""
    done: list[Packet] = []

    def meddle(way: str, packet: Packet) -> Packet:
        if way != direction or done or not when(packet):
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
        lambda way, p: replace(p, columns=tuple(replace(c, exponent=9) for c in p.columns)) if way == "out" else p,
        "announces",
    ),
    "all masks": (lambda way, p: replace(p, data={}) if way == "out" else p, "data columns"),
    "all members": (lambda way, p: replace(p, workers=1) if way == "out" and is_result(p) else p, "workers 0x1"),
    "the blocks asked for": (
        lambda way, p: replace(p, columns=tuple(Column(5, c.next, c.exponent) for c in p.columns)),
        "the round before asked for",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_found(tmp_path: Path, what: str) -> None:
    meddle, message = WRONG[what]
    record(tmp_path, meddle, trouble=0.0)
    with pytest.raises(AuditError, match=message):
        audit(tmp_path)


def test_a_contribution_that_differs_from_its_repetition_is_found(tmp_path: Path) -> None:
    turn = iter(range(10**9))
    record(tmp_path, lambda way, p: replace(p, workers=next(turn)) if way == "in" else p)
    with pytest.raises(AuditError, match="two different contributions"):
        audit(tmp_path)


def test_the_command_says_what_it_found(tmp_path: Path) -> None:
    record(tmp_path)
    done = CliRunner().invoke(app, ["audit", str(tmp_path)])
    assert done.exit_code == 0
    assert "rounds are right" in done.output
    shown = CliRunner().invoke(app, ["show", str(tmp_path), "--interface", "s1-eth1", "--count", "3"])
    assert shown.exit_code == 0
    assert "contribution" in shown.output


def test_no_captures_and_broken_ones_are_named(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="no captures in"):
        captures(tmp_path)
    (tmp_path / "s1-eth1_in.pcap").write_bytes(b"nothing of the kind")
    with pytest.raises(CaptureError, match="is not a whole capture"):
        audit(tmp_path)
    assert CliRunner().invoke(app, ["audit", str(tmp_path)]).exit_code == 2
