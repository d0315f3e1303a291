"""CloneSessionEntry: destinations of the program's clones. Supports truncation, unlike BMv2."""

from __future__ import annotations

from collections.abc import Iterator

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import replicas
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid, unimplemented
from dropzero.softswitch.state.cloning import SESSIONS


def write(
    pipeline: Pipeline, kind: p4runtime_pb2.Update.Type.ValueType, entry: p4runtime_pb2.CloneSessionEntry
) -> None:
    session = entry.session_id
    if session == 0:
        raise invalid("0 is not a valid session id")
    if session >= SESSIONS:
        raise invalid("Clone session id out-of-range")
    if kind == p4runtime_pb2.Update.INSERT:
        if session in pipeline.clones:
            raise Refusal(code_pb2.ALREADY_EXISTS, "Clone session id already exists")
        _set(pipeline, entry)
        return
    _check_exists(pipeline, session)
    if kind == p4runtime_pb2.Update.MODIFY:
        _set(pipeline, entry)
    else:
        with pipeline.engine.lock:
            pipeline.engine.clone_sessions.delete(session)
        del pipeline.clones[session]


def read(pipeline: Pipeline, entry: p4runtime_pb2.CloneSessionEntry) -> Iterator[p4runtime_pb2.Entity]:
    if entry.session_id:
        _check_exists(pipeline, entry.session_id)
    for session in [entry.session_id] if entry.session_id else sorted(pipeline.clones):
        entity = p4runtime_pb2.Entity()
        entity.packet_replication_engine_entry.clone_session_entry.CopyFrom(pipeline.clones[session])
        yield entity


def _set(pipeline: Pipeline, entry: p4runtime_pb2.CloneSessionEntry) -> None:
    if entry.class_of_service:
        raise unimplemented("COS for clone sessions not supported yet")
    if entry.packet_length_bytes < 0:
        raise invalid("A negative number is not a valid packet length")
    kept = p4runtime_pb2.CloneSessionEntry(session_id=entry.session_id, packet_length_bytes=entry.packet_length_bytes)
    kept.replicas.extend(replicas.arranged(entry.replicas))
    with pipeline.engine.lock:
        pipeline.engine.clone_sessions.set(entry.session_id, replicas.pairs(kept.replicas), entry.packet_length_bytes)
    pipeline.clones[entry.session_id] = kept


def _check_exists(pipeline: Pipeline, session: int) -> None:
    if session not in pipeline.clones:
        raise Refusal(code_pb2.NOT_FOUND, "Clone session id does not exist")
