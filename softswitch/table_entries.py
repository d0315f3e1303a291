"""TableEntry and DirectCounterEntry: the rows of tables, their defaults, and what has hit them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2

from softswitch import counter_entries
from softswitch.p4info import Bits, TableInfo, decode, encode
from softswitch.pipeline import Pipeline
from softswitch.refusal import Refusal, invalid, unimplemented
from softswitch.tables import Entry, Exact, Lpm, Match, Range, Table, TableError, TableErrorKind, Ternary

REFUSALS = {
    TableErrorKind.DUPLICATE: (
        code_pb2.ALREADY_EXISTS,
        "Match entry exists, use MODIFY if you wish to change action",
    ),
    TableErrorKind.NOT_FOUND: (code_pb2.NOT_FOUND, "Cannot find match entry"),
    TableErrorKind.FULL: (code_pb2.RESOURCE_EXHAUSTED, "The table is full"),
    TableErrorKind.IMMUTABLE: (code_pb2.PERMISSION_DENIED, "The entries of the table are const"),
    TableErrorKind.CONST_DEFAULT: (code_pb2.PERMISSION_DENIED, "The default action of the table is const"),
}


def write(pipeline: Pipeline, kind: int, entry: Any) -> None:
    info = pipeline.p4info.table(entry.table_id)
    table = pipeline.engine.tables[info.name]
    if entry.HasField("time_since_last_hit"):
        raise invalid("has_time_since_last_hit must not be set in WriteRequest")
    if entry.is_default_action:
        _write_default(pipeline, info, table, kind, entry)
        return
    if kind == p4runtime_pb2.Update.INSERT and not entry.HasField("action"):
        raise invalid("'action' field must be set")
    match = match_of(info, entry)
    row = (info.id, match, entry.priority)
    if kind == p4runtime_pb2.Update.DELETE:
        with pipeline.engine.lock, _refusals():
            table.delete(match, entry.priority)
        pipeline.notes.pop(row, None)
        return
    action, parameters = _call(pipeline, info, entry)
    counts = counter_entries.counts(entry.counter_data) if entry.HasField("counter_data") else None
    with pipeline.engine.lock, _refusals():
        change = table.insert if kind == p4runtime_pb2.Update.INSERT else table.modify
        change(match, action, parameters, entry.priority)
        if counts:
            table.set_counts(match, entry.priority, *counts)
    _note(pipeline, row, entry)


def read(pipeline: Pipeline, entry: Any) -> Iterator[Any]:
    """One entry, a table's entries, or (table id 0) those of all tables; defaults only when they are asked for."""
    if entry.table_id:
        yield from _read_one(pipeline, pipeline.p4info.table(entry.table_id), entry)
    else:
        for info in pipeline.p4info.tables.values():
            yield from _read_one(pipeline, info, entry)


def write_counter(pipeline: Pipeline, kind: int, entry: Any) -> None:
    """MODIFY sets an entry's direct counter, DELETE sets it to 0."""
    info, table = _counted(pipeline, entry)
    if kind == p4runtime_pb2.Update.INSERT:
        raise invalid("INSERT update type not supported for counters")
    if entry.table_entry.is_default_action:
        raise unimplemented("A default entry's direct counter is not supported: it counts hits only")
    data = entry.data if kind == p4runtime_pb2.Update.MODIFY else p4runtime_pb2.CounterData()
    counts = counter_entries.counts(data)
    match = match_of(info, entry.table_entry)
    with pipeline.engine.lock:
        try:
            table.set_counts(match, entry.table_entry.priority, *counts)
        except TableError:
            # In BMv2's words.
            raise invalid("Cannot map table entry to handle") from None


def read_counter(pipeline: Pipeline, entry: Any) -> Iterator[Any]:
    """The direct counter of one entry, or of all of a table's."""
    if entry.HasField("table_entry") and not entry.table_entry.table_id:
        raise unimplemented("Reading all direct counters for ALL tables is not supported yet")
    info, table = _counted(pipeline, entry)
    if entry.table_entry.is_default_action:
        raise unimplemented("A default entry's direct counter is not supported: it counts hits only")
    found = _matching(pipeline, info, table, entry.table_entry)
    if entry.table_entry.match and not found:
        raise invalid("Cannot map table entry to handle")
    for row in found:
        entity = p4runtime_pb2.Entity()
        counter = entity.direct_counter_entry
        counter.table_entry.table_id = info.id
        _fill_match(counter.table_entry, info, row)
        assert info.counter is not None
        counter_entries.fill(counter.data, info.counter, row.packets, row.bytes)
        yield entity


