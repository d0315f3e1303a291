"""DigestEntry: selects the digests to send, and their list sizes and timeouts."""

from __future__ import annotations

from collections.abc import Iterator

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.digest_lists import DigestLists
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid


def write(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.DigestEntry) -> None:
    digest = _digest(pipeline, entry.digest_id)
    config = p4runtime_pb2.DigestEntry.Config()
    config.CopyFrom(entry.config)
    if min(config.max_timeout_ns, config.ack_timeout_ns, config.max_list_size) < 0:
        raise invalid("A digest's timeouts and list size must not be negative")
    if kind == p4runtime_pb2.Update.INSERT:
        if digest.config is not None:
            raise Refusal(code_pb2.ALREADY_EXISTS, f"Digest {entry.digest_id} already configured")
        digest.config = config
        return
    _check_configured(digest)
    if kind == p4runtime_pb2.Update.MODIFY:
        digest.config = config
    else:
        digest.stop()


def read(pipeline: Pipeline, entry: p4runtime_pb2.DigestEntry) -> Iterator[p4runtime_pb2.Entity]:
    """Yields one digest, or (id 0) all configured ones."""
    if entry.digest_id:
        found = [_digest(pipeline, entry.digest_id)]
        _check_configured(found[0])
    else:
        found = list(pipeline.digests.values())
    for digest in found:
        if digest.config is None:
            continue
        entity = p4runtime_pb2.Entity()
        entity.digest_entry.digest_id = digest.info.id
        entity.digest_entry.config.CopyFrom(digest.config)
        yield entity


def _digest(pipeline: Pipeline, id: int) -> DigestLists:
    if id not in pipeline.digests:
        raise Refusal(code_pb2.NOT_FOUND, f"{id} is not a valid digest id")
    return pipeline.digests[id]


def _check_configured(digest: DigestLists) -> None:
    if digest.config is None:
        raise Refusal(code_pb2.NOT_FOUND, f"Digest {digest.info.id} not configured")
