"""Every kind of P4Runtime entity, and the module that reads and writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch import (
    clone_entries,
    counter_entries,
    digest_entries,
    direct_entries,
    meter_entries,
    multicast_entries,
    profile_entries,
    register_entries,
    table_entries,
    value_set_entries,
)
from dropzero.softswitch.pipeline import Pipeline
from dropzero.softswitch.refusal import Refusal, invalid, unimplemented

Writer = Callable[[Pipeline, int, Any], None]
Reader = Callable[[Pipeline, Any], Iterator[Any]]

KINDS: dict[str, tuple[Writer, Reader]] = {
    "table_entry": (table_entries.write, table_entries.read),
    "action_profile_member": (profile_entries.write_member, profile_entries.read_members),
    "action_profile_group": (profile_entries.write_group, profile_entries.read_groups),
    "meter_entry": (meter_entries.write, meter_entries.read),
    "direct_meter_entry": (direct_entries.write_meter, direct_entries.read_meter),
    "counter_entry": (counter_entries.write, counter_entries.read),
    "direct_counter_entry": (direct_entries.write_counter, direct_entries.read_counter),
    "multicast_group_entry": (multicast_entries.write, multicast_entries.read),
    "clone_session_entry": (clone_entries.write, clone_entries.read),
    "value_set_entry": (value_set_entries.write, value_set_entries.read),
    "register_entry": (register_entries.write, register_entries.read),
    "digest_entry": (digest_entries.write, digest_entries.read),
}


def write(pipeline: Pipeline, update: Any) -> None:
    """Carries out one p4.v1.Update. Raises Refusal."""
    kind, entry = _entry(update.entity)
    if update.type == p4runtime_pb2.Update.UNSPECIFIED:
        raise invalid("Update type is not set")
    if update.type not in p4runtime_pb2.Update.Type.values():
        raise invalid("Invalid update type")
    KINDS[kind][0](pipeline, update.type, entry)


def read(pipeline: Pipeline, entity: Any) -> Iterator[Any]:
    """The entities that `entity`, perhaps with wildcards, asks for. Raises Refusal."""
    kind, entry = _entry(entity)
    return KINDS[kind][1](pipeline, entry)


def _entry(entity: Any) -> tuple[str, Any]:
    kind = entity.WhichOneof("entity")
    if kind is None:
        raise Refusal(code_pb2.UNKNOWN, "Incorrect entity type")
    entry = getattr(entity, kind)
    if kind == "packet_replication_engine_entry":
        kind = entry.WhichOneof("type")
        if kind is None:
            raise invalid("Invalid PRE operation")
        entry = getattr(entry, kind)
    if kind not in KINDS:
        raise unimplemented(f"There is no {kind} on this switch")
    return kind, entry