def match_of(info: TableInfo, entry: Any) -> tuple[Match, ...]:
    """What the entry matches, one element for each of the table's fields."""
    if len(entry.match) > len(info.fields):
        raise invalid("Too many fields in match key")
    given = {field.field_id: field for field in entry.match}
    if not given.keys() <= {field.id for field in info.fields} or len(given) < len(entry.match):
        raise invalid("Unknown field in match key")
    match = tuple(_element(field, given.get(field.id)) for field in info.fields)
    if info.prioritized and entry.priority == 0:
        raise invalid("Zero priority for ternary match")
    if not info.prioritized and entry.priority > 0:
        raise invalid("Non-zero priority for non-ternary match")
    if entry.priority < 0:
        raise invalid("Negative priority")
    return match


def _write_default(pipeline: Pipeline, info: TableInfo, table: Table, kind: int, entry: Any) -> None:
    if kind == p4runtime_pb2.Update.INSERT:
        raise invalid("Cannot use INSERT for default entry")
    if kind == p4runtime_pb2.Update.DELETE:
        raise invalid("Cannot use DELETE for default entry")
    if entry.match:
        raise invalid("Non-empty key for default entry")
    if entry.priority:
        raise invalid("Non-zero priority for default entry")
    if info.has_const_default:
        raise Refusal(
            code_pb2.PERMISSION_DENIED,
            f"Cannot set / reset default action for table {info.id} which has a const default action",
        )
    call = _call(pipeline, info, entry) if entry.HasField("action") else None
    with pipeline.engine.lock, _refusals():
        if call:
            table.set_default(*call)
        else:
            table.reset_default()
    _note(pipeline, (info.id, None, 0), entry)


def _call(pipeline: Pipeline, info: TableInfo, entry: Any) -> tuple[str, tuple[int, ...]]:
    """The action that the entry calls, by name, and its parameters."""
    if info.is_indirect:
        raise unimplemented(f"Table {info.name!r} has an action profile, which is not supported yet")
    if info.ages and entry.idle_timeout_ns:
        raise unimplemented("Idle timeouts are not supported yet")
    if entry.idle_timeout_ns:
        raise invalid("idle_timeout_ns must be set to 0 for tables which do not support idle timeout")
    if info.has_meter and entry.HasField("meter_config"):
        raise unimplemented("Direct meters are not supported yet")
    if entry.HasField("meter_config"):
        raise invalid("Table has no direct meters")
    if entry.HasField("counter_data") and info.counter is None:
        raise invalid("Table has no direct counters")
    if not entry.HasField("action"):
        raise invalid("'action' field must be set for non-default entries")
    if entry.action.WhichOneof("type") != "action":
        raise invalid(f"Cannot provide indirect action for direct table {info.id}")
    given = entry.action.action
    if given.action_id not in pipeline.p4info.actions:
        raise invalid("Invalid P4 id")
    reference = info.actions.get(given.action_id)
    if reference is None:
        raise invalid("Invalid action for table")
    if entry.is_default_action and not reference.as_default:
        raise Refusal(code_pb2.PERMISSION_DENIED, "Cannot use TABLE_ONLY action as default action")
    if not entry.is_default_action and not reference.in_entries:
        raise Refusal(code_pb2.PERMISSION_DENIED, "Cannot use DEFAULT_ONLY action in table entry")
    parameters = reference.action.parameters
    if len(given.params) != len(parameters):
        raise invalid("Unexpected number of action parameters")
    values = {parameter.param_id: parameter.value for parameter in given.params}
    if values.keys() != {parameter.id for parameter in parameters}:
        raise invalid("Unknown action parameter")
    return reference.action.name, tuple(decode(values[p.id], p.width) for p in parameters)


def _element(field: Bits, given: Any) -> Match:
    if given is None:
        return _any(field)
    if given.WhichOneof("field_match_type") != field.kind:
        raise invalid("Invalid match type")
    full = (1 << field.width) - 1
    match field.kind:
        case "exact":
            return Exact(decode(given.exact.value, field.width))
        case "optional":
            return Ternary(decode(given.optional.value, field.width), full)
        case "lpm":
            value, length = decode(given.lpm.value, field.width), given.lpm.prefix_len
            if length < 0:
                raise invalid("Prefix length cannot be < 0")
            if length > field.width:
                raise invalid("Prefix length cannot be > bitwidth")
            if length == 0:
                raise invalid(
                    # The misspelling is BMv2's, and clients may look for it.
                    "Invalid reprsentation of 'don't care' LPM match, "
                    "omit match field instead of using a prefix length of 0"
                )
            if value & full >> length:
                raise invalid("Invalid LPM value, incorrect number of trailing zeros")
            return Lpm(value, length)
        case "ternary":
            value, mask = decode(given.ternary.value, field.width), decode(given.ternary.mask, field.width)
            if mask == 0:
                raise invalid(
                    "Invalid representation of 'don't care' ternary match, omit match field instead of using 0 mask"
                )
            if value & ~mask:
                raise invalid("Invalid ternary value, make sure value & mask == value")
            return Ternary(value, mask)
        case _:
            low, high = decode(given.range.low, field.width), decode(given.range.high, field.width)
            if low == 0 and high == full:
                raise invalid(
                    "Invalid representation of 'don't care' range match, "
                    "omit match field instead of using low=0 and high=2**bitwidth-1"
                )
            if low > high:
                raise invalid("Invalid range value, make sure low <= high")
            return Range(low, high)


