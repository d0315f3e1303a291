"""The functions of BMv2's Thrift service "standard": tables, action profiles, counters, meters, registers, value sets.

Entries have numbers here, called handles. Priorities are BMv2's: the lowest number wins.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import Any, TypeVar

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.model import ActionCall, Exact, Key, Lpm, Match, Range, Ternary
from dropzero.softswitch.state.meters import MeterRates
from dropzero.softswitch.state.tables.action_profiles import ActionProfile
from dropzero.softswitch.state.tables.table_error import TableError, TableErrorKind
from dropzero.softswitch.state.tables.tables import Entry, Table
from dropzero.softswitch.state.tables.targets import Group, Member, Target
from dropzero.softswitch.thrift.replication import Replication
from dropzero.softswitch.thrift.server import Declined
from dropzero.softswitch.thrift.wire import (
    I32,
    I64,
    STRING,
    STRUCT,
    Value,
    double,
    i32,
    i64,
    record,
    sequence,
    string,
)

Kind = TableErrorKind
TABLE_FULL, INVALID_HANDLE, EXPIRED_HANDLE, COUNTERS_DISABLED, METERS_DISABLED = 1, 2, 3, 4, 5
INVALID_TABLE_NAME, INVALID_ACTION_NAME, INVALID_MBR_HANDLE, MBR_STILL_USED = 7, 8, 10, 11
MBR_ALREADY_IN_GRP, MBR_NOT_IN_GRP, INVALID_GRP_HANDLE, GRP_STILL_USED = 12, 13, 14, 15
DUPLICATE_ENTRY, BAD_MATCH_KEY = 17, 18
DEFAULT_ACTION_IS_CONST, DEFAULT_ENTRY_IS_CONST, INVALID_ACTION_PROFILE_NAME = 20, 21, 23
IMMUTABLE_TABLE_ENTRIES, BAD_ACTION_DATA, ERROR = 25, 26, 100
CODES = {
    Kind.DUPLICATE: DUPLICATE_ENTRY,
    Kind.NOT_FOUND: INVALID_HANDLE,
    Kind.FULL: TABLE_FULL,
    Kind.IMMUTABLE: IMMUTABLE_TABLE_ENTRIES,
    Kind.CONST_DEFAULT: DEFAULT_ACTION_IS_CONST,
    Kind.UNKNOWN_ACTION: INVALID_ACTION_NAME,
    Kind.PARAMETER_COUNT: BAD_ACTION_DATA,
    Kind.PARAMETER_VALUE: BAD_ACTION_DATA,
    Kind.KEY_COUNT: BAD_MATCH_KEY,
    Kind.KEY_KIND: BAD_MATCH_KEY,
    Kind.KEY_VALUE: BAD_MATCH_KEY,
    Kind.PRIORITY: BAD_MATCH_KEY,
    Kind.IN_USE: MBR_STILL_USED,
}
INVALID_NAME, INVALID_INDEX, INVALID_RATE = 1, 2, 4
"""Codes of errors of counters, meters and registers."""
WRONG_CALCULATION = 2
INDEX_BITS = 24
KINDS = {"exact": 0, "lpm": 1, "ternary": 2, "range": 4}
NOTHING, ACTION_DATA, MEMBER, GROUP = range(4)
HIGHEST = (1 << 31) - 1
"""The highest priority: BMv2's p is HIGHEST - p in P4Runtime, and in the tables."""

Named = TypeVar("Named")
RowKey = tuple[tuple[Match, ...], int]


