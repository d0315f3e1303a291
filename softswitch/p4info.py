"""P4Info, indexed: what each id names, how wide it is, and bytestrings both ways."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from p4.config.v1 import p4info_pb2

from softswitch.refusal import invalid

KINDS = {
    p4info_pb2.MatchField.EXACT: "exact",
    p4info_pb2.MatchField.LPM: "lpm",
    p4info_pb2.MatchField.TERNARY: "ternary",
    p4info_pb2.MatchField.RANGE: "range",
    p4info_pb2.MatchField.OPTIONAL: "optional",
}
Known = TypeVar("Known")
PRIORITIZED = frozenset({"ternary", "range", "optional"})


def encode(value: int) -> bytes:
    """The canonical bytestring: big endian and as short as possible, one zero byte for 0."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def decode(data: bytes, width: int) -> int:
    """A bytestring of any length whose value fits in `width` bits; the empty one is 0, as in BMv2."""
    value = int.from_bytes(data, "big")
    if value.bit_length() > width:
        raise invalid(f"Bytestring provided does not fit within {width} bits")
    return value


@dataclass(frozen=True)
class Bits:
    """A match field, a parameter of an action or a controller header's field: `kind` is the match kind, or empty."""

    id: int
    name: str
    width: int
    kind: str = ""


@dataclass(frozen=True)
class ActionInfo:
    id: int
    name: str
    parameters: tuple[Bits, ...]


@dataclass(frozen=True)
class ActionReference:
    action: ActionInfo
    in_entries: bool
    as_default: bool


@dataclass(frozen=True)
class CounterInfo:
    """`size` is the number of cells, 0 for a direct counter; `table` the table of a direct one, else 0."""

    id: int
    name: str
    packets: bool
    bytes: bool
    size: int = 0
    table: int = 0


@dataclass(frozen=True)
class TableInfo:
    id: int
    name: str
    fields: tuple[Bits, ...]
    actions: dict[int, ActionReference]
    counter: CounterInfo | None
    has_const_default: bool
    is_const: bool
    has_meter: bool
    is_indirect: bool
    ages: bool

    @cached_property
    def prioritized(self) -> bool:
        """Whether its entries carry a priority."""
        return any(field.kind in PRIORITIZED for field in self.fields)

    @cached_property
    def actions_by_name(self) -> dict[str, ActionInfo]:
        return {reference.action.name: reference.action for reference in self.actions.values()}


@dataclass(frozen=True)
class RegisterInfo:
    """`width` in bits; 0 when the register holds anything but bit<W>, which the switch does not."""

    id: int
    name: str
    width: int
    size: int


class P4Info:
    """Indexes of one P4Info message by id. Raises Refusal when the message does not hold together."""

    def __init__(self, message: Any) -> None:
        self.message = message
        try:
            self.actions = {a.preamble.id: _action(a) for a in message.actions}
            self.direct_counters = {
                c.preamble.id: _counter(c, table=c.direct_table_id) for c in message.direct_counters
            }
            self.tables = {t.preamble.id: self._table(t) for t in message.tables}
        except KeyError as missing:
            raise invalid(f"P4Info refers to id {missing}, which it does not define") from None
        self.counters = {c.preamble.id: _counter(c, size=c.size) for c in message.counters}
        self.registers = {r.preamble.id: _register(r) for r in message.registers}
        headers = {h.preamble.name: _bits(h.metadata) for h in message.controller_packet_metadata}
        self.packet_in = headers.get("packet_in", ())
        self.packet_out = headers.get("packet_out", ())

    def table(self, id: int) -> TableInfo:
        return _known(self.tables, id)

    def counter(self, id: int) -> CounterInfo:
        return _known(self.counters, id)

    def register(self, id: int) -> RegisterInfo:
        return _known(self.registers, id)

    def _table(self, message: Any) -> TableInfo:
        for field in message.match_fields:
            if field.match_type not in KINDS:
                raise invalid(f"Unknown match type of field {field.name!r} of table {message.preamble.name!r}")
        resources = [self.direct_counters[i] for i in message.direct_resource_ids if i in self.direct_counters]
        scopes = p4info_pb2.ActionRef
        return TableInfo(
            id=message.preamble.id,
            name=message.preamble.name,
            fields=tuple(Bits(f.id, f.name, f.bitwidth, KINDS[f.match_type]) for f in message.match_fields),
            actions={
                r.id: ActionReference(
                    self.actions[r.id],
                    in_entries=r.scope != scopes.DEFAULT_ONLY,
                    as_default=r.scope != scopes.TABLE_ONLY,
                )
                for r in message.action_refs
            },
            counter=resources[0] if resources else None,
            has_const_default=message.const_default_action_id != 0,
            is_const=message.is_const_table,
            has_meter=len(resources) < len(message.direct_resource_ids),
            is_indirect=message.implementation_id != 0,
            ages=message.idle_timeout_behavior == p4info_pb2.Table.NOTIFY_CONTROL,
        )


def _known(index: dict[int, Known], id: int) -> Known:
    if id not in index:
        raise invalid("Invalid P4 id")
    return index[id]


def _bits(messages: Iterable[Any]) -> tuple[Bits, ...]:
    return tuple(Bits(m.id, m.name, m.bitwidth) for m in messages)


def _action(message: Any) -> ActionInfo:
    return ActionInfo(message.preamble.id, message.preamble.name, _bits(message.params))


def _counter(message: Any, *, size: int = 0, table: int = 0) -> CounterInfo:
    unit = message.spec.unit
    return CounterInfo(
        message.preamble.id,
        message.preamble.name,
        packets=unit != p4info_pb2.CounterSpec.BYTES,
        bytes=unit != p4info_pb2.CounterSpec.PACKETS,
        size=size,
        table=table,
    )


def _register(message: Any) -> RegisterInfo:
    width = message.type_spec.bitstring.bit.bitwidth
    return RegisterInfo(message.preamble.id, message.preamble.name, width, message.size)
