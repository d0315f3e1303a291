"""MulticastGroupEntry: the groups of the packet replication engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2

from softswitch.pipeline import Pipeline
from softswitch.refusal import Refusal, invalid, unimplemented

# From here on BMv2 keeps the groups for its clone sessions.
RESERVED = 1 << 15
# What BMv2's replication engine has room for.
PORTS = 512
INSTANCES = 1 << 16


def write(pipeline: Pipeline, kind: int, entry: Any) -> None:
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


def read(pipeline: Pipeline, entry: Any) -> Iterator[Any]:
    group = entry.multicast_group_id
    _check_range(group)
    if group:
        _check_exists(pipeline, group)
    for found in [pipeline.groups[group]] if group else list(pipeline.groups.values()):
        entity = p4runtime_pb2.Entity()
        entity.packet_replication_engine_entry.multicast_group_entry.CopyFrom(found)
        yield entity


def _set(pipeline: Pipeline, entry: Any) -> None:
    """Replicas are kept, and leave the switch, in the order of their instance and then their port."""
    replicas = sorted(entry.replicas, key=lambda replica: (replica.instance, _port(replica)))
    pairs = [(_port(replica), replica.instance) for replica in replicas]
    if len(set(pairs)) < len(pairs):
        raise invalid("Duplicate replica in multicast group")
    if any(port >= PORTS or instance >= INSTANCES for port, instance in pairs):
        raise invalid(f"A replica's port is below {PORTS} and its instance below {INSTANCES}")
    with pipeline.engine.lock:
        pipeline.engine.multicast.set(entry.multicast_group_id, pairs)
    kept = p4runtime_pb2.MulticastGroupEntry(multicast_group_id=entry.multicast_group_id, metadata=entry.metadata)
    kept.replicas.extend(replicas)
    pipeline.groups[entry.multicast_group_id] = kept


def _port(replica: Any) -> int:
    form = replica.WhichOneof("port_kind")
    if form == "egress_port":
        return int(replica.egress_port)
    if form is None:
        raise invalid("Missing port in multicast group replica")
    if not replica.port:
        raise invalid("Port must not be the empty string")
    if len(replica.port) > 4:
        raise unimplemented(f"Got port of {len(replica.port)} bytes, but only 4 bytes are supported")
    return int.from_bytes(replica.port, "big")


def _check_range(group: int) -> None:
    if group >= RESERVED:
        raise Refusal(code_pb2.OUT_OF_RANGE, "Group id value is too high")


def _check_exists(pipeline: Pipeline, group: int) -> None:
    if group not in pipeline.groups:
        raise Refusal(code_pb2.NOT_FOUND, "Multicast group does not exist")
