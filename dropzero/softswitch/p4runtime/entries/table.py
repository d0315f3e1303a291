"""TableEntry: tables' rows and default actions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import counter, meter
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Note, Pipeline, RowKey
from dropzero.softswitch.p4runtime.pipeline.matches import fill_call, fill_match, match_of, parameters_of
from dropzero.softswitch.p4runtime.pipeline.p4info import TableInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal, invalid, refusing
from dropzero.softswitch.program.model import ActionCall, Match
from dropzero.softswitch.state.tables.table_error import TableError
from dropzero.softswitch.state.tables.tables import Entry, Table
from dropzero.softswitch.state.tables.targets import Group, Member, Target

US = 1000


def write(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.TableEntry) -> None:
    info = pipeline.p4info.tables[entry.table_id]
    table = pipeline.engine.tables[info.name]
    # Called once, because protobuf's field access is slow.
    given = {field.name for field, _ in entry.ListFields()}
    if "time_since_last_hit" in given:
        raise invalid("has_time_since_last_hit must not be set in WriteRequest")
    if "is_default_action" in given:
        _write_default(pipeline, info, table, kind, entry, given)
        return
    if kind == p4runtime_pb2.Update.INSERT and "action" not in given:
        raise invalid("'action' field must be set")
    match = match_of(info, entry)
    with pipeline.engine.lock:
        if kind == p4runtime_pb2.Update.DELETE:
            _delete(pipeline, info, table, match, entry.priority)
        else:
            _set(pipeline, info, table, kind, match, entry, given)


def read(
    pipeline: Pipeline, entry: p4runtime_pb2.TableEntry, *, exactly: bool = False
) -> Iterator[p4runtime_pb2.Entity]:
    """Yields one entry, a table's entries, or (table id 0) those of all tables; defaults only on request.
    exactly: only the entry that a write would change."""
    tables = pipeline.p4info.tables
    for info in [tables[entry.table_id]] if exactly else tables.asked(entry.table_id):
        yield from _read_one(pipeline, info, entry, exactly=exactly)


def rows_of(
    pipeline: Pipeline, info: TableInfo, asked: p4runtime_pb2.TableEntry, *, exactly: bool = False
) -> Iterable[Entry]:
    """The selected entry, if it exists, or without a match all current entries. exactly: without a match, the entry
    that matches everything."""
    table = pipeline.engine.tables[info.name]
    with pipeline.engine.lock:
        if not asked.match and not exactly:
            rows = table.entries()
            return (row for row in rows if asked.priority in (0, row.priority))
        try:
            return [table.entry(match_of(info, asked), asked.priority)]
        except TableError:
            return []


def _set(
    pipeline: Pipeline,
    info: TableInfo,
    table: Table,
    kind: Kind,
    match: tuple[Match, ...],
    entry: p4runtime_pb2.TableEntry,
    given: Collection[str],
) -> None:
    _check_direct(info, entry, given)
    if "action" not in given:
        raise invalid("'action' field must be set for non-default entries")
    counts = counter.counts(entry.counter_data) if "counter_data" in given else None
    rates = meter.rates_of(entry.meter_config, info.meter) if "meter_config" in given and info.meter else None
    colours = meter.counts(entry.meter_counter_data) if "meter_counter_data" in given else None
    row = RowKey(info.id, match, entry.priority)
    target, parameters = _target(pipeline, info, entry)
    try:
        with refusing():
            timeout = _microseconds(entry.idle_timeout_ns)
            if kind == p4runtime_pb2.Update.INSERT:
                table.insert(match, target, parameters, entry.priority, timeout=timeout)
                old = None
            else:
                old = table.target(match, entry.priority)
                table.modify(match, target, parameters, entry.priority, timeout=timeout)
    except Refusal:
        if entry.action.WhichOneof("type") == "action_profile_action_set":
            _drop_one_shot(pipeline, info, target)
        raise
    _drop_one_shot(pipeline, info, old)
    if counts:
        table.set_counts(match, entry.priority, *counts)
    if "meter_config" in given:
        table.set_meter(match, entry.priority, rates)
    if colours is not None:
        table.set_meter_counts(match, entry.priority, colours)
    config = meter.kept(entry.meter_config) if "meter_config" in given else pipeline.note_of(row).meter
    pipeline.note(
        row,
        Note(
            int(entry.controller_metadata),
            bytes(entry.metadata),
            int(entry.idle_timeout_ns),
            config,
        ),
    )


def _delete(pipeline: Pipeline, info: TableInfo, table: Table, match: tuple[Match, ...], priority: int) -> None:
    with refusing():
        old = table.target(match, priority)
        table.delete(match, priority)
    _drop_one_shot(pipeline, info, old)
    pipeline.note(RowKey(info.id, match, priority), Note())


def _write_default(
    pipeline: Pipeline,
    info: TableInfo,
    table: Table,
    kind: Kind,
    entry: p4runtime_pb2.TableEntry,
    given: Collection[str],
) -> None:
    if kind == p4runtime_pb2.Update.INSERT:
        raise invalid("Cannot use INSERT for default entry")
    if kind == p4runtime_pb2.Update.DELETE:
        raise invalid("Cannot use DELETE for default entry")
    if entry.match:
        raise invalid("Non-empty key for default entry")
    if entry.priority:
        raise invalid("Non-zero priority for default entry")
    if info.profile:
        raise invalid(f"Cannot set / reset default action for indirect table {info.id}")
    if info.has_const_default:
        raise Refusal(
            code_pb2.PERMISSION_DENIED,
            f"Cannot set / reset default action for table {info.id} which has a const default action",
        )
    _check_direct(info, entry, given)
    call = _call(pipeline, info, entry) if "action" in given else None
    with pipeline.engine.lock, refusing():
        if call:
            table.set_default(*call)
        else:
            table.reset_default()
    note = Note(int(entry.controller_metadata), bytes(entry.metadata)) if call else Note()
    pipeline.note(RowKey(info.id, None, 0), note)


def _check_direct(info: TableInfo, entry: p4runtime_pb2.TableEntry, given: Collection[str]) -> None:
    """Refuses fields of the entry that the table does not support."""
    if entry.idle_timeout_ns < 0:
        raise invalid("idle_timeout_ns must be a positive value")
    if entry.idle_timeout_ns and not info.ages:
        raise invalid("idle_timeout_ns must be set to 0 for tables which do not support idle timeout")
    if info.meter is None and ("meter_config" in given or "meter_counter_data" in given):
        raise invalid("Table has no direct meters")
    if "counter_data" in given and info.counter is None:
        raise invalid("Table has no direct counters")


def _target(pipeline: Pipeline, info: TableInfo, entry: p4runtime_pb2.TableEntry) -> tuple[Target, tuple[int, ...]]:
    """The entry's target and parameters. Makes a one-shot's group."""
    if not info.profile:
        return _call(pipeline, info, entry)
    profile = pipeline.profiles[info.profile]
    match entry.action.WhichOneof("type"):
        case "action":
            raise invalid(f"Cannot provide direct action for indirect table {info.id}")
        case "action_profile_member_id":
            profile.check_manual()
            number = entry.action.action_profile_member_id
            if number not in profile.engine.members:
                raise invalid("Invalid member / group id")
            return Member(number), ()
        case "action_profile_group_id":
            profile.check_manual()
            number = entry.action.action_profile_group_id
            if number not in profile.groups:
                raise invalid("Invalid member / group id")
            return Group(number), ()
        case "action_profile_action_set":
            return profile.add_one_shot(entry.action.action_profile_action_set), ()
        case _:
            raise invalid("Invalid table action type")


def _call(pipeline: Pipeline, info: TableInfo, entry: p4runtime_pb2.TableEntry) -> tuple[str, tuple[int, ...]]:
    """The name of the entry's action, and its parameters."""
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
    return reference.action.name, parameters_of(reference.action, given)


