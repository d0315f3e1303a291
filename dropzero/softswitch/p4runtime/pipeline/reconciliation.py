"""Carries state over to a new pipeline."""

from __future__ import annotations

from dropzero.softswitch.p4runtime.pipeline.forwarding_pipeline import Pipeline
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid
from dropzero.softswitch.program.model import ActionCall
from dropzero.softswitch.state.tables.table_error import TableError
from dropzero.softswitch.state.tables.targets import Group, Member


def reconcile(old: Pipeline, new: Pipeline) -> None:
    """Copies state with the same name and shape from `old` to `new`: entries and their counts, defaults, groups,
    counters and registers. The caller holds the lock of `old`'s engine. Raises Refusal if an entry does not fit the new
    program."""
    for name, strings in old.p4info.strings.items():
        if name in new.p4info.strings:
            new.p4info.strings[name].take_over(strings)
    _take_profiles(old, new)
    _take_tables(old, new)
    _take_cells(old, new)
    for session, clone in old.engine.clone_sessions.sessions.items():
        new.engine.clone_sessions.set(session, clone.replicas, clone.truncation)
    for id, digest in old.digests.items():
        if id in new.digests:
            new.digests[id].config = digest.config
    new.clones.update(old.clones)
    for group, pairs in old.engine.multicast.groups.items():
        new.engine.multicast.set(group, pairs)
    new.groups.update(old.groups)
    for row, note in old.notes.items():
        if row.table in new.p4info.tables:
            new.note(row, note)


def _take_profiles(old: Pipeline, new: Pipeline) -> None:
    for id, profile in old.profiles.items():
        try:
            if id in new.profiles:
                new.profiles[id].take(profile)
            elif profile.engine.members:
                raise invalid(f"The new config has no action profile {profile.info.name!r}, which has members")
        except TableError as error:
            raise invalid(f"Action profile {profile.info.name!r} does not fit the new config: {error}") from None


def _take_tables(old: Pipeline, new: Pipeline) -> None:
    for info in old.p4info.tables.values():
        table = old.engine.tables[info.name]
        rows = [] if table.immutable else list(table.entries())
        changed = table.default if table.default != table.declaration.default else None
        successor = new.engine.tables.get(info.name)
        if successor is None:
            if rows:
                raise invalid(f"The new config has no table {info.name!r}, which has {len(rows)} entries")
            continue
        try:
            for row in rows:
                successor.insert(row.match, row.action, row.parameters, row.priority, timeout=row.timeout)
                successor.set_counts(row.match, row.priority, row.packets, row.bytes)
                if row.meter is not None and successor.declaration.direct_meter:
                    successor.set_meter(row.match, row.priority, row.meter)
                if row.colours is not None and successor.declaration.direct_meter:
                    successor.set_meter_counts(row.match, row.priority, row.colours)
            match changed:
                case ActionCall(action, parameters):
                    successor.set_default(action, parameters)
                case Member() | Group() as target:
                    successor.set_default(target)
        except TableError as error:
            raise invalid(f"The entries of table {info.name!r} do not fit the new config: {error}") from None


def _take_cells(old: Pipeline, new: Pipeline) -> None:
    for name, counter in old.engine.counters.items():
        if name in new.engine.counters and new.engine.counters[name].size == counter.size:
            new.engine.counters[name].cells[:] = counter.cells
    for name, crc in old.engine.crcs.items():
        if name in new.engine.crcs and new.engine.crcs[name].algorithm == crc.algorithm:
            new.engine.crcs[name].cells[:] = crc.cells
    for name, meter in old.engine.meters.items():
        if name in new.engine.meters and new.engine.meters[name].size == meter.size:
            new.engine.meters[name].cells[:] = meter.cells
    known = new.p4info.meters
    new.meters.update({at: each for at, each in old.meters.items() if at[0] in known and at[1] < known[at[0]].size})
    for name, values in old.engine.value_sets.items():
        if name in new.engine.value_sets and new.engine.value_sets[name].width == values.width:
            for value in list(values.values)[: new.engine.value_sets[name].size]:
                new.engine.value_sets[name].insert(value)
    for name, register in old.engine.registers.items():
        successor = new.engine.registers.get(name)
        if successor is not None and (successor.size, successor.width) == (register.size, register.width):
            successor.cells[:] = register.cells
