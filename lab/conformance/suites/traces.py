"""Compare traces of packets with BMv2's golden traces: what its own tests of structured packet traces expect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import text_format

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import Exact
from dropzero.softswitch.state.reports import Report
from dropzero.softswitch.tracing import packet_trace_pb2 as pb
from dropzero.softswitch.tracing.tree import follow
from lab.conformance.harness.scorecard import Outcome

TESTDATA = Path("targets/simple_switch/tests/testdata")
DEFAULT = re.compile(r"  (\S+): set default action (\S+)\((.*)\)")
ENTRY = re.compile(r"  (\S+): add entry \[(.*)\] => (\S+)\((.*)\)")
PACKET = re.compile(r"  port=(\d+) len=(\d+)(?: bytes=([0-9a-f]*)| \(payload not shown.*)")
Left = tuple[int, int, bytes | None]
"""A packet that left: its port, its bytes, and its content, unless that depends on the time."""


@dataclass
class Case:
    """One test of a golden file.

    tables: the lines that program tables. packets: (port, content) of those that arrive. left: those that leave.
    traces: one for each packet that arrives
    """

    name: str
    program: str
    tables: list[str]
    packets: list[tuple[int, bytes]]
    left: list[Left]
    traces: list[pb.PacketTrace]

    @classmethod
    def parse(cls, text: str) -> Case:
        """Read a test, from its name to its last trace. Raises ValueError."""
        match = re.search(
            r"^Packet trace test: (?P<name>.*?)\n.*^P4 pipeline: (?P<program>\S+)\n^Table programming.*?:\n"
            r"(?P<tables>.*?)^Input packets:\n(?P<packets>.*?)^-- OUTPUT.*?^Output packets:\n(?P<left>.*?)"
            r"^(?:Number of p|P)acket traces:.*?\n(?P<traces>.*)",
            text,
            re.MULTILINE | re.DOTALL,
        )
        if match is None:
            raise ValueError("this is not a test of packet traces")
        arrived, left = (
            [
                (int(port), int(size), bytes.fromhex(content) if content else None)
                for port, size, content in PACKET.findall(part)
            ]
            for part in match.group("packets", "left")
        )
        traces = re.split(r"^--- trace.*\n", match["traces"].strip().strip("="), flags=re.MULTILINE)[1:]
        return cls(
            match["name"],
            match["program"],
            [line for line in match["tables"].splitlines() if line.strip() != "(none)"],
            [(port, content or b"") for port, _, content in arrived],
            left,
            [text_format.Parse(each, pb.PacketTrace()) for each in traces],
        )


def run(checkout: Path, *, only: str) -> Iterator[Outcome]:
    """Yield one outcome for each test of each golden file."""
    for path in sorted((checkout / TESTDATA).glob("*.trace")):
        for text in re.split(r"(?=^Packet trace test: )", path.read_text(), flags=re.MULTILINE)[1:]:
            case = Case.parse(text)
            if only in case.name:
                yield judge(case, path.with_name(case.program))


def judge(case: Case, program: Path) -> Outcome:
    """Send the packets of a test through a program, and compare."""
    reports: list[Report] = []
    engine = Engine(load_program(program), follow=reports.append)
    for line in case.tables:
        fill(engine, line)
    traces = [follow(engine, reports, port, content) for port, content in case.packets]
    left = [each for trace in traces for each in packets(trace.root)]
    shown = [content is not None for _, _, content in case.left]
    hidden = [(port, size, content if show else None) for (port, size, content), show in zip(left, shown, strict=False)]
    if hidden != case.left or len(left) != len(case.left):
        return Outcome(case.name, "fail", f"{left} left, not {case.left}")
    for trace, golden in zip(traces, case.traces, strict=True):
        if (said := as_bmv2(trace, golden)) != golden:
            return Outcome(case.name, "fail", f"the trace is {said}, not {golden}")
    return Outcome(case.name, "pass")


def fill(engine: Engine, line: str) -> None:
    """Carry out a line that programs a table. Raises ValueError."""
    if match := DEFAULT.fullmatch(line):
        engine.tables[match[1]].set_default(match[2], numbers(match[3]))
    elif match := ENTRY.fullmatch(line):
        engine.tables[match[1]].insert(tuple(map(Exact, numbers(match[2]))), match[3], numbers(match[4]))
    else:
        raise ValueError(f"the line {line!r} is not known")


def as_bmv2(trace: pb.PacketTrace, golden: pb.PacketTrace) -> pb.PacketTrace:
    """What BMv2 says of a trace: the first pass's stages, and, if the golden trace has it, how the packet ended."""
    said = pb.PacketTrace(input=pb.InputPacket(ingress_port=trace.input.ingress_port))
    for event in trace.root.events:
        if event.HasField("pipeline_stage"):
            stage = said.root.events.add().pipeline_stage
            stage.CopyFrom(event.pipeline_stage)
            stage.ClearField("parser_error")
    match golden.root.WhichOneof("outcome"):
        case "transmit" if trace.root.HasField("transmit"):
            given = trace.root.transmit
            said.root.transmit.egress_port, said.root.transmit.packet_size = given.egress_port, given.packet_size
        case "drop" if trace.root.HasField("drop"):
            said.root.drop.SetInParent()
    return said


def packets(tree: pb.TraceTree) -> Iterator[Left]:
    if tree.HasField("transmit"):
        yield tree.transmit.egress_port, tree.transmit.packet_size, tree.transmit.content
    for branch in tree.branches:
        yield from packets(branch)


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(each, 0) for each in text.split(",") if each.strip())
