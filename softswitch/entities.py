"""Every kind of P4Runtime entity, and the module that reads and writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2

from softswitch import counter_entries, multicast_entries, register_entries, table_entries
from softswitch.pipeline import Pipeline
from softswitch.refusal import Refusal, invalid, unimplemented

Writer = Callable[[Pipeline, int, Any], None]
Reader = Callable[[Pipeline, Any], Iterator[Any]]

WRITERS: dict[str, Writer] = {
    "table_entry": table_entries.write,
    "direct_counter_entry": table_entries.write_counter,
    "counter_entry": counter_entries.write,
    "register_entry": register_entries.write,
    "multicast_group_entry": multicast_entries.write,
}
READERS: dict[str, Reader] = {
    "table_entry": table_entries.read,
    "direct_counter_entry": table_entries.read_counter,
    "counter_entry": counter_entries.read,
    "register_entry": register_entries.read,
    "multicast_group_entry": multicast_entries.read,
}
UNSUPPORTED = {
    "extern_entry": "Extern",
    "action_profile_member": "Action profile member",
    "action_profile_group": "Action profile group",
    "meter_entry": "Meter",
    "direct_meter_entry": "Direct meter",
    "clone_session_entry": "Clone session",
    "value_set_entry": "ValueSet",
    "digest_entry": "Digest",
}


def write(pipeline: Pipeline, update: Any) -> None:
    """Carries out one p4.v1.Update. Raises Refusal."""
    kind, entry = _entry(update.entity)
    if kind in UNSUPPORTED:
        raise unimplemented(f"{UNSUPPORTED[kind]} writes are not supported yet")
    if update.type == p4runtime_pb2.Update.UNSPECIFIED:
        raise invalid("Update type is not set")
    if update.type not in p4runtime_pb2.Update.Type.values():
        raise invalid("Invalid update type")
    WRITERS[kind](pipeline, update.type, entry)


def read(pipeline: Pipeline, entity: Any) -> Iterator[Any]:
    """The entities that `entity`, perhaps with wildcards, asks for. Raises Refusal."""
    kind, entry = _entry(entity)
    if kind in UNSUPPORTED:
        raise unimplemented(f"{UNSUPPORTED[kind]} reads are not supported yet")
    return READERS[kind](pipeline, entry)


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
    return kind, entry
