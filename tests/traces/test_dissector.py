"""The dissector for Wireshark agrees with the protocol's own decoder, packet by packet."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import RawPcapReader, rdpcap, wrpcap
from typer.testing import CliRunner

from dropzero.protocol.packet import Column, Packet
from dropzero.protocol.wire import (
    ASSIGNED,
    NO_BLOCK,
    NOT_FINITE,
    OUTER_BYTES,
    UDP_PORT,
    VERSION,
    Kind,
    Operation,
    Width,
    ranks,
)
from dropzero.traces.audit import RoundId, audit
from dropzero.traces.capture import captures
from dropzero.traces.cli import app
from tests.support.training_runs import train
from tests.traces.test_audit import record
from tests.traces.test_capture import pcap

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="no tshark on PATH: apt-get install tshark")

FIELDS = (
    *("version", "marked", "congested", "kind", "mask", "columns", "operation", "width", "declines", "worker", "job"),
    *(
        "lane",
        "epoch",
        "round",
        "workers",
        "call",
        "secret",
        "block",
        "next",
        "chunk",
        "exponent",
        "element",
        "repeats",
    ),
)

PLACE = ("job", "epoch", "lane", "round")
WRONG = "_ws.malformed || dropzero.malformed || dropzero.other_version || !dropzero && udp && !icmp"
"""A filter for packets that the dissector does not understand."""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wireshark") / "dropzero.lua"
    path.write_text(CliRunner().invoke(app, ["dissector"]).output)
    return path


def tshark(plugin: Path, capture: Path, *options: str) -> str:
    return "".join(lines(plugin, capture, *options))


def lines(plugin: Path, capture: Path, *options: str) -> Iterator[str]:
    """What tshark prints, one line after the other."""
    command = ["tshark", "-n", "-X", f"lua_script:{plugin}", "-r", str(capture), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield from process.stdout
    assert process.returncode == 0


def dissected(plugin: Path, capture: Path, fields: Sequence[str] = FIELDS) -> list[dict[str, list[int]]]:
    """Dropzero's fields of each of its packets, by name."""
    return list(dissecting(plugin, capture, fields))


def dissecting(plugin: Path, capture: Path, fields: Sequence[str]) -> Iterator[dict[str, list[int]]]:
    """The same, one packet after the other."""
    columns = [option for name in fields for option in ("-e", f"dropzero.{name}")]
    for row in lines(plugin, capture, "-Y", "dropzero", "-T", "fields", *columns):
        yield dict(zip(fields, map(_numbers, row.rstrip("\n").split("\t")), strict=True))


def _numbers(text: str) -> list[int]:
    return [int(each, 0) for each in text.split(",") if each]


def expected(packet: Packet) -> dict[str, list[int]]:
    """The same fields, as the project's own decoder reads them."""
    request = packet.kind in (Kind.CONTRIBUTION, Kind.QUERY)
    chunks = [column.next - ASSIGNED for column in packet.columns if ASSIGNED <= column.next < NO_BLOCK]
    announced = [column for column in packet.columns if not ASSIGNED <= column.next < NO_BLOCK]
    bits = packet.width.bits
    words = [int(word) & 0xFFFFFFFF for column in sorted(packet.data) for word in packet.data[column]]
    parts = [word >> shift & (1 << bits) - 1 for word in words for shift in range(32 - bits, -1, -bits)]
    return {
        "version": [VERSION],
        "marked": [packet.marked],
        "congested": [packet.congested],
        "kind": [packet.kind],
        "mask": [packet.mask],
        "columns": [len(packet.columns)],
        "operation": [packet.operation],
        "width": [packet.width],
        "declines": [packet.declines],
        "worker": [packet.worker],
        "job": [packet.job],
        "lane": [packet.lane],
        "epoch": [packet.epoch],
        "round": [packet.round],
        "workers": [] if request else [packet.workers],
        "call": [packet.workers] if request else [],
        "secret": [packet.secret],
        "block": [column.block for column in packet.columns],
        "next": [column.next for column in announced],
        "chunk": chunks,
        "exponent": [column.exponent for column in announced],
        "element": [part - (part >> bits - 1 << bits) for part in parts],
    }


