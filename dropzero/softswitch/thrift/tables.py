"""The functions of BMv2's Thrift service "standard" for tables and their direct counters and meters."""

from __future__ import annotations

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.model import ActionCall
from dropzero.softswitch.state.tables.table_error import TableErrorKind
from dropzero.softswitch.state.tables.tables import Entry, Table
from dropzero.softswitch.state.tables.targets import Group, Member, Target
from dropzero.softswitch.thrift import errors, structs
from dropzero.softswitch.thrift.engine_service import EngineService
from dropzero.softswitch.thrift.handles import EntryKey, Handles, index_of
from dropzero.softswitch.thrift.structs import ActionData, Counts, MatchKey, Options, Rates
from dropzero.softswitch.thrift.wire import STRUCT, Value, i32, i64, record, sequence


class Tables(EngineService):
    """Numbers entries with handles. Those that the program declares have one from the start; one made over P4Runtime
    gets it when the table is listed."""

    prefixes = ("bm_mt_",)

    def __init__(self, switch: Switch) -> None:
        super().__init__(switch)
        self._handles: dict[str, Handles] = {}
        self._numbered: Engine | None = None
        """The engine whose entries have `_handles`."""

    def bm_mt_get_num_entries(self, _: int, table: bytes) -> Value:
        return i64(len(self._table(table)))

    def bm_mt_clear_entries(self, _: int, table: bytes, reset_default: bool) -> None:
        with errors.declining():
            for entry in list(self._table(table)):
                self._table(table).delete(entry.match, entry.priority)
            self._handles.pop(self._table(table).name, None)
        if reset_default:
            _reset_default(self._table(table))

    def bm_mt_add_entry(
        self, _: int, table: bytes, match: MatchKey, action: bytes, data: ActionData, options: Options
    ) -> Value:
        return self._insert(table, match, options, action.decode(), structs.integers(data))

    def bm_mt_indirect_add_entry(self, _: int, table: bytes, match: MatchKey, member: int, options: Options) -> Value:
        return self._insert(table, match, options, Member(member))

    def bm_mt_indirect_ws_add_entry(self, _: int, table: bytes, match: MatchKey, group: int, options: Options) -> Value:
        return self._insert(table, match, options, Group(group))

    def bm_mt_modify_entry(self, _: int, table: bytes, handle: int, action: bytes, data: ActionData) -> None:
        self._modify(table, handle, action.decode(), structs.integers(data))

    def bm_mt_indirect_modify_entry(self, _: int, table: bytes, handle: int, member: int) -> None:
        self._modify(table, handle, Member(member))

    def bm_mt_indirect_ws_modify_entry(self, _: int, table: bytes, handle: int, group: int) -> None:
        self._modify(table, handle, Group(group))

    def bm_mt_delete_entry(self, _: int, table: bytes, handle: int) -> None:
        self._delete(self._of_type(table, direct=True), table, handle)

    def bm_mt_indirect_delete_entry(self, _: int, table: bytes, handle: int) -> None:
        self._delete(self._of_type(table, direct=False), table, handle)

    def bm_mt_set_entry_ttl(self, _: int, table: bytes, handle: int, milliseconds: int) -> None:
        entry = self._entry(table, handle)
        with errors.declining():
            self._table(table).modify(
                entry.match, entry.action, entry.parameters, entry.priority, timeout=1000 * milliseconds
            )

    bm_mt_indirect_set_entry_ttl = bm_mt_set_entry_ttl

    def bm_mt_set_default_action(self, _: int, table: bytes, action: bytes, data: ActionData) -> None:
        found = self._of_type(table, direct=True)
        _set_default(found, action.decode(), structs.integers(data))

    def bm_mt_indirect_set_default_member(self, _: int, table: bytes, member: int) -> None:
        self._set_default_target(table, Member(member))

    def bm_mt_indirect_ws_set_default_group(self, _: int, table: bytes, group: int) -> None:
        self._set_default_target(table, Group(group))

    def bm_mt_reset_default_entry(self, _: int, table: bytes) -> None:
        _reset_default(self._of_type(table, direct=True))

    def bm_mt_indirect_reset_default_entry(self, _: int, table: bytes) -> None:
        _reset_default(self._of_type(table, direct=False))

    def bm_mt_get_entries(self, _: int, table: bytes) -> Value:
        found = self._aged(table)
        handles = self._handles_of(table)
        entries = {handles.handle(_key(entry)): entry for entry in found}
        return sequence(
            STRUCT, [structs.encode_entry(found, entries[handle], handle) for handle in sorted(entries, key=index_of)]
        )

    def bm_mt_get_entry(self, _: int, table: bytes, handle: int) -> Value:
        return structs.encode_entry(self._table(table), self._entry(table, handle), handle)

    def bm_mt_get_entry_from_key(self, _: int, table: bytes, match: MatchKey, options: Options) -> Value:
        found = self._aged(table)
        with errors.declining({TableErrorKind.NOT_FOUND: errors.BAD_MATCH_KEY}):
            entry = found.entry(structs.decode_match(found, match), structs.decode_priority(found, options))
        return structs.encode_entry(found, entry, self._handles_of(table).handle(_key(entry)))

    def bm_mt_get_default_entry(self, _: int, table: bytes) -> Value:
        match self._table(table).default:
            case None:
                return record({1: i32(structs.NO_ACTION)})
            case ActionCall(action, parameters):
                return structs.encode_action(action, parameters)
            case target:
                return structs.encode_action(target, ())

    def bm_mt_read_counter(self, _: int, table: bytes, handle: int) -> Value:
        errors.require(self._table(table).declaration.direct_counter, errors.COUNTERS_DISABLED)
        entry = self._entry(table, handle)
        return record({1: i64(entry.bytes), 2: i64(entry.packets)})

    def bm_mt_write_counter(self, _: int, table: bytes, handle: int, value: Counts) -> None:
        errors.require(self._table(table).declaration.direct_counter, errors.COUNTERS_DISABLED)
        match, priority = self._key(table, handle)
        with errors.declining():
            self._table(table).set_counts(match, priority, value[2], value[1])

    def bm_mt_reset_counters(self, _: int, table: bytes) -> None:
        found = self._table(table)
        errors.require(found.declaration.direct_counter, errors.COUNTERS_DISABLED)
        for entry in found:
            found.set_counts(entry.match, entry.priority, 0, 0)

    def bm_mt_set_meter_rates(self, _: int, table: bytes, handle: int, rates: Rates) -> None:
        errors.require(self._table(table).declaration.direct_meter is not None, errors.METERS_DISABLED)
        match, priority = self._key(table, handle)
        with errors.declining():
            self._table(table).set_meter(match, priority, structs.decode_rates(rates, errors.ERROR))

    def bm_mt_get_meter_rates(self, _: int, table: bytes, handle: int) -> Value:
        errors.require(self._table(table).declaration.direct_meter is not None, errors.METERS_DISABLED)
        return structs.encode_rates(self._entry(table, handle).meter)

    def forget_handles(self) -> None:
        """Forgets the handles of all tables, which must be empty."""
        self._handles = {}

    def _table(self, name: bytes) -> Table:
        return errors.named(self.engine.tables, name, errors.INVALID_TABLE_NAME)

    def _of_type(self, name: bytes, *, direct: bool) -> Table:
        """The table, if its entries have actions (direct), or else members and groups of an action profile."""
        found = self._table(name)
        errors.require(direct == (found.declaration.profile is None), errors.WRONG_TABLE_TYPE)
        return found

    def _aged(self, name: bytes) -> Table:
        """The table, with its entries' idle times until now."""
        found = self._table(name)
        if found.declaration.idle_timeout:
            found.age(self._switch.now())
        return found

    def _handles_of(self, table: bytes) -> Handles:
        if self.engine is not self._numbered:
            self._numbered = self.engine
            self._handles = {}
        found = self._table(table)
        if found.name not in self._handles:
            self._handles[found.name] = handles = Handles()
            for entry in self._aged(table):
                handles.handle(_key(entry))
        return self._handles[found.name]

    def _key(self, table: bytes, handle: int) -> EntryKey:
        return self._handles_of(table).key(handle)

    def _entry(self, table: bytes, handle: int) -> Entry:
        match, priority = self._key(table, handle)
        with errors.declining():
            return self._aged(table).entry(match, priority)

    def _insert(
        self, table: bytes, match: MatchKey, options: Options, action: Target, data: tuple[int, ...] = ()
    ) -> Value:
        found = self._of_type(table, direct=isinstance(action, str))
        key = structs.decode_match(found, match), structs.decode_priority(found, options)
        with errors.declining({TableErrorKind.NOT_FOUND: _missing(action)}):
            found.insert(key[0], action, data, key[1])
        return i32(self._handles_of(table).handle(key))

    def _set_default_target(self, table: bytes, target: Member | Group) -> None:
        _set_default(self._of_type(table, direct=False), target)

    def _modify(self, table: bytes, handle: int, action: Target, data: tuple[int, ...] = ()) -> None:
        found = self._of_type(table, direct=isinstance(action, str))
        match, priority = self._key(table, handle)
        with errors.declining():
            found.modify(match, action, data, priority)

    def _delete(self, found: Table, table: bytes, handle: int) -> None:
        match, priority = self._key(table, handle)
        with errors.declining():
            found.delete(match, priority)
        self._handles_of(table).forget(handle)


def _set_default(table: Table, action: Target, data: tuple[int, ...] = ()) -> None:
    constant = errors.DEFAULT_ENTRY_IS_CONST if table.declaration.default_const else errors.DEFAULT_ACTION_IS_CONST
    with errors.declining({TableErrorKind.CONST_DEFAULT: constant, TableErrorKind.NOT_FOUND: _missing(action)}):
        table.set_default(action, data)


def _missing(target: Target) -> int:
    """The code for a target that does not exist."""
    return errors.INVALID_MBR_HANDLE if isinstance(target, Member) else errors.INVALID_GRP_HANDLE


def _reset_default(table: Table) -> None:
    if not table.declaration.default_const:
        table.reset_default()


def _key(entry: Entry) -> EntryKey:
    return entry.match, entry.priority
