"""`dropzero switch trace`: its packets, and the entries that they find."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory, text_format
from google.protobuf.message import Message
from typer.testing import CliRunner

from dropzero.cli import build
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.offline.packets import from_hex, from_pcap
from dropzero.softswitch.tracing import packet_trace_pb2 as pb
from dropzero.softswitch.tracing.text import lines
from tests.support.p4runtime_client import INSERT, PROGRAMS, Client, kinds, station, update

KINDS = str(PROGRAMS / "kinds.json")
STATION = 0x020000000001
PACKET = STATION.to_bytes(6, "big") + bytes(6) + b"\x12\x34" + bytes(46)
Trace = Callable[..., list[str]]


@pytest.fixture
def trace() -> Trace:
    """A function that runs the command and returns its output."""

    def run(*arguments: str, status: int = 0) -> list[str]:
        done = CliRunner().invoke(build("switch"), ["switch", "trace", *arguments])
        assert done.exit_code == status, done.output
        return done.output.splitlines()

    return run


def text(folder: Path, message: Message) -> str:
    """A file with a message in text format."""
    path = folder / "message"
    path.write_text(text_format.MessageToString(message))
    return str(path)


def test_entries_come_from_a_file_of_commands(trace: Trace, tmp_path: Path) -> None:
    commands = tmp_path / "commands"
    commands.write_text("# where stations are\ntable_add In.station In.send_to 0x020000000001 => 3\n\n")
    lines = trace(KINDS, "--packet", PACKET.hex(), "--commands", str(commands))
    assert lines[0] == "packet of 60 bytes into port 1"
    assert "│  │  └─ In.send_to(port 3)" in lines
    assert "   └─ 60 bytes out of port 3" in lines


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("show_tables\ntable_add In.nowhere x 1 => 2", "2: Error: Invalid table name (In.nowhere)"),
        ("fly", "1: Error: there is no verb fly"),
        (2 * "table_add In.station In.send_to 1 => 3\n", "2: Invalid table operation (DUPLICATE_ENTRY)"),
    ],
)
def test_a_command_that_fails_is_named(trace: Trace, tmp_path: Path, commands: str, reason: str) -> None:
    path = tmp_path / "commands"
    path.write_text(commands)
    assert trace(KINDS, "--packet", "00", "--commands", str(path), status=2) == [f"dropzero: {path}:{reason}"]


def test_entries_come_from_text_of_p4runtime(trace: Trace, tmp_path: Path) -> None:
    request = p4runtime_pb2.WriteRequest(updates=[update(INSERT, station(STATION, 2))])
    assert "   └─ 60 bytes out of port 2" in trace(
        KINDS, "--packet", PACKET.hex(), "--entries", text(tmp_path, request)
    )
    answer = p4runtime_pb2.ReadResponse(entities=[request.updates[0].entity])
    assert "   └─ 60 bytes out of port 2" in trace(KINDS, "--packet", PACKET.hex(), "--entries", text(tmp_path, answer))


def test_an_entry_that_is_refused_is_named(trace: Trace, tmp_path: Path) -> None:
    twice = p4runtime_pb2.WriteRequest(updates=2 * [update(INSERT, station(STATION, 2))])
    (line,) = trace(KINDS, "--packet", "00", "--entries", text(tmp_path, twice), status=2)
    assert line.startswith("dropzero: the update type: INSERT entity { table_entry {")
    (tmp_path / "message").write_text("updates { nothing: 1 }")
    (line,) = trace(KINDS, "--packet", "00", "--entries", str(tmp_path / "message"), status=2)
    assert "message is not a p4.v1.WriteRequest in text format: 1:11" in line


@pytest.mark.parametrize("constant", [True, False], ids=["const entries", "entries, as p4c 1.2.5 calls them"])
def test_program_and_entries_come_from_a_running_switch(
    constant: bool, client: Client, trace: Trace, tmp_path: Path
) -> None:
    config = kinds()
    for table in config.p4info.tables:
        table.has_initial_entries = table.is_const_table
        table.is_const_table &= constant
    client.push(config)
    client.insert(station(STATION, 7))
    client.insert(
        "packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 1 "
        "replicas { egress_port: 2 instance: 1 } } }"
    )
    client.insert(
        'table_entry { table_id: $In.station match { field_id: 1 exact { value: "\\x05" } } '
        'action { action { action_id: $In.flood params { param_id: 1 value: "\\x01" } } } }'
    )
    lines = trace("--from", f"unix:{tmp_path}/p4runtime", "--packet", PACKET.hex())
    assert "   └─ 60 bytes out of port 7" in lines
    flooded = trace("--from", f"unix:{tmp_path}/p4runtime", "--packet", "000000000005" + PACKET[6:].hex())
    assert "   └─ copy to port 2" in flooded
    (line,) = trace("--from", f"unix:{tmp_path}/p4runtime", "--device-id", "3", "--packet", "00", status=2)
    assert line == (
        f"dropzero: the switch at unix:{tmp_path}/p4runtime: No forwarding pipeline config set for this device"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--packet", "00"], "give a JSON program, or --from the address of a running switch"),
        ([KINDS], "give --packet, or --pcap and --number"),
        ([KINDS, "--packet", "0g"], "a packet is an even number of hexadecimal digits, not '0g'"),
        ([str(PROGRAMS / "kinds.p4"), "--packet", "00"], "not a program that p4c wrote for BMv2"),
        (["/nowhere", "--packet", "00"], "/nowhere: No such file or directory"),
    ],
)
def test_wrong_arguments_are_explained(trace: Trace, arguments: list[str], reason: str) -> None:
    assert trace(*arguments, status=2)[0].startswith(f"dropzero: {reason}")


def test_p4info_is_looked_for_beside_the_program(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "alone.json").write_bytes((PROGRAMS / "kinds.json").read_bytes())
    entries = text(tmp_path, p4runtime_pb2.WriteRequest(updates=[update(INSERT, station(STATION, 2))]))
    alone = [str(tmp_path / "alone.json"), "--packet", PACKET.hex(), "--entries", entries]
    assert trace(*alone, status=2) == [
        "dropzero: P4Runtime entries need the P4Info: there is no alone.p4info.txtpb, so give --p4info FILE"
    ]
    assert trace(*alone, "--p4info", str(PROGRAMS / "kinds.p4info.txtpb"))


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_packet_comes_from_a_capture(order: str, tmp_path: Path) -> None:
    path = tmp_path / "capture.pcap"
    records = b"".join(struct.pack(f"{order}IIII", 1, 0, len(each), 60) + each for each in (b"first", b"second"))
    path.write_bytes(struct.pack(f"{order}IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + records)
    assert from_pcap(path, 2) == b"second"
    with pytest.raises(ValueError, match="has 2 packets, so there is no packet 3"):
        from_pcap(path, 3)
    path.write_bytes(b"\x0a\x0d\x0d\x0a")
    with pytest.raises(ValueError, match="not a pcap file"):
        from_pcap(path, 1)


def test_hex_digits_may_be_separated() -> None:
    assert from_hex("0x01:02 03\n04") == bytes([1, 2, 3, 4])


def bmv2_trace() -> Any:
    """An empty PacketTrace of BMv2, with the fields of its proto/packet_trace.proto of 2026 and no others."""
    file = text_format.Parse(
        """
        name: "bmv2" package: "p4.bm" syntax: "proto3"
        message_type { name: "PacketTrace"
          field { name: "input" number: 1 type: TYPE_MESSAGE type_name: ".p4.bm.InputPacket" label: LABEL_OPTIONAL }
          field { name: "root" number: 2 type: TYPE_MESSAGE type_name: ".p4.bm.TraceTree" label: LABEL_OPTIONAL } }
        message_type { name: "InputPacket"
          field { name: "packet_id" number: 1 type: TYPE_UINT64 label: LABEL_OPTIONAL }
          field { name: "ingress_port" number: 2 type: TYPE_UINT32 label: LABEL_OPTIONAL } }
        message_type { name: "TraceTree"
          field { name: "events" number: 1 type: TYPE_MESSAGE type_name: ".p4.bm.TraceEvent" label: LABEL_REPEATED }
          field { name: "transmit" number: 2 type: TYPE_MESSAGE type_name: ".p4.bm.Transmit" label: LABEL_OPTIONAL }
          field { name: "drop" number: 3 type: TYPE_MESSAGE type_name: ".p4.bm.Drop" label: LABEL_OPTIONAL } }
        message_type { name: "TraceEvent"
          field { name: "pipeline_stage" number: 1 type: TYPE_MESSAGE type_name: ".p4.bm.PipelineStageEvent"
                  label: LABEL_OPTIONAL } }
        message_type { name: "PipelineStageEvent"
          field { name: "stage_name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
          field { name: "stage_kind" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL }
          field { name: "direction" number: 3 type: TYPE_INT32 label: LABEL_OPTIONAL } }
        message_type { name: "Transmit"
          field { name: "egress_port" number: 1 type: TYPE_UINT32 label: LABEL_OPTIONAL }
          field { name: "packet_size" number: 2 type: TYPE_UINT32 label: LABEL_OPTIONAL } }
        message_type { name: "Drop" }
        """,
        descriptor_pb2.FileDescriptorProto(),
    )
    return message_factory.GetMessages([file], pool=descriptor_pool.DescriptorPool())["p4.bm.PacketTrace"]()


def binary(*arguments: str) -> bytes:
    done = CliRunner().invoke(build("switch"), ["switch", "trace", *arguments, "--format", "proto"])
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


def test_bmv2s_readers_find_what_it_says_too(tmp_path: Path) -> None:
    commands = tmp_path / "commands"
    commands.write_text("table_add In.station In.send_to 0x020000000001 => 3\n")
    read = bmv2_trace()
    read.ParseFromString(binary(KINDS, "--packet", PACKET.hex(), "--commands", str(commands)))
    assert (read.input.ingress_port, read.root.transmit.egress_port, read.root.transmit.packet_size) == (1, 3, 60)
    stages = [event.pipeline_stage for event in read.root.events if event.HasField("pipeline_stage")]
    assert [(stage.stage_name, stage.stage_kind, stage.direction) for stage in stages] == [
        (name, kind, direction)
        for name, kind in (("parser", 1), ("ingress", 2), ("egress", 2), ("deparser", 3))
        for direction in (1, 2)
    ]


def test_all_formats_show_the_same_trace(trace: Trace) -> None:
    message = pb.PacketTrace.FromString(binary(KINDS, "--packet", PACKET.hex()))
    shown = trace(KINDS, "--packet", PACKET.hex(), "--format", "json")
    assert json_format.Parse("\n".join(shown), pb.PacketTrace()) == message
    assert list(lines(message)) == trace(KINDS, "--packet", PACKET.hex())