def capture_of(path: Path, packets: Iterable[Packet | bytes], tos: int = 0) -> Path:
    payloads = [packet.encode() if isinstance(packet, Packet) else packet for packet in packets]
    frame = Ether() / IP(src="10.0.0.1", dst="10.0.0.254", tos=tos) / UDP(sport=UDP_PORT, dport=UDP_PORT)
    wrpcap(str(path), [frame / payload for payload in payloads])
    return path


PLAIN = Packet(Kind.CONTRIBUTION, job=1, lane=2, epoch=3, round=4, worker=5, columns=(Column(),) * 8)


def test_the_dissector_reads_every_field_as_the_project_does(plugin: Path, tmp_path: Path) -> None:
    record(tmp_path)
    for capture in captures(tmp_path):
        packets = list(capture.packets())
        found = dissected(plugin, capture.path)
        for row in found:
            row.pop("repeats")
        assert found == [expected(packet) for packet in packets]


def test_elements_are_read_in_their_width(plugin: Path, tmp_path: Path) -> None:
    words = np.random.default_rng(0).integers(-(2**31), 2**31, (2, 32)).astype(np.int32)
    columns = (Column(7, ASSIGNED + 9),) * 8
    packets = [
        replace(PLAIN, operation=operation, width=width, data={1: words[0], 6: words[1]}, columns=columns)
        for operation, width in product(Operation, Width)
    ]
    found = dissected(plugin, capture_of(tmp_path / "widths.pcap", packets))
    assert [row | {"repeats": []} for row in found] == [expected(packet) | {"repeats": []} for packet in packets]


@pytest.mark.parametrize("snap", [50, OUTER_BYTES + 24, 100, 150, 300])
def test_a_limited_capture_is_not_malformed(plugin: Path, tmp_path: Path, snap: int) -> None:
    """As by `tcpdump -s 100`."""
    data = {column: np.full(32, column, np.int32) for column in (1, 6)}
    packets = [replace(PLAIN, columns=(Column(7, 9),) * 8, data=data), replace(PLAIN, round=5)]
    path = capture_of(tmp_path / "whole.pcap", packets)
    with RawPcapReader(str(path)) as reader:
        frames = [content for content, _ in reader]
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(pcap([(1, 0, frame) for frame in frames], snap=snap))
    assert tshark(plugin, cut, "-Y", WRONG) == ""
    limited = tshark(plugin, cut, "-Y", "dropzero.cut", "-T", "fields", "-e", "frame.len").split()
    assert limited == [str(len(frame)) for frame in frames if len(frame) > snap]
    if snap >= OUTER_BYTES + 24:
        found, whole = dissected(plugin, cut), dissected(plugin, path)
        assert [row["round"] for row in found] == [[4], [5]]
        assert all(
            row[name] == known[name][: len(row[name])]
            for row, known in zip(found, whole, strict=True)
            for name in FIELDS
        )


def test_a_retransmission_names_the_original_frame(plugin: Path, tmp_path: Path) -> None:
    other = replace(PLAIN, round=5)
    found = dissected(plugin, capture_of(tmp_path / "again.pcap", [PLAIN, other, PLAIN, PLAIN]))
    assert [row["repeats"] for row in found] == [[], [], [1], [1]]


NOTES: list[tuple[Packet | bytes, str]] = [
    (replace(PLAIN, kind=Kind.CONFLICT, workers=0b101, columns=()), "another call was made by 0, 2"),
    (replace(PLAIN, kind=Kind.MISSING, workers=0b10, columns=()), "the switch waits for 1"),
    (replace(PLAIN, kind=Kind.MISSING, columns=()), "the switch waits for no worker"),
    (replace(PLAIN, kind=Kind.WAITING, columns=()), "the switch waits for workers of other switches"),
    (replace(PLAIN, kind=Kind.EPOCH, columns=()), "The job is in another epoch"),
    (replace(PLAIN, marked=True), "Met a long queue"),
    (replace(PLAIN, round=9, columns=(Column(0, 3, NOT_FINITE - 126),)), "A block holds a NaN or an infinity"),
    (PLAIN.encode()[:-1], "95 bytes, where 8 columns with 0 of data take 96"),
    (bytes([PLAIN.encode()[0] | 7]) + PLAIN.encode()[1:], "no packet is of this kind"),
    (bytes([4 << 5]) + PLAIN.encode()[1:], f"version 4, where this dissector knows {VERSION}"),
]


