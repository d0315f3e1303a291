"""The times of calls, from captures with known times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.utils import wrpcap

from dropzero.protocol.packet import Packet
from dropzero.protocol.wire import UDP_PORT, Kind
from dropzero.traces.calls import spans


def at(seconds: float, direction: str, kind: Kind, number: int, workers: int, job: int = 1) -> Any:
    packet = Packet(kind, job=job, lane=0, epoch=1, round=number, worker=0, workers=workers)
    udp = UDP(dport=UDP_PORT) if direction == "in" else UDP(sport=UDP_PORT)
    frame = Ether() / IP() / udp / packet.encode()
    frame.time = seconds
    return frame


def test_a_call_lasts_from_its_first_contribution_to_its_last_result(tmp_path: Path) -> None:
    first, second = 77, 78
    arp = Ether() / ARP()
    arp.time = 0.5
    coming = {
        1: [arp, at(1.0, "in", Kind.CONTRIBUTION, 0, first), at(1.5, "in", Kind.CONTRIBUTION, 1, first)],
        2: [at(0.75, "in", Kind.CONTRIBUTION, 0, first), at(3.0, "in", Kind.CONTRIBUTION, 2, second)],
    }
    going = {
        1: [at(1.25, "out", Kind.RESULT, 0, 0b11), at(1.625, "out", Kind.RESULT, 1, 0b11)],
        2: [
            at(1.25, "out", Kind.MISSING, 0, 0b01),
            # A repeated result, which a worker needed.
            at(2.0, "out", Kind.RESULT, 1, 0b11),
            at(3.25, "out", Kind.RESULT, 2, 0b11),
            at(9.0, "out", Kind.RESULT, 0, 0b11, job=2),
        ],
    }
    for direction, ports in (("in", coming), ("out", going)):
        for port, frames in ports.items():
            wrpcap(str(tmp_path / f"s1-eth{port}_{direction}.pcap"), frames)
    assert [(call.begin / 1e6, call.end / 1e6) for call in spans(tmp_path)] == [(0.75, 2.0), (3.0, 3.25)]
