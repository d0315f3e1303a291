"""MulticastGroupEntry: the groups of the packet replication engine."""

from __future__ import annotations

from collections.abc import Iterator

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import replicas
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid

# BMv2 reserves groups from here on for its clone sessions.
RESERVED = 1 << 15


def write(
    pipeline: Pipeline, kind: p4runtime_pb2.Update.Type.ValueType, entry: p4runtime_pb2.MulticastGroupEntry
) -> None:
    group = entry.multicast_group_id
    if group == 0:
        raise invalid("0 is not a valid group id")
    _check_range(group)
    if kind == p4runtime_pb2.Update.INSERT:
        if group in pipeline.groups:
            raise Refusal(code_pb2.ALREADY_EXISTS, "Multicast group already exists")
        _set(pipeline, entry)
    elif kind == p4runtime_pb2.Update.MODIFY:
        _check_exists(pipeline, group)
        _set(pipeline, entry)
    else:
        _check_exists(pipeline, group)
        with pipeline.engine.lock:
            pipeline.engine.multicast.delete(group)
        del pipeline.groups[group]


def read(pipeline: Pipeline, entry: p4runtime_pb2.MulticastGroupEntry) -> Iterator[p4runtime_pb2.Entity]:
    group = entry.multicast_group_id
    _check_range(group)
    if group:
        _check_exists(pipeline, group)
    for found in [pipeline.groups[group]] if group else list(pipeline.groups.values()):
        entity = p4runtime_pb2.Entity()
        entity.packet_replication_engine_entry.multicast_group_entry.CopyFrom(found)
        yield entity


def _set(pipeline: Pipeline, entry: p4runtime_pb2.MulticastGroupEntry) -> None:
    kept = p4runtime_pb2.MulticastGroupEntry(multicast_group_id=entry.multicast_group_id, metadata=entry.metadata)
    kept.replicas.extend(replicas.arranged(entry.replicas))
    with pipeline.engine.lock:
        pipeline.engine.multicast.set(entry.multicast_group_id, replicas.pairs(kept.replicas))
    pipeline.groups[entry.multicast_group_id] = kept


def _check_range(group: int) -> None:
    if group >= RESERVED:
        raise Refusal(code_pb2.OUT_OF_RANGE, "Group id value is too high")


def _check_exists(pipeline: Pipeline, group: int) -> None:
    if group not in pipeline.groups:
        raise Refusal(code_pb2.NOT_FOUND, "Multicast group does not exist")
