"""Loads a program and its state: from P4Runtime text, the JSON of p4lang's tutorials and simple_switch_CLI's commands,
or from a running switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import text_format

from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.offline import runtime_json
from dropzero.softswitch.p4runtime.device import Device, Request
from dropzero.softswitch.p4runtime.entries import batch
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.runtime_cli import script

P4INFO_SUFFIXES = (".p4info.txtpb", ".p4info.txt", ".p4.p4info.txtpb", ".p4.p4info.txt")
ALL = (
    "action_profile_member {}",
    "action_profile_group {}",
    "table_entry { meter_config {} }",
    "table_entry { is_default_action: true }",
    "meter_entry {}",
    "register_entry {}",
    "value_set_entry {}",
    "packet_replication_engine_entry { multicast_group_entry {} }",
    "packet_replication_engine_entry { clone_session_entry {} }",
)
"""The entities that affect packets, as wildcard reads, in an order in which they can be written."""
INSERTED = frozenset(
    {"table_entry", "action_profile_member", "action_profile_group", "packet_replication_engine_entry"}
)
"""The entities that are inserted. The others exist from the start, and are modified."""
SECONDS = 10
"""Timeout of a request to a running switch."""
Update = p4runtime_pb2.Update


def set_up(
    switch: Switch,
    program: Path | RunningSwitch,
    entries: Iterable[Path] = (),
    commands: Iterable[Path] = (),
    p4info: Path | None = None,
) -> None:
    """Loads a program into a switch, writes entries, and runs commands.

    program:  p4c's JSON; or a running switch, whose program and state are copied
    entries:  files of entries (see updates_in)
    commands: files of simple_switch_CLI's commands
    p4info:   None: the file next to the JSON. Only entries need it

    Raises:
        ValueError: a file has an error.
        OSError: a file cannot be read.
    """
    entries = list(entries)
    try:
        if isinstance(program, Path) and not entries and p4info is None:
            switch.replace(switch.compile(load_program(program)))
        else:
            device = Device(switch)
            updates = [] if isinstance(program, Path) else program.updates
            config = config_of(program, p4info) if isinstance(program, Path) else program.config
            device.configure(Request.VERIFY_AND_COMMIT, config)
            assert device.pipeline is not None
            write(device.pipeline, [*updates, *(each for path in entries for each in updates_in(path, config.p4info))])
    except Refusal as refusal:
        raise ValueError(str(refusal)) from None
    for path in commands:
        script.run(switch, path)


def config_of(program: Path, p4info: Path | None = None) -> Any:
    """The p4.v1.ForwardingPipelineConfig of a program. p4info: None: the file next to the JSON. Raises ValueError or
    OSError."""
    p4info = p4info or p4info_of(program)
    if p4info is None:
        wanted = program.stem + P4INFO_SUFFIXES[0]
        raise ValueError(f"P4Runtime entries need the P4Info: there is no {wanted}, so give --p4info FILE")
    config = p4runtime_pb2.ForwardingPipelineConfig(p4_device_config=program.read_bytes())
    config.p4info.CopyFrom(_parsed(p4info, p4info.read_text(), p4info_pb2.P4Info()))
    return config


def p4info_of(program: Path) -> Path | None:
    """Returns the P4Info next to a program's JSON; None: there is none."""
    beside = (program.with_name(program.stem + suffix) for suffix in P4INFO_SUFFIXES)
    return next((path for path in beside if path.exists()), None)


def updates_in(path: Path, p4info: Any) -> list[Any]:
    """Reads updates from a file: a p4.v1.WriteRequest or ReadResponse in text format, or JSON of p4lang's tutorials.
    Raises ValueError or OSError."""
    text = path.read_text(errors="replace")
    if text.lstrip().startswith("{"):
        try:
            return list(runtime_json.updates(text, p4info))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    if text.lstrip().startswith("entities"):
        return list(_updates(_parsed(path, text, p4runtime_pb2.ReadResponse()).entities, p4info))
    return list(_parsed(path, text, p4runtime_pb2.WriteRequest()).updates)


def write(pipeline: Pipeline, updates: Iterable[Any]) -> None:
    """Writes updates. Raises ValueError at the first one that is refused."""
    request = p4runtime_pb2.WriteRequest
    for update in updates:
        (refusal,) = batch.write(pipeline, [update], request.CONTINUE_ON_ERROR)
        if refusal is not None:
            shown = text_format.MessageToString(update, as_one_line=True)
            raise ValueError(f"the update {shown} is refused: {refusal}")


class RunningSwitch:
    """The program and state of a running switch, read over P4Runtime.

    Attributes:
        config: the p4.v1.ForwardingPipelineConfig
        updates: p4.v1.Updates that restore its state
        unread: the kinds of entities that the switch cannot read, such as BMv2's registers

    Raises:
        ValueError: the switch does not answer, or has no program.
    """

    def __init__(self, address: str, device: int) -> None:
        self.unread: list[str] = []
        with grpc.insecure_channel(address) as channel:
            stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
            try:
                request = p4runtime_pb2.GetForwardingPipelineConfigRequest(device_id=device)
                self.config = stub.GetForwardingPipelineConfig(request, timeout=SECONDS).config
                self.updates = list(_updates(self._entities(stub, device), self.config.p4info))
            except grpc.RpcError as error:
                raise ValueError(f"the switch at {address}: {error.details()}") from None

    def _entities(self, stub: Any, device: int) -> Iterator[Any]:
        for wanted in ALL:
            request = p4runtime_pb2.ReadRequest(
                device_id=device, entities=[text_format.Parse(wanted, p4runtime_pb2.Entity())]
            )
            try:
                for response in stub.Read(request, timeout=SECONDS):
                    yield from response.entities
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNIMPLEMENTED:
                    raise
                self.unread.append(wanted.split()[0])


def _updates(entities: Iterable[Any], p4info: Any) -> Iterator[Any]:
    """Yields the updates that restore the entities, except those that the program fixes."""
    fixed = {(table.preamble.id, False) for table in p4info.tables if table.is_const_table}
    fixed |= {(table.preamble.id, True) for table in p4info.tables if table.const_default_action_id}
    for entity in entities:
        entry = entity.table_entry
        if entity.HasField("table_entry") and (
            (entry.table_id, entry.is_default_action) in fixed or entry.is_const or not entry.HasField("action")
        ):
            continue
        inserted = entity.WhichOneof("entity") in INSERTED and not entry.is_default_action
        yield Update(type=Update.INSERT if inserted else Update.MODIFY, entity=entity)


def _parsed(path: Path, text: str, message: Any) -> Any:
    try:
        return text_format.Parse(text, message)
    except text_format.ParseError as error:
        raise ValueError(f"{path} is not a {message.DESCRIPTOR.full_name} in text format: {error}") from None
