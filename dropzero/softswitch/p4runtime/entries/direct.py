"""DirectCounterEntry and DirectMeterEntry: the counters and meters of table entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.p4runtime.entries import counter, meter
from dropzero.softswitch.p4runtime.entries.table import rows_of
from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Kind, Pipeline, RowKey
from dropzero.softswitch.p4runtime.pipeline.matches import fill_match, match_of
from dropzero.softswitch.p4runtime.pipeline.p4info import TableInfo
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid, unimplemented
from dropzero.softswitch.state.tables.table_error import TableError
from dropzero.softswitch.state.tables.tables import Entry

_Direct = p4runtime_pb2.DirectCounterEntry | p4runtime_pb2.DirectMeterEntry


def write_counter(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.DirectCounterEntry) -> None:
    """MODIFY sets an entry's direct counter, DELETE resets it to 0."""
    info = _table(pipeline, entry)
    row = _row(pipeline, info, entry.table_entry)
    if info.counter is None:
        raise invalid("Table has no direct counters")
    if kind == p4runtime_pb2.Update.INSERT:
        raise invalid("INSERT update type not supported for counters")
    data = entry.data if kind == p4runtime_pb2.Update.MODIFY else p4runtime_pb2.CounterData()
    counts = counter.counts(data)
    with pipeline.engine.lock:
        pipeline.engine.tables[info.name].set_counts(row.match, row.priority, *counts)


def write_meter(pipeline: Pipeline, kind: Kind, entry: p4runtime_pb2.DirectMeterEntry) -> None:
    """MODIFY sets the rates of an entry's direct meter; without a config, all packets are green."""
    info = _table(pipeline, entry)
    row = _row(pipeline, info, entry.table_entry)
    if info.meter is None:
        raise invalid("Table has no direct meters")
    meter.check_kind(kind)
    config = entry.config if entry.HasField("config") else None
    rates = meter.rates_of(config, info.meter) if config is not None else None
    colours = meter.counts(entry.counter_data) if entry.HasField("counter_data") else None
    table = pipeline.engine.tables[info.name]
    with pipeline.engine.lock:
        table.set_meter(row.match, row.priority, rates)
        if colours is not None:
            table.set_meter_counts(row.match, row.priority, colours)
    key = RowKey(info.id, row.match, row.priority)
    kept = meter.kept(config) if config is not None else None
    pipeline.note(key, replace(pipeline.note_of(key), meter=kept))


def read_counter(
    pipeline: Pipeline, entry: p4runtime_pb2.DirectCounterEntry, *, exactly: bool = False
) -> Iterator[p4runtime_pb2.Entity]:
    """Yields the direct counters of one entry, of a table's entries, or (table id 0) of all entries of all tables.
    exactly: only of the entry that a write would change."""
    for info in _tables(pipeline, entry, lambda info: info.counter is not None):
        if info.counter is None:
            raise invalid("Table has no direct counters")
        for row in _rows(pipeline, info, entry.table_entry, exactly=exactly):
            found = p4runtime_pb2.DirectCounterEntry(table_entry=_key(info, row))
            counter.fill(found.data, info.counter, row.packets, row.bytes)
            yield p4runtime_pb2.Entity(direct_counter_entry=found)


def read_meter(
    pipeline: Pipeline, entry: p4runtime_pb2.DirectMeterEntry, *, exactly: bool = False
) -> Iterator[p4runtime_pb2.Entity]:
    """Yields the direct meters' rates of one entry, of a table's entries, or (table id 0) of all entries of all tables.
    exactly: only of the entry that a write would change."""
    for info in _tables(pipeline, entry, lambda info: info.meter is not None):
        if info.meter is None:
            raise invalid("Table has no direct meters")
        for row in _rows(pipeline, info, entry.table_entry, exactly=exactly):
            note = pipeline.note_of(RowKey(info.id, row.match, row.priority))
            config = meter.config_of(row.meter, info.meter, note.meter)
            found = p4runtime_pb2.DirectMeterEntry(table_entry=_key(info, row), config=config)
            if entry.HasField("counter_data") and row.colours is not None:
                meter.fill(found.counter_data, row.colours)
            yield p4runtime_pb2.Entity(direct_meter_entry=found)


def _table(pipeline: Pipeline, entry: _Direct) -> TableInfo:
    """The table whose entry is addressed."""
    if not entry.HasField("table_entry"):
        raise invalid(f"Missing table_entry field in {entry.DESCRIPTOR.name}")
    if entry.table_entry.is_default_action:
        raise unimplemented("A default has no counter and no meter: they are for packets that hit an entry")
    return pipeline.p4info.tables[entry.table_entry.table_id]


def _tables(pipeline: Pipeline, entry: _Direct, concerned: Callable[[TableInfo], bool]) -> list[TableInfo]:
    if entry.HasField("table_entry") and not entry.table_entry.table_id:
        return [info for info in pipeline.p4info.tables.values() if concerned(info)]
    return [_table(pipeline, entry)]


def _key(info: TableInfo, row: Entry) -> p4runtime_pb2.TableEntry:
    """A TableEntry with only what identifies a row."""
    key = p4runtime_pb2.TableEntry(table_id=info.id)
    fill_match(key, info, row.match, row.priority)
    return key


def _row(pipeline: Pipeline, info: TableInfo, asked: p4runtime_pb2.TableEntry) -> Entry:
    match = match_of(info, asked)
    with pipeline.engine.lock:
        try:
            return pipeline.engine.tables[info.name].entry(match, asked.priority)
        except TableError:
            # BMv2's message.
            raise invalid("Cannot map table entry to handle") from None


def _rows(pipeline: Pipeline, info: TableInfo, asked: p4runtime_pb2.TableEntry, *, exactly: bool) -> Iterable[Entry]:
    found = rows_of(pipeline, info, asked, exactly=exactly)
    if asked.match and not found:
        raise invalid("Cannot map table entry to handle")
    return found