def _any(field: Bits) -> Match:
    match field.kind:
        case "lpm":
            return Lpm(0, 0)
        case "ternary" | "optional":
            return Ternary(0, 0)
        case "range":
            return Range(0, (1 << field.width) - 1)
        case _:
            raise invalid("Missing non-ternary field in match key")


def _fill_match(message: Any, info: TableInfo, row: Entry) -> None:
    """A match that leaves a field out stands for all of its values, so such a field is not put in."""
    for field, part in zip(info.fields, row.match, strict=True):
        if field.kind != "exact" and part == _any(field):
            continue
        given = message.match.add(field_id=field.id)
        match part:
            case Exact():
                given.exact.value = encode(part.value)
            case Lpm():
                given.lpm.value = encode(part.value)
                given.lpm.prefix_len = part.prefix_length
            case Ternary() if field.kind == "optional":
                given.optional.value = encode(part.value)
            case Ternary():
                given.ternary.value = encode(part.value)
                given.ternary.mask = encode(part.mask)
            case Range():
                given.range.low = encode(part.low)
                given.range.high = encode(part.high)
    message.priority = row.priority if info.prioritized else 0


def _fill_call(message: Any, info: TableInfo, action: str, parameters: tuple[int, ...]) -> None:
    described = info.actions_by_name[action]
    message.action.action.action_id = described.id
    for parameter, value in zip(described.parameters, parameters, strict=True):
        message.action.action.params.add(param_id=parameter.id, value=encode(value))


def _read_one(pipeline: Pipeline, info: TableInfo, asked: Any) -> Iterator[Any]:
    if asked.HasField("time_since_last_hit"):
        raise unimplemented("time_since_last_hit is not supported yet")
    table = pipeline.engine.tables[info.name]
    if asked.is_default_action:
        entity = p4runtime_pb2.Entity()
        found = entity.table_entry
        found.table_id = info.id
        found.is_default_action = True
        default = table.default
        if default is not None:
            _fill_call(found, info, default.action, default.parameters)
        found.controller_metadata, found.metadata = pipeline.notes.get((info.id, None, 0), (0, b""))
        yield entity
        return
    for row in _matching(pipeline, info, table, asked):
        entity = p4runtime_pb2.Entity()
        found = entity.table_entry
        found.table_id = info.id
        _fill_match(found, info, row)
        _fill_call(found, info, row.action, row.parameters)
        found.controller_metadata, found.metadata = pipeline.notes.get((info.id, row.match, row.priority), (0, b""))
        if asked.HasField("counter_data") and info.counter is not None:
            counter_entries.fill(found.counter_data, info.counter, row.packets, row.bytes)
        yield entity


def _matching(pipeline: Pipeline, info: TableInfo, table: Table, asked: Any) -> list[Entry]:
    """The one entry that is asked for, if there is one; all of them when no match is given."""
    with pipeline.engine.lock:
        if not asked.match:
            return [row for row in table.entries() if asked.priority in (0, row.priority)]
        try:
            return [table.entry(match_of(info, asked), asked.priority)]
        except TableError:
            return []


def _counted(pipeline: Pipeline, entry: Any) -> tuple[TableInfo, Table]:
    """The table whose direct counter is addressed."""
    if not entry.HasField("table_entry"):
        raise invalid("Missing table_entry field in DirectCounterEntry")
    info = pipeline.p4info.table(entry.table_entry.table_id)
    if info.counter is None:
        raise invalid("Table has no direct counters")
    return info, pipeline.engine.tables[info.name]


def _note(pipeline: Pipeline, key: tuple[int, tuple[Match, ...] | None, int], entry: Any) -> None:
    note = (int(entry.controller_metadata), bytes(entry.metadata))
    if note == (0, b""):
        pipeline.notes.pop(key, None)
    else:
        pipeline.notes[key] = note


@contextmanager
def _refusals() -> Iterator[None]:
    """What a table refuses, in P4Runtime's terms."""
    try:
        yield
    except TableError as error:
        code, message = REFUSALS.get(error.kind, (code_pb2.INVALID_ARGUMENT, str(error)))
        raise Refusal(code, message) from None
