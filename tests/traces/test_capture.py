"""Captures that other tools wrote: formats, kinds of links, and what was not captured."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scapy.utils import RawPcapReader
from typer.testing import CliRunner

from dropzero.protocol.wire import OUTER_BYTES
from dropzero.traces.audit import audit
from dropzero.traces.capture import CaptureError, captures
from dropzero.traces.cli import app
from tests.traces.test_audit import record

Frames = list[tuple[int, int, bytes]]
"""Seconds, microseconds, content."""
Writer = Callable[[Frames], bytes]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    record(folder)
    return folder


def rewritten(recorded: Path, folder: Path, write: Writer, suffix: str = ".pcap") -> Path:
    """A folder with the same captures, written in another way."""
    for path in recorded.glob("*.pcap"):
        with RawPcapReader(str(path)) as reader:
            frames = [(seen.sec, seen.usec, content) for content, seen in reader]
        (folder / path.with_suffix(suffix).name).write_bytes(write(frames))
    return folder


def pcap(
    frames: Frames, *, nano: bool = False, order: str = "<", link: int = 1, snap: int = 1 << 16, change: Any = bytes
) -> bytes:
    magic = 0xA1B23C4D if nano else 0xA1B2C3D4
    content = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, snap, link)
    for seconds, micros, frame in frames:
        whole = change(frame)
        fraction = micros * 1000 + 7 if nano else micros
        content += struct.pack(f"{order}IIII", seconds, fraction, len(whole[:snap]), len(whole)) + whole[:snap]
    return content


def pcapng(frames: Frames, *, resolution: int, link: int = 1, change: Any = bytes) -> bytes:
    """resolution: of times, as the negative exponent of 10."""

    def block(kind: int, body: bytes) -> bytes:
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    option = struct.pack("<HHB3xHH", 9, 1, resolution, 0, 0)
    content = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    content += block(1, struct.pack("<HHI", link, 0, 0) + option)
    for seconds, micros, frame in frames:
        whole = change(frame)
        time = (seconds * 10**6 + micros) * 10 ** (resolution - 6)
        body = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(whole), len(whole)) + whole
        content += block(6, body + bytes(-len(body) % 4))
    return content


def tagged(frame: bytes, *tags: str) -> bytes:
    return frame[:12] + b"".join(bytes.fromhex(tag) + b"\0\5" for tag in tags) + frame[12:]


WRITERS: dict[str, Writer] = {
    "nanoseconds": lambda frames: pcap(frames, nano=True),
    "nanoseconds, big-endian": lambda frames: pcap(frames, nano=True, order=">"),
    "big-endian": lambda frames: pcap(frames, order=">"),
    "pcapng": lambda frames: pcapng(frames, resolution=6),
    "pcapng, nanoseconds": lambda frames: pcapng(frames, resolution=9),
    "pcapng, any": lambda frames: pcapng(frames, resolution=9, link=113, change=lambda frame: bytes(14) + frame[12:]),
    "frame check sequence": lambda frames: pcap(frames, change=lambda frame: frame + b"\xde\xad\xbe\xef"),
    "padding": lambda frames: pcap(frames, change=lambda frame: frame + bytes(18)),
    "VLAN": lambda frames: pcap(frames, change=lambda frame: tagged(frame, "8100")),
    "VLAN in VLAN": lambda frames: pcap(frames, change=lambda frame: tagged(frame, "88a8", "8100")),
    "tcpdump -i any": lambda frames: pcap(frames, link=113, change=lambda frame: bytes(14) + frame[12:]),
    "tcpdump -i any, v2": lambda frames: pcap(
        frames, link=276, change=lambda frame: frame[12:14] + bytes(18) + frame[14:]
    ),
    "IP": lambda frames: pcap(frames, link=101, change=lambda frame: frame[14:]),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_other_tools_captures_say_the_same(recorded: Path, tmp_path: Path, writer: str) -> None:
    folder = rewritten(recorded, tmp_path, WRITERS[writer])
    expected, found = audit(recorded), audit(folder)
    assert (found.packets, found.duplicates) == (expected.packets, expected.duplicates)
    assert found.results.keys() == expected.results.keys()
    for before, after in zip(captures(recorded), captures(folder), strict=True):
        assert [time for time, _, _ in after.timed_packets()] == [time for time, _, _ in before.timed_packets()]


def test_captures_of_wireshark_have_its_suffix(recorded: Path, tmp_path: Path) -> None:
    rewritten(recorded, tmp_path, WRITERS["pcapng"], ".pcapng")
    assert audit(tmp_path).packets == audit(recorded).packets


def test_another_kind_of_link_is_refused_by_number(recorded: Path, tmp_path: Path) -> None:
    folder = rewritten(recorded, tmp_path, lambda frames: pcap(frames, link=127))
    with pytest.raises(CaptureError, match=r"link type 127, instead of Ethernet \(1\)"):
        audit(folder)


@pytest.mark.parametrize("snap", [OUTER_BYTES + 24, 96, 100, 200])
def test_a_limited_capture_is_shown_as_far_as_it_goes_and_not_audited(
    recorded: Path, tmp_path: Path, snap: int
) -> None:
    folder = rewritten(recorded, tmp_path, lambda frames: pcap(frames, snap=snap))
    with pytest.raises(CaptureError, match=r"packet \d+: \d+ of its bytes were not captured; capture whole packets"):
        audit(folder)
    for before, after in zip(captures(recorded), captures(folder), strict=True):
        for (time, whole, _), (same, packet, missing) in zip(
            before.timed_packets(), after.timed_packets(), strict=True
        ):
            assert (same, packet.kind, packet.round, packet.mask) == (time, whole.kind, whole.round, whole.mask)
            assert missing == max(0, OUTER_BYTES + len(whole.encode()) - snap)
            assert all(one in (other, type(one)()) for one, other in zip(packet.columns, whole.columns, strict=True))
    options = "--interface", "switch-eth1", "--count", "5"
    shown = CliRunner().invoke(app, ["show", str(folder), *options])
    assert shown.exit_code == 0
    assert "were captured in part" in shown.output
    listed = CliRunner().invoke(app, ["show", str(folder), *options, "--json"])
    assert any(json.loads(line).get("missing") for line in listed.output.splitlines())
    job = str(next(captures(recorded)[0].packets()).job)
    assert CliRunner().invoke(app, ["show", str(folder), "--lane", "0", "--job", job]).exit_code == 0


def test_a_packet_without_its_header_is_named(recorded: Path, tmp_path: Path) -> None:
    folder = rewritten(recorded, tmp_path, lambda frames: pcap(frames, snap=OUTER_BYTES + 20))
    done = CliRunner().invoke(app, ["show", str(folder)])
    assert done.exit_code == 2
    assert "bytes were not captured, among them some of its header" in done.output


@pytest.mark.parametrize("kept", ["in", "out"])
def test_captures_of_one_direction_cannot_be_audited(recorded: Path, tmp_path: Path, kept: str) -> None:
    folder = rewritten(recorded, tmp_path, pcap)
    for path in folder.glob("*.pcap"):
        if not path.stem.endswith(f"_{kept}"):
            path.unlink()
    with pytest.raises(CaptureError, match=rf"captures of one direction of switch-eth1 only \({kept}\)"):
        audit(folder)
    done = CliRunner().invoke(app, ["audit", str(folder)])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda frame: frame[:12] + b"\x86\xdd" + frame[14:], "have no Dropzero packets"),
        (lambda frame: frame[:23] + b"\6" + frame[24:], "have no Dropzero packets"),
    ],
)
def test_an_audit_of_nothing_is_an_error(
    recorded: Path, tmp_path: Path, change: Callable[[bytes], bytes], reason: str
) -> None:
    folder = rewritten(recorded, tmp_path, lambda frames: pcap(frames, change=change))
    with pytest.raises(CaptureError, match=reason):
        audit(folder)


def test_an_audit_without_results_is_an_error(recorded: Path, tmp_path: Path) -> None:
    folder = rewritten(recorded, tmp_path, pcap)
    for path in folder.glob("*_out.pcap"):
        path.write_bytes(pcap([]))
    with pytest.raises(CaptureError, match="have no result of a round"):
        audit(folder)
