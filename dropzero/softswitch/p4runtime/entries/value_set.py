"""ValueSetEntry: the values that a parser state compares with. BMv2 does not support it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline
from dropzero.softswitch.p4runtime.pipeline.matches import elements
from dropzero.softswitch.p4runtime.pipeline.p4info import ValueSetInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid, unimplemented
from dropzero.softswitch.program.model import Exact


def write(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.ValueSetEntry) -> None:
    """MODIFY replaces all members."""
    info = pipeline.p4info.value_sets[entry.value_set_id]
    if kind != p4runtime_pb2.Update.MODIFY:
        raise invalid("Only MODIFY is possible for value sets")
    values = list(dict.fromkeys(_value(info, member) for member in entry.members))
    if len(values) > info.size:
        raise Refusal(code_pb2.RESOURCE_EXHAUSTED, f"Value set {info.name!r} has room for {info.size} members only")
    value_set = pipeline.engine.value_sets[info.name]
    with pipeline.engine.lock:
        value_set.clear()
        for value in values:
            value_set.insert(value)


def read(pipeline: Pipeline, entry: p4runtime_pb2.ValueSetEntry) -> Iterator[p4runtime_pb2.Entity]:
    """Yields one value set, or (id 0) all of them."""
    for info in pipeline.p4info.value_sets.asked(entry.value_set_id):
        entity = p4runtime_pb2.Entity()
        entity.value_set_entry.value_set_id = info.id
        with pipeline.engine.lock:
            values = list(pipeline.engine.value_sets[info.name].values)
        for value in values:
            member = entity.value_set_entry.members.add()
            below = sum(field.width for field in info.fields)
            for field in info.fields:
                below -= field.width
                part = value >> below & (1 << field.width) - 1
                member.match.add(field_id=field.id).exact.value = field.encode(part)
        yield entity


def _value(info: ValueSetInfo, member: Any) -> int:
    """Joins the fields of a member, the first one highest."""
    value = 0
    for field, part in zip(info.fields, elements(info.fields, member.match), strict=True):
        if not isinstance(part, Exact):
            raise unimplemented(f"Value set {info.name!r} takes exact matches only")
        value = value << field.width | part.value
    return value
