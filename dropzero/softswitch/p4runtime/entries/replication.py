"""PacketReplicationEngineEntry: multicast groups, and clone sessions, which support truncation, unlike BMv2's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid, unimplemented
from dropzero.softswitch.state.replication import SESSIONS

# BMv2 reserves groups from here on for its clone sessions.
RESERVED = 1 << 15
# The limits of BMv2's replication engine.
REPLICA_PORTS = 512
INSTANCES = 1 << 16


def write_group(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.MulticastGroupEntry) -> None:
    group = entry.multicast_group_id
    if group == 0:
        raise invalid("0 is not a valid group id")
    _check_range(group)
    _check_known("Multicast group", group in pipeline.groups, kind)
    if kind == p4runtime_pb2.Update.DELETE:
        with pipeline.engine.lock:
            pipeline.engine.multicast.delete(group)
        del pipeline.groups[group]
        return
    kept = p4runtime_pb2.MulticastGroupEntry(
        multicast_group_id=group, metadata=entry.metadata, replicas=_arranged(entry.replicas)
    )
    with pipeline.engine.lock:
        pipeline.engine.multicast.set(group, _pairs(kept.replicas))
    pipeline.groups[group] = kept


def read_groups(pipeline: Pipeline, entry: p4runtime_pb2.MulticastGroupEntry) -> Iterator[p4runtime_pb2.Entity]:
    group = entry.multicast_group_id
    _check_range(group)
    if group:
        _check_known("Multicast group", group in pipeline.groups)
    for found in [pipeline.groups[group]] if group else list(pipeline.groups.values()):
        yield _entity(p4runtime_pb2.PacketReplicationEngineEntry(multicast_group_entry=found))


def write_session(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.CloneSessionEntry) -> None:
    session = entry.session_id
    if session == 0:
        raise invalid("0 is not a valid session id")
    if session >= SESSIONS:
        raise invalid("Clone session id out-of-range")
    _check_known("Clone session id", session in pipeline.clones, kind)
    if kind == p4runtime_pb2.Update.DELETE:
        with pipeline.engine.lock:
            pipeline.engine.clone_sessions.delete(session)
        del pipeline.clones[session]
        return
    if entry.class_of_service:
        raise unimplemented("COS for clone sessions not supported yet")
    if entry.packet_length_bytes < 0:
        raise invalid("A negative number is not a valid packet length")
    kept = p4runtime_pb2.CloneSessionEntry(
        session_id=session, packet_length_bytes=entry.packet_length_bytes, replicas=_arranged(entry.replicas)
    )
    with pipeline.engine.lock:
        pipeline.engine.clone_sessions.set(session, _pairs(kept.replicas), entry.packet_length_bytes)
    pipeline.clones[session] = kept


def read_sessions(pipeline: Pipeline, entry: p4runtime_pb2.CloneSessionEntry) -> Iterator[p4runtime_pb2.Entity]:
    session = entry.session_id
    if session:
        _check_known("Clone session id", session in pipeline.clones)
    for number in [session] if session else sorted(pipeline.clones):
        yield _entity(p4runtime_pb2.PacketReplicationEngineEntry(clone_session_entry=pipeline.clones[number]))


def _check_known(what: str, known: bool, kind: Kind | None = None) -> None:
    """Raises Refusal if an entry to insert is known, or one to modify, delete or (None) read is not."""
    if kind == p4runtime_pb2.Update.INSERT and known:
        raise Refusal(code_pb2.ALREADY_EXISTS, f"{what} already exists")
    if kind != p4runtime_pb2.Update.INSERT and not known:
        raise Refusal(code_pb2.NOT_FOUND, f"{what} does not exist")


def _check_range(group: int) -> None:
    if group >= RESERVED:
        raise Refusal(code_pb2.OUT_OF_RANGE, "Group id value is too high")


def _entity(entry: p4runtime_pb2.PacketReplicationEngineEntry) -> p4runtime_pb2.Entity:
    return p4runtime_pb2.Entity(packet_replication_engine_entry=entry)


def _arranged(replicas: Iterable[Any]) -> list[Any]:
    """Sorts replicas by instance and then by port: the order of storage and of copies. Raises Refusal."""
    ordered = sorted(replicas, key=lambda replica: (replica.instance, _port(replica)))
    pairs = _pairs(ordered)
    if len(set(pairs)) < len(pairs):
        raise invalid("Duplicate replica in multicast group")
    if any(number >= REPLICA_PORTS or instance >= INSTANCES for number, instance in pairs):
        raise invalid(f"A replica's port is below {REPLICA_PORTS} and its instance below {INSTANCES}")
    return ordered


def _pairs(replicas: Iterable[Any]) -> list[tuple[int, int]]:
    """The (port, instance) of each replica."""
    return [(_port(replica), int(replica.instance)) for replica in replicas]


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
