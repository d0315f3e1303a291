"""Run Stratum's test vectors for P4Runtime: files with requests and packets, and the expected answers and packets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import grpc
from google.protobuf import text_format

from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from lab.conformance.harness.p4runtime import Set, bid
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.harness.switches import ANSWER_SECONDS, EMBEDDED, Duplex, PacketStream, running

PIPELINE = "PipelineConfig.pb.txt"
DEVICE, CPU_PORT, ELECTION = 1, 253, 4
"""The numbers that the vectors for BMv2 use."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#[^\n]*|[<>{}]|[^\s<>{}"]+')


class Mismatch(Exception):
    """The switch does not do what a vector expects. The message says what."""


@dataclass
class Node:
    """A protobuf message in text format, parsed without its definition.

    Attributes:
        text: the content.
        children: (name, message) for each field that is a message, in order.
    """

    text: str = ""
    children: list[tuple[str, Node]] = field(default_factory=list)

    @classmethod
    def parse(cls, text: str) -> Node:
        """Parse a message. Raises ValueError if brackets do not match."""
        root = cls(text)
        open_nodes, name = [(root, 0)], ""
        for token in TOKEN.finditer(text):
            word = token[0]
            if word in "<{":
                node = cls()
                open_nodes[-1][0].children.append((name, node))
                open_nodes.append((node, token.end()))
            elif word in ">}":
                node, begin = open_nodes.pop()
                node.text = text[begin : token.start()]
            elif word[0] not in '"#':
                name = word.rstrip(":")
        if len(open_nodes) != 1:
            raise ValueError("brackets do not match")
        return root

    def all(self, *path: str) -> Iterator[Self]:
        """Yield the messages at a path of fields."""
        for name, node in self.children:
            if name == path[0]:
                yield from node.all(*path[1:]) if len(path) > 1 else [node]  # type: ignore[misc]

    def values(self, name: str) -> list[str]:
        """Return the values of a field that is not a message."""
        return re.findall(rf'(?m)^\s*{name}:\s*("(?:[^"\\]|\\.)*"|[^\s"]+)', self.text)

    def into(self, message: Any) -> Any:
        """Parse the content into a protobuf message, and return that."""
        return text_format.Parse(self.text, message)


def run(checkout: Path, build: Path, *, only: str) -> Iterator[Outcome]:
    """Yield one outcome for each test case of each vector."""
    build.mkdir(parents=True, exist_ok=True)
    folder = checkout / "bmv2"
    command = [*EMBEDDED, "--device-id", str(DEVICE), "--cpu-port", str(CPU_PORT)]
    with (
        running(command, build / "switch.log") as started,
        closing(Client(started.control)) as client,
        closing(PacketStream(started.dataplane, DEVICE)) as stream,
    ):
        for path in (folder / PIPELINE, *sorted((folder / "p4runtime").glob("*.pb.txt"))):
            if path.name != PIPELINE and only not in path.name:
                continue
            for case in Node.parse(path.read_text()).all("test_cases"):
                name = f"{path.name.partition('.')[0]}/{case.values('test_case_id')[-1].strip(chr(34))}"
                yield judge(name, case, client, stream)


def judge(name: str, case: Node, client: Client, stream: PacketStream) -> Outcome:
    try:
        for action in case.all("action_groups", "sequential_action_group", "actions"):
            act(action, client, stream)
        check(list(case.all("expectations")), client, stream)
    except grpc.RpcError as error:
        return Outcome(name, "fail", f"{error.code().name}: {error.details()}")
    except Mismatch as mismatch:
        return Outcome(name, "fail", str(mismatch))
    return Outcome(name, "pass")


def act(action: Node, client: Client, stream: PacketStream) -> None:
    """Carry out an action. Raises grpc.RpcError."""
    operation = "control_plane_operation"
    for request in action.all(operation, "pipeline_config_operation", "p4_set_pipeline_config_request"):
        client.stub.SetForwardingPipelineConfig(request.into(Set()), timeout=ANSWER_SECONDS)
    for request in action.all(operation, "write_operation", "p4_write_request"):
        client.stub.Write(request.into(p4runtime_pb2.WriteRequest()), timeout=ANSWER_SECONDS)
    for packet in action.all(operation, "packet_out_operation", "p4_packet_out"):
        client.put(p4runtime_pb2.StreamMessageRequest(packet=packet.into(p4runtime_pb2.PacketOut())))
    for stimulus in action.all("data_plane_stimulus", "traffic_stimulus"):
        for packet in stimulus.all("packets"):
            stream.send(int(stimulus.values("port")[-1]), payload(packet))


def check(expectations: Sequence[Node], client: Client, stream: PacketStream) -> None:
    """Compare the packets that the switch sends with those expected. Raises Mismatch."""
    wanted: list[tuple[int, bytes]] = []
    reports = []
    for each in expectations:
        for traffic in each.all("data_plane_expectation", "traffic_expectation"):
            wanted += [(int(traffic.values("ports")[0]), payload(packet)) for packet in traffic.all("packets")]
        for packet in each.all("control_plane_expectation", "packet_in_expectation", "p4_packet_in"):
            reports.append(plain(packet.into(p4runtime_pb2.PacketIn())))
    sent = stream.receive(len(wanted))
    if sorted(sent) != sorted(wanted):
        raise Mismatch(f"packets {shown(sent)} left, not {shown(wanted)}")
    packets_in = [plain(message.packet) for message in client.take(len(reports)) if message.HasField("packet")]
    # A vector need not name all metadata.
    as_wanted = [
        content == wanted and given.items() >= metadata.items()
        for (content, given), (wanted, metadata) in zip(packets_in, reports, strict=False)
    ]
    if len(packets_in) != len(reports) or not all(as_wanted):
        raise Mismatch(f"the controller got {packets_in}, not {reports}")


def payload(packet: Node) -> bytes:
    (text,) = packet.values("payload")
    return bytes(text_format.Parse(f"payload: {text}", p4runtime_pb2.PacketOut()).payload)


def plain(packet: Any) -> tuple[bytes, dict[int, int]]:
    """Return a packet's payload and metadata. Numbers, because values may have different lengths."""
    return packet.payload, {each.metadata_id: int.from_bytes(each.value, "big") for each in packet.metadata}


def shown(packets: Sequence[tuple[int, bytes]]) -> list[str]:
    return [f"{port}: {content.hex()[:80]}" for port, content in packets]


class Client(Duplex):
    """The stream of a switch's primary client."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
        super().__init__(self.stub.StreamChannel)
        self.put(bid(ELECTION, DEVICE))
        self.take(1, 0)