class Standard:
    """Most of the service. It addresses the staged engine if there is one, as BMv2 does between load and swap."""

    prefixes = ("bm_",)
    needs_engine = True

    def __init__(self, switch: Switch, replication: Replication) -> None:
        self._switch = switch
        self._replication = replication
        self._handles: dict[str, _Handles] = {}
        self._numbered: Engine | None = None

    # --- tables ---

    def bm_mt_get_num_entries(self, _: int, table: bytes) -> Value:
        return i64(len(self._table(table)))

    def bm_mt_clear_entries(self, _: int, table: bytes, reset_default: bool) -> None:
        with _declining():
            for entry in list(self._table(table)):
                self._table(table).delete(entry.match, entry.priority)
            self._handles.pop(self._table(table).name, None)
            if reset_default:
                self._table(table).reset_default()

    def bm_mt_add_entry(
        self, _: int, table: bytes, match: list[Any], action: bytes, data: list[bytes], options: dict[int, int]
    ) -> Value:
        return self._insert(table, match, options, action.decode(), _numbers(data))

    def bm_mt_indirect_add_entry(
        self, _: int, table: bytes, match: list[Any], member: int, options: dict[int, int]
    ) -> Value:
        return self._insert(table, match, options, Member(member))

    def bm_mt_indirect_ws_add_entry(
        self, _: int, table: bytes, match: list[Any], group: int, options: dict[int, int]
    ) -> Value:
        return self._insert(table, match, options, Group(group))

    def bm_mt_modify_entry(self, _: int, table: bytes, handle: int, action: bytes, data: list[bytes]) -> None:
        self._modify(table, handle, action.decode(), _numbers(data))

    def bm_mt_indirect_modify_entry(self, _: int, table: bytes, handle: int, member: int) -> None:
        self._modify(table, handle, Member(member))

    def bm_mt_indirect_ws_modify_entry(self, _: int, table: bytes, handle: int, group: int) -> None:
        self._modify(table, handle, Group(group))

    def bm_mt_delete_entry(self, _: int, table: bytes, handle: int) -> None:
        match, priority = self._key(table, handle)
        with _declining():
            self._table(table).delete(match, priority)
        self._handles_of(table).forget(handle)

    bm_mt_indirect_delete_entry = bm_mt_delete_entry

    def bm_mt_set_entry_ttl(self, _: int, table: bytes, handle: int, milliseconds: int) -> None:
        entry = self._entry(table, handle)
        with _declining():
            self._table(table).modify(
                entry.match, entry.action, entry.parameters, entry.priority, timeout=1000 * milliseconds
            )

    bm_mt_indirect_set_entry_ttl = bm_mt_set_entry_ttl

    def bm_mt_set_default_action(self, _: int, table: bytes, action: bytes, data: list[bytes]) -> None:
        found = self._table(table)
        constant = DEFAULT_ENTRY_IS_CONST if found.declaration.default_const else DEFAULT_ACTION_IS_CONST
        with _declining({Kind.CONST_DEFAULT: constant}):
            found.set_default(action.decode(), _numbers(data))

    def bm_mt_reset_default_entry(self, _: int, table: bytes) -> None:
        with _declining():
            self._table(table).reset_default()

    bm_mt_indirect_reset_default_entry = bm_mt_reset_default_entry

    def bm_mt_get_entries(self, _: int, table: bytes) -> Value:
        found = self._table(table)
        handles = self._handles_of(table)
        entries = {handles.of(_key(entry)): entry for entry in found}
        return sequence(STRUCT, [_entry(found, entries[handle], handle) for handle in sorted(entries, key=_index)])

    def bm_mt_get_entry(self, _: int, table: bytes, handle: int) -> Value:
        return _entry(self._table(table), self._entry(table, handle), handle)

    def bm_mt_get_entry_from_key(self, _: int, table: bytes, match: list[Any], options: dict[int, int]) -> Value:
        found = self._table(table)
        with _declining({Kind.NOT_FOUND: BAD_MATCH_KEY}):
            entry = found.entry(_match(found, match), _priority(found, options))
        return _entry(found, entry, self._handles_of(table).of(_key(entry)))

    def bm_mt_get_default_entry(self, _: int, table: bytes) -> Value:
        default = self._table(table).default
        return record({1: i32(NOTHING)}) if default is None else _action(default.action, default.parameters)

    def bm_mt_read_counter(self, _: int, table: bytes, handle: int) -> Value:
        self._require(self._table(table).declaration.direct_counter, COUNTERS_DISABLED)
        entry = self._entry(table, handle)
        return record({1: i64(entry.bytes), 2: i64(entry.packets)})

    def bm_mt_write_counter(self, _: int, table: bytes, handle: int, value: dict[int, int]) -> None:
        self._require(self._table(table).declaration.direct_counter, COUNTERS_DISABLED)
        match, priority = self._key(table, handle)
        with _declining():
            self._table(table).set_counts(match, priority, value[2], value[1])

    def bm_mt_reset_counters(self, _: int, table: bytes) -> None:
        found = self._table(table)
        self._require(found.declaration.direct_counter, COUNTERS_DISABLED)
        for entry in found:
            found.set_counts(entry.match, entry.priority, 0, 0)

    def bm_mt_set_meter_rates(self, _: int, table: bytes, handle: int, rates: list[dict[int, Any]]) -> None:
        self._require(self._table(table).declaration.direct_meter is not None, METERS_DISABLED)
        match, priority = self._key(table, handle)
        with _declining():
            self._table(table).set_meter(match, priority, _rates(rates, ERROR))

    def bm_mt_get_meter_rates(self, _: int, table: bytes, handle: int) -> Value:
        self._require(self._table(table).declaration.direct_meter is not None, METERS_DISABLED)
        return _rate_list(self._entry(table, handle).meter)

    # --- action profiles ---

    def bm_mt_act_prof_add_member(self, _: int, profile: bytes, action: bytes, data: list[bytes]) -> Value:
        found = self._profile(profile)
        number = _free(found.members)
        with _declining():
            found.add_member(number, action.decode(), _numbers(data))
        return i32(number)

    def bm_mt_act_prof_modify_member(
        self, _: int, profile: bytes, number: int, action: bytes, data: list[bytes]
    ) -> None:
        with _declining({Kind.NOT_FOUND: INVALID_MBR_HANDLE}):
            self._profile(profile).modify_member(number, action.decode(), _numbers(data))

    def bm_mt_act_prof_delete_member(self, _: int, profile: bytes, number: int) -> None:
        with _declining({Kind.NOT_FOUND: INVALID_MBR_HANDLE}):
            self._profile(profile).delete_member(number)

    def bm_mt_act_prof_create_group(self, _: int, profile: bytes) -> Value:
        found = self._profile(profile)
        number = _free(found.groups)
        found.add_group(number)
        return i32(number)

    def bm_mt_act_prof_delete_group(self, _: int, profile: bytes, number: int) -> None:
        with _declining({Kind.NOT_FOUND: INVALID_GRP_HANDLE, Kind.IN_USE: GRP_STILL_USED}):
            self._profile(profile).delete_group(number)

    def bm_mt_act_prof_add_member_to_group(self, _: int, profile: bytes, member: int, group: int) -> None:
        members = self._group(profile, group)
        self._require(member not in members, MBR_ALREADY_IN_GRP)
        with _declining({Kind.NOT_FOUND: INVALID_MBR_HANDLE}):
            self._profile(profile).modify_group(group, (*members, member))

    def bm_mt_act_prof_remove_member_from_group(self, _: int, profile: bytes, member: int, group: int) -> None:
        members = self._group(profile, group)
        self._require(member in members, MBR_NOT_IN_GRP)
        self._profile(profile).modify_group(group, [each for each in members if each != member])

    def bm_mt_act_prof_get_members(self, _: int, profile: bytes) -> Value:
        found = self._profile(profile)
        return sequence(STRUCT, [_member(*item) for item in found.members.items()])

    def bm_mt_act_prof_get_member(self, _: int, profile: bytes, number: int) -> Value:
        found = self._profile(profile)
        self._require(number in found.members, INVALID_MBR_HANDLE)
        return _member(number, found.members[number])

    def bm_mt_act_prof_get_groups(self, _: int, profile: bytes) -> Value:
        return sequence(STRUCT, [_group(*item) for item in self._profile(profile).groups.items()])

    def bm_mt_act_prof_get_group(self, _: int, profile: bytes, number: int) -> Value:
        return _group(number, self._group(profile, number))

    # --- counters, meters, registers, value sets ---

    def bm_counter_read(self, _: int, name: bytes, index: int) -> Value:
        counter = _named(self._engine.counters, name)
        self._require(0 <= index < counter.size, INVALID_INDEX)
        return record({1: i64(int(counter.bytes[index])), 2: i64(int(counter.packets[index]))})

    def bm_counter_write(self, _: int, name: bytes, index: int, value: dict[int, int]) -> None:
        counter = _named(self._engine.counters, name)
        self._require(0 <= index < counter.size, INVALID_INDEX)
        counter.bytes[index], counter.packets[index] = value[1], value[2]

    def bm_counter_reset_all(self, _: int, name: bytes) -> None:
        _named(self._engine.counters, name).reset()

    def bm_meter_set_rates(self, _: int, name: bytes, index: int, rates: list[dict[int, Any]]) -> None:
        meter = _named(self._engine.meters, name)
        self._require(0 <= index < meter.size, INVALID_INDEX)
        meter[index] = _rates(rates)

    def bm_meter_array_set_rates(self, _: int, name: bytes, rates: list[dict[int, Any]]) -> None:
        direct = {meter.name: meter.table for meter in self._engine.program.meters if meter.table is not None}
        if name.decode() in direct:
            self._engine.tables[direct[name.decode()]].set_meters(_rates(rates))
            return
        meter = _named(self._engine.meters, name)
        for index in range(meter.size):
            meter[index] = _rates(rates)

    def bm_meter_get_rates(self, _: int, name: bytes, index: int) -> Value:
        meter = _named(self._engine.meters, name)
        self._require(0 <= index < meter.size, INVALID_INDEX)
        return _rate_list(meter[index])

    def bm_register_read(self, _: int, name: bytes, index: int) -> Value:
        register = _named(self._engine.registers, name)
        self._require(0 <= index < register.size, INVALID_INDEX)
        return i64(register[index])

    def bm_register_read_all(self, _: int, name: bytes) -> Value:
        return sequence(I64, [i64(value) for value in _named(self._engine.registers, name).snapshot()])

    def bm_register_write(self, _: int, name: bytes, index: int, value: int) -> None:
        self.bm_register_write_range(_, name, index, index + 1, value)

    def bm_register_write_range(self, _: int, name: bytes, start: int, end: int, value: int) -> None:
        register = _named(self._engine.registers, name)
        self._require(0 <= start <= end <= register.size, INVALID_INDEX)
        for index in range(start, end):
            register[index] = value & (1 << register.width) - 1

    def bm_register_reset(self, _: int, name: bytes) -> None:
        _named(self._engine.registers, name).reset()

    def bm_parse_vset_add(self, _: int, name: bytes, value: bytes) -> None:
        _named(self._engine.value_sets, name).insert(int.from_bytes(value, "big"))

    def bm_parse_vset_remove(self, _: int, name: bytes, value: bytes) -> None:
        _named(self._engine.value_sets, name).delete(int.from_bytes(value, "big"))

    def bm_parse_vset_get(self, _: int, name: bytes) -> Value:
        found = _named(self._engine.value_sets, name)
        return sequence(STRING, [_bytes(value, found.width) for value in found.values])

    def bm_parse_vset_clear(self, _: int, name: bytes) -> None:
        _named(self._engine.value_sets, name).clear()

    # --- hashes ---

    def bm_set_crc16_custom_parameters(self, _: int, name: bytes, parameters: dict[int, int]) -> None:
        self._set_crc(name, "crc16_custom", 16, parameters)

    def bm_set_crc32_custom_parameters(self, _: int, name: bytes, parameters: dict[int, int]) -> None:
        self._set_crc(name, "crc32_custom", 32, parameters)

    # --- the program ---

    def bm_get_config(self) -> Value:
        return string(self._engine.program.text)

    def bm_get_config_md5(self) -> Value:
        return string(hashlib.md5(self._engine.program.text.encode(), usedforsecurity=False).digest())

    def bm_reset_state(self) -> None:
        engine = self._engine
        for table in engine.tables.values():
            table.clear()
        self._handles = {}
        for states in (engine.registers, engine.counters, engine.meters):
            for name in states:
                states[name].reset()
        for profile in engine.action_profiles.values():
            for group in list(profile.groups):
                profile.delete_group(group)
            for member in list(profile.members):
                profile.delete_member(member)
        self._replication.reset()

    # --- names and handles ---

    @property
    def _engine(self) -> Engine:
        engine = self._switch.staged or self._switch.engine
        assert engine is not None
        if engine is not self._numbered:
            self._numbered = engine
            self._handles = {}
        return engine

    def _table(self, name: bytes) -> Table:
        return _named(self._engine.tables, name, INVALID_TABLE_NAME)

    def _profile(self, name: bytes) -> ActionProfile:
        return _named(self._engine.action_profiles, name, INVALID_ACTION_PROFILE_NAME)

    def _group(self, profile: bytes, number: int) -> tuple[int, ...]:
        groups = self._profile(profile).groups
        self._require(number in groups, INVALID_GRP_HANDLE)
        return groups[number]

    def _handles_of(self, table: bytes) -> _Handles:
        found = self._table(table)
        if found.name not in self._handles:
            self._handles[found.name] = handles = _Handles()
            for entry in found:
                handles.of(_key(entry))
        return self._handles[found.name]

    def _key(self, table: bytes, handle: int) -> RowKey:
        """The entry with a handle. Entries of the program have handles from the start, and those made over P4Runtime
        when the table is listed."""
        return self._handles_of(table).key(handle)

    def _entry(self, table: bytes, handle: int) -> Entry:
        match, priority = self._key(table, handle)
        with _declining():
            return self._table(table).entry(match, priority)

    def _insert(
        self, table: bytes, match: list[Any], options: dict[int, int], action: Target, data: tuple[int, ...] = ()
    ) -> Value:
        found = self._table(table)
        key = _match(found, match), _priority(found, options)
        with _declining({Kind.NOT_FOUND: INVALID_MBR_HANDLE if isinstance(action, Member) else INVALID_GRP_HANDLE}):
            found.insert(key[0], action, data, key[1])
        return i32(self._handles_of(table).of(key))

    def _modify(self, table: bytes, handle: int, action: Target, data: tuple[int, ...] = ()) -> None:
        match, priority = self._key(table, handle)
        with _declining():
            self._table(table).modify(match, action, data, priority)

    def _set_crc(self, name: bytes, algorithm: str, width: int, parameters: dict[int, int]) -> None:
        """parameters: polynomial, initial remainder, final XOR value, and whether data and remainder are reflected."""
        self._require(name.decode() in self._engine.program.calculations, INVALID_NAME)
        crc = self._engine.crcs.get(name.decode())
        if crc is None or crc.algorithm != algorithm:
            raise Declined(WRONG_CALCULATION)
        # Thrift's numbers are signed.
        numbers = [parameters[field] & (1 << width) - 1 for field in (1, 2, 3)]
        crc.set(*numbers, data_reflected=bool(parameters[4]), result_reflected=bool(parameters[5]))

    @staticmethod
    def _require(condition: bool, code: int) -> None:
        if not condition:
            raise Declined(code)


