"""The kinds of P4Runtime entities, with the modules that read and write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import (
    counter,
    digest,
    direct,
    meter,
    profile,
    register,
    replication,
    table,
    value_set,
)
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid, unimplemented

Writer = Callable[[Pipeline, Any, Any], None]
Reader = Callable[[Pipeline, Any], Iterator[p4runtime_pb2.Entity]]

KINDS: dict[str, tuple[Writer, Reader]] = {
    "table_entry": (table.write, table.read),
    "action_profile_member": (profile.write_member, profile.read_members),
    "action_profile_group": (profile.write_group, profile.read_groups),
    "meter_entry": (meter.write, meter.read),
    "direct_meter_entry": (direct.write_meter, direct.read_meter),
    "counter_entry": (counter.write, counter.read),
    "direct_counter_entry": (direct.write_counter, direct.read_counter),
    "multicast_group_entry": (replication.write_group, replication.read_groups),
    "clone_session_entry": (replication.write_session, replication.read_sessions),
    "value_set_entry": (value_set.write, value_set.read),
    "register_entry": (register.write, register.read),
    "digest_entry": (digest.write, digest.read),
}


def write(pipeline: Pipeline, update: p4runtime_pb2.Update) -> None:
    """Carries out one p4.v1.Update. Raises Refusal."""
    kind, entry = _entry(update.entity)
    if update.type == p4runtime_pb2.Update.UNSPECIFIED:
        raise invalid("Update type is not set")
    if update.type not in p4runtime_pb2.Update.Type.values():
        raise invalid("Invalid update type")
    KINDS[kind][0](pipeline, update.type, entry)


def read(pipeline: Pipeline, entity: p4runtime_pb2.Entity) -> Iterator[p4runtime_pb2.Entity]:
    """Yields the entities that `entity`, possibly with wildcards, selects. Raises Refusal."""
    kind, entry = _entry(entity)
    return KINDS[kind][1](pipeline, entry)


def _entry(entity: p4runtime_pb2.Entity) -> tuple[str, Any]:
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
