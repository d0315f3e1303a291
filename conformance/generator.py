"""Random packets and table writes that fit a program, from p4c's JSON and P4Info; the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2

Json = dict[str, Any]
Update = p4runtime_pb2.Update
MatchField = p4info_pb2.MatchField
PORT_BITS = 9
GROUP_BITS = 16
PAYLOADS = (0, 0, 1, 20, 64, 200)
STATES = 40
"""A packet's way through the parser ends after so many states at the latest."""


@dataclass
class Pools:
    """A few values for each width, so that packets and table entries often agree."""

    random: random.Random
    ports: list[int]
    groups: list[int]
    _values: dict[int, list[int]] = field(default_factory=dict)

    def value(self, width: int) -> int:
        if width not in self._values:
            full = (1 << width) - 1
            self._values[width] = [0, 1 & full, 2 & full, full, *(self.random.getrandbits(width) for _ in range(4))]
        if self.random.random() < 0.1:
            return self.random.getrandbits(width)
        return self.random.choice(self._values[width])

    def parameter(self, width: int) -> int:
        """A parameter of an action: what is as wide as a port or a group is likely to be one."""
        if width == PORT_BITS and self.random.random() < 0.9:
            return self.random.choice(self.ports)
        if width == GROUP_BITS and self.random.random() < 0.5:
            return self.random.choice(self.groups)
        return self.value(width)