def _drop_one_shot(pipeline: Pipeline, info: TableInfo, target: Target | None) -> None:
    """Removes a one-shot's group after its entry was changed or deleted."""
    if isinstance(target, Group):
        profile = pipeline.profiles[info.profile]
        if target.number in profile.one_shots:
            profile.delete_one_shot(target)


def _microseconds(ns: int) -> int:
    return (ns + US - 1) // US


def _read_one(
    pipeline: Pipeline, info: TableInfo, asked: p4runtime_pb2.TableEntry, *, exactly: bool = False
) -> Iterator[p4runtime_pb2.Entity]:
    if asked.is_default_action:
        yield _default(pipeline, info, asked)
        return
    timed = asked.HasField("time_since_last_hit")
    if timed and not info.ages:
        raise invalid(
            "Do not set time_since_last_hit for a ReadRequest if the table does not support idle timeout; "
            "yes, that includes wildcard reads"
        )
    if timed:
        pipeline.look_for_idle(info.name)
    for row in rows_of(pipeline, info, asked, exactly=exactly):
        entity = p4runtime_pb2.Entity()
        found = entity.table_entry
        found.table_id = info.id
        fill_match(found, info, row.match, row.priority)
        _fill_action(pipeline, found, info, row.action, row.parameters)
        note = pipeline.note_of(RowKey(info.id, row.match, row.priority))
        found.controller_metadata, found.metadata = note.controller_metadata, note.metadata
        # Thrift may have set another one since.
        same = _microseconds(note.idle_timeout_ns) == row.timeout
        found.idle_timeout_ns = note.idle_timeout_ns if same else row.timeout * US
        found.is_const = info.is_const
        if timed:
            found.time_since_last_hit.elapsed_ns = (row.idle or 0) * US
        if asked.HasField("counter_data") and info.counter is not None:
            counter.fill(found.counter_data, info.counter, row.packets, row.bytes)
        if asked.HasField("meter_config") and info.meter is not None:
            config = meter.config_of(row.meter, info.meter, note.meter)
            if config is not None:
                found.meter_config.CopyFrom(config)
        if asked.HasField("meter_counter_data") and row.colours is not None:
            meter.fill(found.meter_counter_data, row.colours)
        yield entity


def _default(pipeline: Pipeline, info: TableInfo, asked: p4runtime_pb2.TableEntry) -> Any:
    if asked.HasField("time_since_last_hit"):
        raise invalid(
            "Default table entries do not support entry ageing, do not set 'time_since_last_hit' in your ReadRequest"
        )
    entity = p4runtime_pb2.Entity()
    found = entity.table_entry
    found.table_id = info.id
    found.is_default_action = True
    match pipeline.engine.tables[info.name].default:
        case ActionCall(action, parameters):
            _fill_action(pipeline, found, info, action, parameters)
        case Member() | Group() as target:
            _fill_action(pipeline, found, info, target)
    note = pipeline.note_of(RowKey(info.id, None, 0))
    found.controller_metadata, found.metadata = note.controller_metadata, note.metadata
    return entity


def _fill_action(
    pipeline: Pipeline, found: Any, info: TableInfo, target: Target, parameters: tuple[int, ...] = ()
) -> None:
    match target:
        case Member(number):
            found.action.action_profile_member_id = number
        case Group(number) if number in pipeline.profiles[info.profile].one_shots:
            found.action.action_profile_action_set.CopyFrom(pipeline.profiles[info.profile].one_shots[number])
        case Group(number):
            found.action.action_profile_group_id = number
        case name:
            fill_call(found.action.action, info.actions_by_name[name], parameters)
