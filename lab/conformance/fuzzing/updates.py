"""Random P4Runtime updates that fit a program, from its P4Info; equal for equal seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from dropzero.p4 import names
from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2
from lab.conformance.fuzzing.generator import Pools

Update = p4runtime_pb2.Update
Entity = p4runtime_pb2.Entity
MatchField = p4info_pb2.MatchField
NOTIFY = p4info_pb2.Table.NOTIFY_CONTROL
KEPT = 100
"""The number of entries remembered, to modify and delete them."""
CELLS = 1024
"""Arrays with more cells are not read as a whole."""
NUMBERS = range(1, 7)
"""Ids of members and groups of action profiles."""
TIMEOUTS = (0, 10**9, 60 * 10**9)
# A meter must not depend on time: all packets are green, or all red.
GREEN = p4runtime_pb2.MeterConfig(cir=10**9, cburst=10**9, pir=10**9, pburst=10**9)
RED = p4runtime_pb2.MeterConfig(cir=1, cburst=0, pir=1, pburst=0)
REPLICATED = {"multicast_group": "multicast_group_id", "clone_session": "session_id"}
"""What has replicas, and the name of its number."""


class Updates:
    """An endless supply of updates, most of which succeed."""

    def __init__(self, p4info: Any, pools: Pools, leave: Sequence[str] = ()) -> None:
        """leave: substrings of the names of tables that are not written."""
        self._pools = pools
        self._random = pools.random
        self._p4info = p4info
        written = [each for each in p4info.tables if not each.is_const_table]
        tables = [each for each in written if not any(part in each.preamble.name for part in leave)]
        self._tables = {table.preamble.id: table for table in tables if table.match_fields}
        self._defaults = [each for each in tables if not each.const_default_action_id and not each.implementation_id]
        self._actions = {action.preamble.id: action for action in p4info.actions}
        self._profiles = {profile.preamble.id: profile for profile in p4info.action_profiles if profile.table_ids}
        self._counted = {counter.direct_table_id for counter in p4info.direct_counters}
        self._metered = {meter.direct_table_id for meter in p4info.direct_meters}
        self._members: dict[int, set[int]] = {id: set() for id in self._profiles}
        self._written: list[Any] = []
        kinds: list[tuple[Callable[[], Any], int, bool]] = [
            (self._insert, 8, bool(self._tables)),
            (self._change, 6, bool(self._tables)),
            (self._default, 1, bool(self._defaults)),
            (self._member, 2, bool(self._profiles)),
            (self._group, 2, any(profile.with_selector for profile in self._profiles.values())),
            (self._counter, 1, bool(p4info.counters)),
            (self._meter, 1, bool(p4info.meters)),
            *((partial(self._replication, kind), 1, True) for kind in REPLICATED),
        ]
        self._kinds = [kind for kind, _, there in kinds if there]
        self._weights = [weight for _, weight, there in kinds if there]

    def first(self) -> Iterator[Any]:
        """Yield inserts of the pools' multicast groups, and of clone sessions with the same numbers."""
        for number in self._pools.groups:
            for kind in REPLICATED:
                yield self._replicated(Update.INSERT, kind, number)

    def some(self) -> list[Any]:
        """Return the updates of one request."""
        count = self._random.choice((1, 1, 2, 5))
        return [kind() for kind in self._random.choices(self._kinds, self._weights, k=count)]

    def answered(self, update: Any, done: bool) -> None:
        """Learn whether an update was done. Groups use only members that exist, because BMv2 keeps groups that it
        refused for missing members."""
        if update.entity.WhichOneof("entity") == "action_profile_member":
            member = update.entity.action_profile_member
            if (update.type, done) in ((Update.INSERT, True), (Update.DELETE, False)):
                self._members[member.action_profile_id].add(member.member_id)

    def questions(self) -> Iterator[Any]:
        """Yield reads of everything that can be written."""
        for table in self._p4info.tables:
            entry = p4runtime_pb2.TableEntry(table_id=table.preamble.id)
            if table.preamble.id in self._counted:
                entry.counter_data.SetInParent()
            if table.preamble.id in self._metered:
                entry.meter_config.SetInParent()
            yield Entity(table_entry=entry)
            yield Entity(table_entry=p4runtime_pb2.TableEntry(table_id=table.preamble.id, is_default_action=True))
        for kind, arrays in (("counter", self._p4info.counters), ("meter", self._p4info.meters)):
            for array in arrays:
                for index in self._indices(array.size):
                    cell = {} if index is None else {"index": {"index": index}}
                    asked: dict[str, Any] = {f"{kind}_entry": {f"{kind}_id": array.preamble.id, **cell}}
                    yield Entity(**asked)
        for profile in self._profiles:
            yield Entity(action_profile_member=p4runtime_pb2.ActionProfileMember(action_profile_id=profile))
            yield Entity(action_profile_group=p4runtime_pb2.ActionProfileGroup(action_profile_id=profile))
        yield from replication()

    def _indices(self, size: int) -> list[int | None]:
        """Return the cells to read: None for all at once, or some of many."""
        return [None] if size <= CELLS else [0, size - 1, *self._random.sample(range(size), 8)]

    # --- replication ---

    def _any_of(self, *kinds: Update.Type.ValueType) -> Update:
        return Update(type=self._random.choice(kinds))

    def _replication(self, kind: str) -> Update:
        """Return an update of a group or a session: see REPLICATED."""
        type = self._random.choice((Update.INSERT, Update.MODIFY, Update.MODIFY, Update.DELETE))
        return self._replicated(type, kind, self._random.choice(self._pools.groups))

    def _replicated(self, type: Update.Type.ValueType, kind: str, number: int) -> Update:
        update = Update(type=type)
        entry = getattr(update.entity.packet_replication_engine_entry, f"{kind}_entry")
        setattr(entry, REPLICATED[kind], number)
        ports = self._pools.ports
        for port in self._random.sample(ports, self._random.randint(1, len(ports))):
            entry.replicas.add(egress_port=port, instance=self._random.randrange(8))
        return update

    # --- counters and meters ---

    def _cell(self, kind: str, array: Any) -> tuple[Update, Any]:
        """Return an update of a cell of a counter or a meter, and the cell."""
        update = Update(type=Update.MODIFY)
        cell = getattr(update.entity, f"{kind}_entry")
        setattr(cell, f"{kind}_id", array.preamble.id)
        cell.index.index = self._random.randrange(array.size)
        return update, cell

    def _counter(self) -> Any:
        counter = self._random.choice(self._p4info.counters)
        update, cell = self._cell("counter", counter)
        self._count(cell.data, counter.spec)
        return update

    def _count(self, data: Any, spec: Any) -> None:
        if spec.unit != spec.BYTES:
            data.packet_count = self._pools.value(32)
        if spec.unit != spec.PACKETS:
            data.byte_count = self._pools.value(32)

    def _meter(self) -> Any:
        update, cell = self._cell("meter", self._random.choice(self._p4info.meters))
        self._rate(cell)
        return update

    def _rate(self, entry: Any) -> None:
        """Set rates, or sometimes none."""
        if rates := self._random.choice((None, GREEN, RED)):
            entry.config.MergeFrom(rates)

    # --- action profiles ---

    def _member(self) -> Any:
        profile = self._random.choice(list(self._profiles.values()))
        number = self._random.choice(NUMBERS)
        known = self._members[profile.preamble.id]
        kind = Update.INSERT if number not in known else self._random.choice((Update.MODIFY, Update.DELETE))
        update = Update(type=kind)
        entry = update.entity.action_profile_member
        entry.action_profile_id = profile.preamble.id
        entry.member_id = number
        users = [table for table in self._p4info.tables if table.preamble.id in profile.table_ids]
        self._call(entry.action, users[0])
        if kind == Update.DELETE:
            known.discard(number)
        return update

    def _group(self) -> Any:
        profile = self._random.choice([each for each in self._profiles.values() if each.with_selector])
        known = sorted(self._members[profile.preamble.id])
        # BMv2 refuses entries that name an empty group.
        if not known:
            return self._member()
        update = self._any_of(Update.INSERT, Update.INSERT, Update.MODIFY, Update.MODIFY, Update.DELETE)
        entry = update.entity.action_profile_group
        entry.action_profile_id = profile.preamble.id
        entry.group_id = self._random.choice(NUMBERS)
        for number in self._random.sample(known, self._random.randint(1, min(3, len(known)))):
            entry.members.add(member_id=number, weight=1)
        return update

    # --- tables ---

    def _insert(self) -> Any:
        update = Update(type=Update.INSERT)
        self._fill(update.entity.table_entry, self._random.choice(list(self._tables.values())))
        if len(self._written) == KEPT:
            self._written.pop(self._random.randrange(KEPT))
        self._written.append(update.entity.table_entry)
        return update

    def _change(self) -> Any:
        if not self._written:
            return self._insert()
        known = self._random.choice(self._written)
        table = self._tables[known.table_id]
        chance = self._random.random()
        if table.preamble.id in self._counted and chance < 0.1:
            update = Update(type=Update.MODIFY)
            entry = update.entity.direct_counter_entry
            entry.table_entry.CopyFrom(_key_of(known))
            counters = [each for each in self._p4info.direct_counters if each.direct_table_id == table.preamble.id]
            self._count(entry.data, counters[0].spec)
            return update
        if table.preamble.id in self._metered and chance < 0.2:
            update = Update(type=Update.MODIFY)
            update.entity.direct_meter_entry.table_entry.CopyFrom(_key_of(known))
            self._rate(update.entity.direct_meter_entry)
            return update
        update = self._any_of(Update.MODIFY, Update.MODIFY, Update.DELETE, Update.INSERT)
        update.entity.table_entry.CopyFrom(known)
        if update.type == Update.MODIFY:
            self._act(update.entity.table_entry, table, in_entry=True)
        return update

    def _default(self) -> Any:
        table = self._random.choice(self._defaults)
        update = Update(type=Update.MODIFY)
        entry = update.entity.table_entry
        entry.table_id = table.preamble.id
        entry.is_default_action = True
        self._act(entry, table, in_entry=False)
        return update

    def _fill(self, entry: Any, table: Any) -> None:
        entry.table_id = table.preamble.id
        for key in table.match_fields:
            value, full = self._pools.value(key.bitwidth), (1 << key.bitwidth) - 1
            if key.match_type != MatchField.EXACT and self._random.random() < 0.2:
                continue
            matched: names.Match = value
            match key.match_type:
                case MatchField.LPM:
                    length = self._random.randint(1, key.bitwidth)
                    matched = value & full ^ full >> length, length
                case MatchField.TERNARY:
                    mask = self._random.choice([full, full, 1, self._random.getrandbits(key.bitwidth) or full])
                    matched = value & mask, mask
                case MatchField.RANGE:
                    low, high = sorted((value, self._pools.value(key.bitwidth)))
                    matched = low, full - 1 if (low, high) == (0, full) else high
            entry.match.extend(names.encode_match(key, matched))
        if any(key.match_type not in (MatchField.EXACT, MatchField.LPM) for key in table.match_fields):
            entry.priority = self._random.randint(1, 1 << 20)
        if table.idle_timeout_behavior == NOTIFY:
            entry.idle_timeout_ns = self._random.choice(TIMEOUTS)
        if table.preamble.id in self._metered and self._random.random() < 0.5:
            entry.meter_config.MergeFrom(self._random.choice((GREEN, RED)))
        self._act(entry, table, in_entry=True)

    def _act(self, entry: Any, table: Any, *, in_entry: bool) -> None:
        """Set an entry's action."""
        entry.action.Clear()
        if table.implementation_id:
            profile = self._profiles[table.implementation_id]
            choices = ("member", "group", "set") if profile.with_selector else ("member",)
            match self._random.choice(choices):
                case "member":
                    entry.action.action_profile_member_id = self._random.choice(NUMBERS)
                case "group":
                    entry.action.action_profile_group_id = self._random.choice(NUMBERS)
                case _:
                    for _ in range(self._random.randint(1, 3)):
                        one = entry.action.action_profile_action_set.action_profile_actions.add(weight=1)
                        self._call(one.action, table)
        else:
            self._call(entry.action.action, table, in_entry=in_entry)

    def _call(self, call: Any, table: Any, *, in_entry: bool = True) -> None:
        scopes = p4info_pb2.ActionRef
        barred = scopes.DEFAULT_ONLY if in_entry else scopes.TABLE_ONLY
        allowed = [reference.id for reference in table.action_refs if reference.scope != barred]
        if not allowed:
            return
        action = self._actions[self._random.choice(allowed)]
        call.Clear()
        call.action_id = action.preamble.id
        for parameter in action.params:
            value = names.number(self._pools.parameter(parameter.bitwidth), parameter.bitwidth, parameter.name)
            call.params.add(param_id=parameter.id, value=value)


def replication() -> Iterator[Any]:
    """Yield reads of all multicast groups and clone sessions."""
    for kind in REPLICATED:
        entity = Entity()
        getattr(entity.packet_replication_engine_entry, f"{kind}_entry").SetInParent()
        yield entity


def _key_of(entry: Any) -> Any:
    """Return an entry without its action."""
    return p4runtime_pb2.TableEntry(table_id=entry.table_id, match=entry.match, priority=entry.priority)
