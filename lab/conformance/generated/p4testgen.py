"""Tests that p4testgen makes from p4c's sample programs: cases with one packet each, and the packet that it expects."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import text_format

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.ports import dataplane_pb2
from lab.conformance.generated.bmv2 import Bmv2
from lab.conformance.generated.campaign import DETAIL, judged, spread
from lab.conformance.generated.case import ANSWERS, P4INFO, PROGRAM, Answers, Case
from lab.conformance.harness import commands
from lab.conformance.harness.compiler import compile_program
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.suites.driver import programs

EXECUTABLE = "p4testgen"
SECONDS = 120.0
"""For the tests of one program. Those that it has written by then count."""
SEED = 1
NOT_OURS = ("no-compile", "no-tests", "refused", "unexpected", "other-crash")
"""Results that say nothing about the embedded switch."""
Update = p4runtime_pb2.Update
Message = dataplane_pb2.PacketStreamRequest
"""It has a packet and a port, as those of p4testgen's tests."""


def run(checkout: Path, executable: str, build: Path, *, only: str, most: int, jobs: int) -> Iterator[Outcome]:
    """Yield one outcome for each test of each program for v1model, in order; "no-compile" and "no-tests" are a
    program's. executable: BMv2's. most: tests of a program."""
    chosen = [
        source
        for source, architecture in programs(checkout, "p4")
        if architecture == "v1model" and source.parent.name == "p4_16_samples" and only in source.stem
    ]

    def outcomes(source: Path, bmv2: Bmv2) -> list[Outcome]:
        return list(_outcomes(source, build / source.stem, bmv2, most))

    for found in spread(chosen, outcomes, executable, build, jobs):
        yield from found


def _outcomes(source: Path, folder: Path, bmv2: Bmv2, most: int) -> Iterator[Outcome]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if complaint := compile_program(source, folder / PROGRAM):
        yield Outcome(source.stem, "no-compile", complaint[:DETAIL])
        return
    options = ["--target", "bmv2", "--arch", "v1model", "--test-backend", "PROTOBUF", "--seed", str(SEED)]
    options += ["--max-tests", str(most), "--out-dir", str(folder)]
    _, said = commands.output([EXECUTABLE, *options, str(source)], SECONDS)
    tests = sorted(folder.glob("*.txtpb"), key=lambda path: (len(path.name), path))
    if not tests:
        yield Outcome(source.stem, "no-tests", commands.first_error(said)[:DETAIL])
    for number, test in enumerate(tests, 1):
        yield _outcome(f"{source.stem}/{number}", source, test.read_text(), folder / str(number), bmv2)


def _outcome(name: str, source: Path, test: str, folder: Path, bmv2: Bmv2) -> Outcome:
    case, expected = parsed(test, source.read_text())
    case.save(folder)
    for file in (PROGRAM, P4INFO):
        (folder / file).hardlink_to(folder.parent / file)
    outcome = judged(name, case, folder, bmv2, cache=folder.parent)
    if outcome.result != "pass":
        return outcome
    left = Answers.from_json((folder / ANSWERS).read_text()).packets
    if fits(left, expected):
        return outcome
    both = f"both send {[(port, content.hex()) for port, content in left]}, not {expected}"
    return Outcome(name, "unexpected", both[:DETAIL])


Expected = tuple[int, bytes, bytes] | None
"""The port, the content and the mask of the packet that must leave, if one must."""


def parsed(test: str, source: str) -> tuple[Case, Expected]:
    """Read p4testgen's test in its PROTOBUF format, of a program with this source."""
    # Quotes in traces are not escaped.
    message = re.sub(r"^traces: .*$", "", test, flags=re.MULTILINE)
    entities = text_format.Parse(message, p4runtime_pb2.ReadResponse(), allow_unknown_field=True).entities
    sent = _packet(test, "input_packet")
    expected = _packet(test, "expected_output_packet")
    mask = re.search(r'^  packet_mask: (".*")$', test, re.MULTILINE)
    updates = tuple(Update(type=Update.INSERT, entity=each) for each in entities)
    case = Case(source, updates, ((sent.port, sent.packet),))
    if mask is None:
        return case, None
    return case, (expected.port, expected.packet, text_format.Parse(f"packet: {mask[1]}", Message()).packet)


def fits(left: list[tuple[int, bytes]], expected: Expected) -> bool:
    """Whether the packets that left are the one that is expected, or none if none is."""
    if expected is None or len(left) != 1:
        return expected is None and not left
    (port, content), (wanted_port, wanted, mask) = left[0], expected
    masked = [tuple(byte & bit for byte, bit in zip(each, mask, strict=False)) for each in (content, wanted)]
    return port == wanted_port and len(content) == len(wanted) and masked[0] == masked[1]


def _packet(test: str, field: str) -> Any:
    found = re.search(rf"^{field} \{{$(.*?)^\}}$", test, re.MULTILINE | re.DOTALL)
    return text_format.Parse(found[1] if found else "", Message(), allow_unknown_field=True)