def test_notable_packets_have_an_expert_note(plugin: Path, tmp_path: Path) -> None:
    packets, expected_notes = zip(*NOTES, strict=True)
    capture = capture_of(tmp_path / "noted.pcap", packets)
    found = tshark(plugin, capture, "-Y", "dropzero", "-T", "fields", "-e", "_ws.expert.message").splitlines()
    assert found == list(expected_notes)


@pytest.mark.parametrize(("tos", "marks"), [(2, []), (3, [1])], ids=["ECT", "CE"])
def test_a_mark_in_the_ip_header_is_noted(plugin: Path, tmp_path: Path, tos: int, marks: list[int]) -> None:
    (row,) = dissected(plugin, capture_of(tmp_path / "queue.pcap", [PLAIN], tos), ["queue"])
    assert row["queue"] == marks


def test_what_an_icmp_error_quotes_is_no_packet(plugin: Path, tmp_path: Path) -> None:
    """As from a worker that has ended before its last results come."""
    capture = capture_of(tmp_path / "error.pcap", [PLAIN])
    (frame,) = rdpcap(str(capture))
    quoted = bytes(frame[IP])[:60]
    wrpcap(str(capture), [frame, Ether() / IP() / ICMP(type="dest-unreach", code="port-unreachable") / quoted])
    assert len(dissected(plugin, capture)) == 1
    assert tshark(plugin, capture, "-Y", WRONG) == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_counts_and_sums_match_the_audit(plugin: Path, tmp_path: Path) -> None:
    """A run with losses, on links that are so slow that there may be marks. DISSECTED=folder has another's captures."""
    folder = Path(os.environ.get("DISSECTED") or tmp_path / "run" / "pcaps")
    if not folder.exists():
        train(tmp_path / "run", "--pcap", "--loss", "0.02", "--rate", "10", workers=3, steps=8, switch="softswitch")
    found = audit(folder)
    results = found.results
    rounds, kinds, again, marked = set(), Counter[int](), 0, 0
    for capture in captures(folder):
        assert tshark(plugin, capture.path, "-Y", WRONG) == ""
        for row in dissecting(plugin, capture.path, ("kind", *PLACE, "queue", "repeats", "mask", "element")):
            (kind,) = row["kind"]
            kinds[kind] += 1
            marked += bool(row["queue"])
            if kind == Kind.CONTRIBUTION:
                again += bool(row["repeats"])
            elif kind == Kind.RESULT:
                name = RoundId(*(number for key in PLACE for number in row[key]))
                rounds.add(name)
                columns = [column for column in range(8) if row["mask"][0] >> column & 1]
                assert row["element"] == expected(with_columns(results[name], columns))["element"]
    assert min(len(rounds), again) > 0
    assert rounds == results.keys()
    assert (kinds.total(), again, marked) == (found.packets, found.duplicates, found.marked)
    assert sum(kinds[kind] for kind in (Kind.MISSING, Kind.WAITING, Kind.EPOCH, Kind.CONFLICT)) == found.asked


def with_columns(result: Packet, columns: Iterable[int]) -> Packet:
    """A result with some of its columns: one packet has them all, or a part of them."""
    return replace(result, data={column: result.data[column] for column in columns})


def test_bitmaps_are_shown_as_ranks(plugin: Path, tmp_path: Path) -> None:
    bitmap = 1 << 31 | 0b1001
    result = replace(PLAIN, kind=Kind.RESULT, workers=bitmap)
    (line,) = tshark(plugin, capture_of(tmp_path / "result.pcap", [result])).splitlines()
    assert f"contributed: {', '.join(map(str, ranks(bitmap)))}" in line


def test_tshark_accepts_the_colouring_rules(plugin: Path, tmp_path: Path) -> None:
    path = capture_of(tmp_path / "one.pcap", [PLAIN])
    lines = CliRunner().invoke(app, ["dissector", "--colors"]).output.splitlines()
    rules = {line.split("@")[1]: line.split("@")[2] for line in lines if line.startswith("@")}
    assert rules.keys() >= {f"Dropzero {kind.name.lower()}" for kind in Kind}
    assert [name for name, rule in rules.items() if tshark(plugin, path, "-Y", rule)] == ["Dropzero contribution"]
