"""Captures, which may be read while they are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.utils import rdpcap

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.ports.pcap import Capture


def write(capture: Capture, packets: list[bytes], microseconds: int) -> None:
    frames = Frames.of((0, packet) for packet in packets)
    address = frames.start.astype(np.uint64) + np.uint64(frames.data.ctypes.data)
    capture.write(address, frames.length, microseconds)


def test_every_batch_can_be_read_at_once(tmp_path: Path) -> None:
    capture = Capture(tmp_path / "port.pcap")
    first, second = [b"\1" * 60], [bytes([2]) * 1500, bytes([3]) * 14]
    write(capture, first, 1_700_000_000_000_001)
    assert [bytes(packet) for packet in rdpcap(str(capture.path))] == first
    write(capture, second, 1_700_000_001_000_002)
    found = rdpcap(str(capture.path))
    capture.close()
    assert [bytes(packet) for packet in found] == first + second
    assert [round(packet.time * 1_000_000) for packet in found] == [
        1_700_000_000_000_001,
        1_700_000_001_000_002,
        1_700_000_001_000_002,
    ]


@settings(max_examples=20)
@given(st.lists(st.integers(14, 80), min_size=1, max_size=1300))
def test_batches_of_any_size_keep_their_packets(tmp_path_factory: object, lengths: list[int]) -> None:
    path = tmp_path_factory.mktemp("captures") / "port.pcap"  # type: ignore[attr-defined]
    packets = [bytes([number % 256]) * length for number, length in enumerate(lengths)]
    capture = Capture(path)
    write(capture, packets, 0)
    capture.close()
    assert [bytes(packet) for packet in rdpcap(str(path))] == packets


def test_a_capture_may_have_no_packets(tmp_path: Path) -> None:
    Capture(tmp_path / "port.pcap").close()
    assert len(rdpcap(str(tmp_path / "port.pcap"))) == 0
