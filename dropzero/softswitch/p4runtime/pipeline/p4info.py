"""P4Info, indexed by id: names and widths; and P4Runtime's bytestrings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from dropzero.p4.config.v1 import p4info_pb2, p4types_pb2
from dropzero.softswitch.p4runtime.pipeline.refusal import invalid, unimplemented
from dropzero.softswitch.p4runtime.pipeline.translation import Strings

KINDS = {
    p4info_pb2.MatchField.EXACT: "exact",
    p4info_pb2.MatchField.LPM: "lpm",
    p4info_pb2.MatchField.TERNARY: "ternary",
    p4info_pb2.MatchField.RANGE: "range",
    p4info_pb2.MatchField.OPTIONAL: "optional",
}
Known = TypeVar("Known", bound="Info")
PRIORITIZED = frozenset({"ternary", "range", "optional"})


def encode(value: int) -> bytes:
    """The canonical bytestring of a value: big endian and as short as possible; one zero byte for 0."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def decode(data: bytes, width: int) -> int:
    """The value of a bytestring of any length, which must fit in `width` bits; the empty one is 0, as in BMv2."""
    value = int.from_bytes(data, "big")
    if value.bit_length() > width:
        raise invalid(f"Bytestring provided does not fit within {width} bits")
    return value


@dataclass(frozen=True)
class Bits:
    """A match field, an action parameter, or a controller header's field. kind: the match kind, or empty. strings: of a
    type that is translated to strings; P4Info then gives no width."""

    id: int
    name: str
    width: int
    kind: str = ""
    strings: Strings | None = None

    def decode(self, data: bytes) -> int:
        """The device's number for a P4Runtime value. Raises Refusal."""
        return decode(data, self.width) if self.strings is None else self.strings.number(data)

    def encode(self, value: int) -> bytes:
        """The P4Runtime value for a number of the device."""
        return encode(value) if self.strings is None else self.strings.string(value)


@dataclass(frozen=True)
class Info:
    """An object of the program."""

    id: int
    name: str


class Index(dict[int, Known]):
    """Objects of one kind by id. Raises Refusal for an unknown one."""

    def __init__(self, infos: Iterable[Known]) -> None:
        super().__init__((info.id, info) for info in infos)

    def __missing__(self, id: int) -> Known:
        raise invalid("Invalid P4 id")

    def asked(self, id: int) -> list[Known]:
        """What a read with this id asks for: with 0, all objects."""
        return [self[id]] if id else list(self.values())


@dataclass(frozen=True)
class ActionInfo(Info):
    parameters: tuple[Bits, ...]


@dataclass(frozen=True)
class ActionReference:
    action: ActionInfo
    in_entries: bool
    as_default: bool


@dataclass(frozen=True)
class CounterInfo(Info):
    """size: the number of cells; 0 for a direct counter. table: the table of a direct counter, else 0."""

    packets: bool
    bytes: bool
    size: int = 0
    table: int = 0


@dataclass(frozen=True)
class MeterInfo(Info):
    """size: the number of cells; 0 for a direct meter. table: the table of a direct meter, else 0. type: its
    p4.config.v1.MeterSpec.Type."""

    type: int
    size: int = 0
    table: int = 0


@dataclass(frozen=True)
class ProfileInfo(Info):
    """An action profile, or an action selector. largest: the maximum sum of weights of a group; 0: any. actions: the
    actions of its tables."""

    selects: bool
    size: int
    largest: int
    actions: dict[int, ActionInfo]


@dataclass(frozen=True)
class DigestInfo(Info):
    """widths: of a message's fields, in bits. form: their form in P4Data: struct, tuple or bitstring."""

    form: str
    widths: tuple[int, ...]


@dataclass(frozen=True)
class ValueSetInfo(Info):
    fields: tuple[Bits, ...]
    size: int


@dataclass(frozen=True)
class TableInfo(Info):
    fields: tuple[Bits, ...]
    actions: dict[int, ActionReference]
    counter: CounterInfo | None
    meter: MeterInfo | None
    profile: int
    """The action profile's id, 0 when the table has none."""
    has_const_default: bool
    is_const: bool
    """Whether the program's entries are the only ones. The JSON does not distinguish those that it calls constant, and
    lacks the priorities that other entries would be between."""
    ages: bool

    @cached_property
    def prioritized(self) -> bool:
        """Whether its entries carry a priority."""
        return any(field.kind in PRIORITIZED for field in self.fields)

    @cached_property
    def actions_by_name(self) -> dict[str, ActionInfo]:
        return {reference.action.name: reference.action for reference in self.actions.values()}


@dataclass(frozen=True)
class RegisterInfo(Info):
    """width: in bits; 0 if the register's type is not bit<W>, which the switch does not support."""

    width: int
    size: int