class _Handles:
    """Numbers of the entries of a table, as BMv2 gives them: the lowest free index, below the highest byte, which
    counts how often the index was freed."""

    def __init__(self) -> None:
        self._keys: dict[int, RowKey] = {}
        """By index."""
        self._numbers: dict[RowKey, int] = {}
        self._freed: list[int] = []
        self._versions: dict[int, int] = {}

    def of(self, key: RowKey) -> int:
        if key not in self._numbers:
            index = heappop(self._freed) if self._freed else len(self._keys)
            self._keys[index] = key
            self._numbers[key] = self._versions.get(index, 0) << INDEX_BITS | index
        return self._numbers[key]

    def key(self, number: int) -> RowKey:
        key = self._keys.get(_index(number))
        if key is None:
            raise Declined(INVALID_HANDLE)
        if self._numbers[key] != number:
            raise Declined(EXPIRED_HANDLE)
        return key

    def forget(self, number: int) -> None:
        index = _index(number)
        del self._numbers[self._keys.pop(index)]
        # Thrift's numbers are signed.
        self._versions[index] = self._versions.get(index, 0) + 1 & 0x7F
        heappush(self._freed, index)


def _index(number: int) -> int:
    return number & (1 << INDEX_BITS) - 1


def _named(known: dict[str, Named], name: bytes, code: int = INVALID_NAME) -> Named:
    found = known.get(name.decode())
    if found is None:
        raise Declined(code)
    return found


