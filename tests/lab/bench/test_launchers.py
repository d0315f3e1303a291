"""The router that the embedded switch and BMv2 are compared with."""

from __future__ import annotations

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.program.bmv2_json import load_program
from lab.bench.launchers import MOST, PROGRAM, packet


@pytest.mark.parametrize("size", [60, 1000, 1514])
def test_its_packets_reach_the_second_host(size: int) -> None:
    sent = packet(size)
    assert len(sent) == size
    out = list(Engine(load_program(PROGRAM)).process(Frames.of([(1, sent)] * MOST), 0))
    assert len(out) == MOST
    port, content = out[0]
    assert port == 2
    came = Ether(content)
    assert (came.dst, came[IP].dst, came[IP].ttl) == ("08:00:00:00:00:02", "10.0.0.2", 63)
    assert came[UDP].len == size - 34
    expected = came[IP].copy()
    del expected.chksum
    assert IP(bytes(expected)).chksum == came[IP].chksum