class Packets:
    """Random walks through the program's parser: each header it extracts, with values that lead on."""

    def __init__(self, program: Json, pools: Pools) -> None:
        self._pools = pools
        self._random = pools.random
        types = {each["name"]: each["fields"] for each in program["header_types"]}
        self._headers = {each["name"]: types[each["header_type"]] for each in program["headers"]}
        self._stacks = {each["name"]: types[each["header_type"]] for each in program["header_stacks"]}
        (parser,) = program["parsers"]
        self._start: str = parser["init_state"]
        self._states: dict[str, Json] = {each["name"]: each for each in parser["parse_states"]}

    def packet(self) -> bytes:
        chance = self._random.random()
        if chance < 0.05:
            return self._random.randbytes(self._random.choice([14, 20, 60, 100]))
        content = self._walk() + self._random.randbytes(self._random.choice(PAYLOADS))
        if chance < 0.1:
            content = content[: self._random.randrange(len(content) + 1)]
        # Nothing shorter than Ethernet's header gets into a switch.
        return content.ljust(14, b"\0")

    def _walk(self) -> bytes:
        bits: list[tuple[int, int]] = []
        places: dict[tuple[str, str], int] = {}
        name: str | None = self._start
        for _ in range(STATES):
            if name is None:
                break
            state = self._states[name]
            for operation in state["parser_ops"]:
                if operation["op"].startswith("extract"):
                    self._extract(operation["parameters"][0], bits, places)
            name = self._go_on(state, bits, places)
        total = sum(width for _, width in bits)
        value = 0
        for each, width in bits:
            value = value << width | each
        return (value << -total % 8).to_bytes((total + 7) // 8, "big")

    def _extract(self, what: Json, bits: list[tuple[int, int]], places: dict[tuple[str, str], int]) -> None:
        name = what["value"]
        if what["type"] == "regular":
            fields = self._headers[name]
        elif what["type"] == "stack":
            fields = self._stacks[name]
        else:
            return
        for label, width, *_ in fields:
            size = width if isinstance(width, int) else 0
            if size:
                places[name, label] = len(bits)
                bits.append((self._pools.value(size), size))

    def _go_on(self, state: Json, bits: list[tuple[int, int]], places: dict[tuple[str, str], int]) -> str | None:
        """One of the transitions, and the field that is looked at so that it is taken."""
        transition = self._random.choice(state["transitions"])
        keys = state["transition_key"]
        if transition["type"] == "hexstr" and keys:
            value = int(transition["value"], 16)
            for key in reversed(keys):
                where = places.get(tuple(key["value"][-2:])) if key["type"] in ("field", "stack_field") else None
                if where is None:
                    break
                _, width = bits[where]
                bits[where] = value & (1 << width) - 1, width
                value >>= (width + 7) // 8 * 8
        next_state: str | None = transition["next_state"]
        return next_state


class Writes:
    """Random updates of tables, and the groups and sessions they lead to. Most would succeed, some not."""

    def __init__(self, p4info: Any, pools: Pools, leave: Sequence[str] = ()) -> None:
        """leave: parts of the names of tables that are not written."""
        self._pools = pools
        self._random = pools.random
        tables = [
            table
            for table in p4info.tables
            if not table.is_const_table and not any(part in table.preamble.name for part in leave)
        ]
        self._tables = [table for table in tables if table.match_fields]
        self._defaults = [table for table in tables if not table.const_default_action_id]
        self._actions = {action.preamble.id: action for action in p4info.actions}
        self._written: list[Any] = []

    def updates(self, count: int) -> Iterator[Any]:
        """None where there is no table to write to."""
        if self._tables or self._defaults:
            for _ in range(count):
                yield self._update()

    def groups(self) -> Iterator[Any]:
        """All multicast groups that the pools know, and clone sessions of the same numbers."""
        for number in self._pools.groups:
            update = Update(type=Update.INSERT)
            group = update.entity.packet_replication_engine_entry.multicast_group_entry
            group.multicast_group_id = number
            self._replicate(group)
            yield update
            update = Update(type=Update.INSERT)
            session = update.entity.packet_replication_engine_entry.clone_session_entry
            session.session_id = number
            self._replicate(session)
            yield update

    def _replicate(self, entry: Any) -> None:
        ports = self._pools.ports
        for port in self._random.sample(ports, self._random.randint(1, len(ports))):
            entry.replicas.add(egress_port=port, instance=self._random.randrange(8))

    def _update(self) -> Any:
        chance = self._random.random()
        if self._defaults and (chance < 0.1 or not self._tables):
            return self._default(self._random.choice(self._defaults))
        if self._written and chance < 0.5:
            known = self._random.choice(self._written)
            kind = self._random.choice([Update.MODIFY, Update.DELETE, Update.INSERT])
            update = Update(type=kind)
            update.entity.table_entry.CopyFrom(known)
            if kind == Update.MODIFY:
                table = next(table for table in self._tables if table.preamble.id == known.table_id)
                self._act(update.entity.table_entry, table, in_entry=True)
            return update
        update = Update(type=Update.INSERT)
        self._fill(update.entity.table_entry, self._random.choice(self._tables))
        self._written.append(update.entity.table_entry)
        return update

    def _default(self, table: Any) -> Any:
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
            given = entry.match.add(field_id=key.id)
            match key.match_type:
                case MatchField.EXACT:
                    given.exact.value = encode(value)
                case MatchField.OPTIONAL:
                    given.optional.value = encode(value)
                case MatchField.LPM:
                    length = self._random.randint(1, key.bitwidth)
                    given.lpm.value = encode(value & full ^ full >> length)
                    given.lpm.prefix_len = length
                case MatchField.TERNARY:
                    mask = self._random.choice([full, full, 1, self._random.getrandbits(key.bitwidth) or full])
                    given.ternary.value, given.ternary.mask = encode(value & mask), encode(mask)
                case _:
                    low, high = sorted((value, self._pools.value(key.bitwidth)))
                    if (low, high) == (0, full):
                        high = full - 1
                    given.range.low, given.range.high = encode(low), encode(high)
        if any(key.match_type not in (MatchField.EXACT, MatchField.LPM) for key in table.match_fields):
            entry.priority = self._random.randint(1, 1 << 20)
        self._act(entry, table, in_entry=True)

    def _act(self, entry: Any, table: Any, *, in_entry: bool) -> None:
        scopes = p4info_pb2.ActionRef
        barred = scopes.DEFAULT_ONLY if in_entry else scopes.TABLE_ONLY
        allowed = [reference.id for reference in table.action_refs if reference.scope != barred]
        if not allowed:
            return
        action = self._actions[self._random.choice(allowed)]
        call = entry.action.action
        call.Clear()
        call.action_id = action.preamble.id
        for parameter in action.params:
            call.params.add(param_id=parameter.id, value=encode(self._pools.parameter(parameter.bitwidth)))


def encode(value: int) -> bytes:
    """P4Runtime's canonical bytestring."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")