@contextmanager
def _declining(codes: dict[TableErrorKind, int] = CODES) -> Iterator[None]:
    """Converts a TableError to the exception that Thrift's clients expect."""
    try:
        yield
    except TableError as error:
        raise Declined((CODES | codes)[error.kind]) from None


def _free(known: dict[int, Any]) -> int:
    return next(number for number in range(len(known) + 1) if number not in known)


def _key(entry: Entry) -> RowKey:
    return entry.match, entry.priority


def _numbers(data: Sequence[bytes]) -> tuple[int, ...]:
    return tuple(int.from_bytes(value, "big") for value in data)


def _bytes(value: int, width: int) -> Value:
    return string(value.to_bytes((width + 7) // 8, "big"))


def _priority(table: Table, options: dict[int, int]) -> int:
    return HIGHEST - options.get(1, 0) if table.prioritized else 0


def _match(table: Table, parts: list[dict[int, Any]]) -> tuple[Match, ...]:
    if [part.get(1) for part in parts] != [KINDS[key.kind] for key in table.keys]:
        raise Declined(BAD_MATCH_KEY)
    return tuple(_part(key, part) for key, part in zip(table.keys, parts, strict=True))


def _part(key: Key, part: dict[int, Any]) -> Match:
    """Decodes a match parameter: its type, and then a struct for that type."""
    match key.kind:
        case "exact":
            return Exact(int.from_bytes(part[2][1], "big"))
        case "lpm":
            value, length = int.from_bytes(part[3][1], "big"), part[3][2]
            kept = (1 << key.width) - (1 << key.width - length) if 0 <= length <= key.width else 0
            return Lpm(value & kept, length)
        case "ternary":
            value, mask = _numbers((part[4][1], part[4][2]))
            return Ternary(value & mask, mask)
        case _:
            return Range(*_numbers((part[6][1], part[6][2])))


def _entry(table: Table, entry: Entry, handle: int) -> Value:
    fields = {
        1: sequence(STRUCT, [_parameter(*pair) for pair in zip(table.keys, entry.match, strict=True)]),
        2: record({1: i32(HIGHEST - entry.priority if table.prioritized else -1)}),
        3: i32(handle),
        4: _action(entry.action, entry.parameters),
    }
    if entry.timeout:
        fields[5] = record({1: i32(entry.timeout // 1000), 2: i32(max(0, entry.idle or 0) // 1000)})
    return record(fields)


def _parameter(key: Key, part: Match) -> Value:
    kind = i32(KINDS[key.kind])
    match part:
        case Exact(value):
            return record({1: kind, 2: record({1: _bytes(value, key.width)})})
        case Lpm(value, length):
            return record({1: kind, 3: record({1: _bytes(value, key.width), 2: i32(length)})})
        case Ternary(value, mask):
            return record({1: kind, 4: record({1: _bytes(value, key.width), 2: _bytes(mask, key.width)})})
        case Range(low, high):
            return record({1: kind, 6: record({1: _bytes(low, key.width), 2: _bytes(high, key.width)})})


def _action(action: Target, parameters: Sequence[int]) -> Value:
    match action:
        case Member(number):
            return record({1: i32(MEMBER), 4: i32(number)})
        case Group(number):
            return record({1: i32(GROUP), 5: i32(number)})
    return record({1: i32(ACTION_DATA), 2: string(action), 3: _data(parameters)})


def _member(number: int, call: ActionCall) -> Value:
    return record({1: i32(number), 2: string(call.action), 3: _data(call.parameters)})


def _data(parameters: Sequence[int]) -> Value:
    """Encodes parameters as short as possible."""
    return sequence(STRING, [_bytes(value, max(1, value.bit_length())) for value in parameters])


def _group(number: int, members: Sequence[int]) -> Value:
    return record({1: i32(number), 2: sequence(I32, [i32(member) for member in members])})


def _rates(rates: list[dict[int, Any]], code: int = INVALID_RATE) -> MeterRates:
    """Decodes rates, the committed one first, in units per microsecond. code: of the error for invalid rates."""
    try:
        (committed, committed_burst), (peak, peak_burst) = ((round(rate[1] * 1e6), rate[2]) for rate in rates)
        return MeterRates(committed, committed_burst, peak, peak_burst)
    except ValueError:
        raise Declined(code) from None


def _rate_list(rates: MeterRates | None) -> Value:
    pairs = []
    if rates is not None:
        pairs = [(rates.committed_rate, rates.committed_burst), (rates.peak_rate, rates.peak_burst)]
    return sequence(STRUCT, [record({1: double(rate / 1e6), 2: i32(burst)}) for rate, burst in pairs])
