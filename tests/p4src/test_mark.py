"""The program marks packets that meet a long queue at their port of the embedded switch."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import OUTER_BYTES, UDP_PORT, Kind
from dropzero.simulator.in_process import MAC, PARENT_PORT, InProcessSwitch, ip
from dropzero.simulator.tree import EPOCH, JOB
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program.model import Exact
from tests.support.network import SPINE

THRESHOLD, SENT = 3, 8
ASKED = Packet(Kind.CONTRIBUTION, JOB, 0, EPOCH, 0, 0, columns=(Column(),)).encode()
"""Contributions of a worker alone in its rack; each gets a result at once."""


def leaving(switch: InProcessSwitch, port: int, *, tos: int, mac: int = MAC, threshold: int = THRESHOLD) -> list[bytes]:
    """The packets that leave by a port with a slow link when worker 0 sends a burst of contributions."""
    switch.engine.queues.set_bit_rate(1_000_000, port)
    switch.engine.tables["egress.mark.queue"].set_default("egress.mark.mark_from", (threshold,))
    source, destination = str(IPv4Address(ip(1))), str(IPv4Address(ip(254)))
    outer = Ether(dst=mac.to_bytes(6, "big")) / IP(tos=tos, src=source, dst=destination)
    frame = bytes(outer / UDP(sport=UDP_PORT, dport=UDP_PORT, chksum=0) / ASKED)
    switch.engine.process(Frames.of([(1, frame)] * SENT), now=0)
    frames, _ = switch.engine.release(10_000_000)
    assert {to for to, _ in frames} == {port}
    assert len(frames) == SENT
    return [left for _, left in frames]


def marks(frames: list[bytes]) -> list[bool]:
    return [Packet.decode(frame[OUTER_BYTES:]).marked for frame in frames]


def some(unmarked: int | bool, marked: int | bool) -> list[int | bool]:
    return [unmarked] * THRESHOLD + [marked] * (SENT - THRESHOLD)


@pytest.mark.parametrize(("tos", "unmarked", "marked"), [(0, 0, 0), (1, 1, 3), (2, 2, 3), (3, 2, 3)])
def test_a_result_is_marked_for_its_worker_and_in_the_ip_header_if_that_may_be(
    tos: int, unmarked: int, marked: int
) -> None:
    frames = leaving(InProcessSwitch([0], 1), 1, tos=tos)
    assert marks(frames) == some(False, True)
    assert [Ether(frame)[IP].tos for frame in frames] == some(unmarked, marked)
    for frame in frames:
        seen = Ether(frame)[IP]
        written = seen.chksum
        del seen.chksum
        assert IP(bytes(seen)).chksum == written


def test_a_racks_share_is_marked_in_the_ip_header() -> None:
    leaf = InProcessSwitch([0], 1, peers={0: ip(1), SPINE: ip(200)}, parent=SPINE)
    frames = leaving(leaf, PARENT_PORT, tos=2)
    assert [Ether(frame)[IP].tos for frame in frames] == some(2, 3)


def test_a_forwarded_packet_is_marked_in_the_ip_header_alone() -> None:
    switch = InProcessSwitch([0], 1, own=ip(253))
    other = 0x020000000077
    switch.engine.tables["ingress.forward.station"].insert((Exact(other),), "ingress.forward.send_to", (2,))
    frames = leaving(switch, 2, tos=2, mac=other)
    assert [Ether(frame)[IP].tos for frame in frames] == some(2, 3)
    assert {frame[OUTER_BYTES:] for frame in frames} == {ASKED}


def test_without_a_threshold_nothing_is_marked() -> None:
    assert marks(leaving(InProcessSwitch([0], 1), 1, tos=2, threshold=0)) == [False] * SENT