class P4Info:
    """Indexes one P4Info message by id. Raises Refusal if the message is inconsistent."""

    def __init__(self, message: p4info_pb2.P4Info) -> None:
        self.strings = {
            name: Strings(name)
            for name, declared in message.type_info.new_types.items()
            if declared.translated_type.HasField("sdn_string")
        }
        try:
            self.actions = {
                a.preamble.id: ActionInfo(a.preamble.id, a.preamble.name, self._bits(a.params)) for a in message.actions
            }
            self.direct_counters = {
                c.preamble.id: _counter(c, table=c.direct_table_id) for c in message.direct_counters
            }
            self.direct_meters = {m.preamble.id: _meter(m, table=m.direct_table_id) for m in message.direct_meters}
            tables = {t.preamble.id: self._table(t) for t in message.tables}
            self.profiles = Index(_profile(p, tables) for p in message.action_profiles)
            for profile in {table.profile for table in tables.values()} - {0} - self.profiles.keys():
                raise KeyError(profile)
        except KeyError as missing:
            raise invalid(f"P4Info refers to id {missing}, which it does not define") from None
        self.tables = Index(tables.values())
        self.digests = Index(_digest(d, message.type_info) for d in message.digests)
        self.counters = Index(_counter(c, size=c.size) for c in message.counters)
        self.meters = Index(_meter(m, size=m.size) for m in message.meters)
        self.value_sets = Index(self._value_set(v) for v in message.value_sets)
        self.registers = Index(_register(r) for r in message.registers)
        headers = {h.preamble.name: self._bits(h.metadata) for h in message.controller_packet_metadata}
        self.packet_in = headers.get("packet_in", ())
        self.packet_out = headers.get("packet_out", ())

    def _table(self, message: p4info_pb2.Table) -> TableInfo:
        resources = message.direct_resource_ids
        scopes = p4info_pb2.ActionRef
        return TableInfo(
            id=message.preamble.id,
            name=message.preamble.name,
            fields=self._fields(message.match_fields, f"table {message.preamble.name!r}"),
            actions={
                r.id: ActionReference(
                    self.actions[r.id],
                    in_entries=r.scope != scopes.DEFAULT_ONLY,
                    as_default=r.scope != scopes.TABLE_ONLY,
                )
                for r in message.action_refs
            },
            counter=next((self.direct_counters[i] for i in resources if i in self.direct_counters), None),
            meter=next((self.direct_meters[i] for i in resources if i in self.direct_meters), None),
            profile=message.implementation_id,
            has_const_default=message.const_default_action_id != 0,
            is_const=message.is_const_table or message.has_initial_entries,
            ages=message.idle_timeout_behavior == p4info_pb2.Table.NOTIFY_CONTROL,
        )

    def _fields(self, messages: Iterable[Any], where: str) -> tuple[Bits, ...]:
        fields = []
        for field in messages:
            if field.match_type not in KINDS:
                raise invalid(f"Unknown match type of field {field.name!r} of {where}")
            kind, strings = KINDS[field.match_type], self.strings.get(field.type_name.name)
            if strings is not None and kind not in ("exact", "optional"):
                raise invalid(f"Field {field.name!r} of {where} is a string, so its match is exact or optional")
            fields.append(Bits(field.id, field.name, field.bitwidth, kind, strings))
        return tuple(fields)

    def _bits(self, messages: Iterable[Any]) -> tuple[Bits, ...]:
        return tuple(Bits(m.id, m.name, m.bitwidth, strings=self.strings.get(m.type_name.name)) for m in messages)

    def _value_set(self, message: p4info_pb2.ValueSet) -> ValueSetInfo:
        name = message.preamble.name
        return ValueSetInfo(message.preamble.id, name, self._fields(message.match, f"value set {name!r}"), message.size)


def _profile(message: p4info_pb2.ActionProfile, tables: Mapping[int, TableInfo]) -> ProfileInfo:
    references = (reference for id in message.table_ids for reference in tables[id].actions.values())
    return ProfileInfo(
        message.preamble.id,
        message.preamble.name,
        selects=message.with_selector,
        size=message.size,
        largest=message.max_group_size,
        actions={reference.action.id: reference.action for reference in references},
    )


def _counter(message: p4info_pb2.Counter | p4info_pb2.DirectCounter, *, size: int = 0, table: int = 0) -> CounterInfo:
    unit = message.spec.unit
    return CounterInfo(
        message.preamble.id,
        message.preamble.name,
        packets=unit != p4info_pb2.CounterSpec.BYTES,
        bytes=unit != p4info_pb2.CounterSpec.PACKETS,
        size=size,
        table=table,
    )


def _register(message: p4info_pb2.Register) -> RegisterInfo:
    width = message.type_spec.bitstring.bit.bitwidth
    return RegisterInfo(message.preamble.id, message.preamble.name, width, message.size)


def _meter(message: p4info_pb2.Meter | p4info_pb2.DirectMeter, *, size: int = 0, table: int = 0) -> MeterInfo:
    return MeterInfo(message.preamble.id, message.preamble.name, message.spec.type, size, table)


def _digest(message: p4info_pb2.Digest, types: p4types_pb2.P4TypeInfo) -> DigestInfo:
    form = message.type_spec.WhichOneof("type_spec")
    if form == "struct":
        if message.type_spec.struct.name not in types.structs:
            raise invalid(f"Struct name {message.type_spec.struct.name!r} not found in P4TypeInfo struct map")
        members = [member.type_spec for member in types.structs[message.type_spec.struct.name].members]
    elif form == "tuple":
        members = list(message.type_spec.tuple.members)
    else:
        members = [message.type_spec]
    if form not in ("struct", "tuple", "bitstring") or any(not each.HasField("bitstring") for each in members):
        raise unimplemented("Packed type for digest can only be bitstring, struct or tuple of bitstrings")
    widths = tuple(each.bitstring.bit.bitwidth or each.bitstring.int.bitwidth for each in members)
    return DigestInfo(message.preamble.id, message.preamble.name, form, widths)
