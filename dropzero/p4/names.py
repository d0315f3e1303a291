"""Translates a P4 program's names of tables, actions, counters and registers to P4Runtime's ids and byte strings.

A name may be shortened to any suffix that is unique among its kind: `admission.job` for `ingress.admission.job`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf import text_format

from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2

Match = int | tuple[int, ...]
"""The value of a key field. Exact and optional: the value; LPM: (value, prefix length); ternary: (value, mask); range:
(low, high). An entry omits fields that match anything."""

_KINDS = ("", "", "exact", "lpm", "ternary", "range", "optional")
"""The names of P4Info's MatchField.MatchType values, and of P4Runtime's FieldMatch fields."""
_PARTS = {"exact": ("value",), "lpm": ("value", "prefix_len"), "ternary": ("value", "mask"), "range": ("low", "high")}
_PARTS["optional"] = _PARTS["exact"]


class SwitchError(Exception):
    """The switch did not carry out a request."""


class UnknownNameError(SwitchError):
    """The switch's program has no object of that name."""


@dataclass(frozen=True)
class Entry:
    """A table entry. priority: for ternary, range and optional keys; the highest wins. note: P4Runtime's metadata,
    which the switch stores with the entry."""

    table: str
    match: Mapping[str, Match] = field(default_factory=dict)
    action: str = ""
    parameters: Mapping[str, int] = field(default_factory=dict)
    priority: int = 0
    note: bytes = b""

    def __str__(self) -> str:
        key = ", ".join(f"{name}={value}" for name, value in self.match.items()) or "default"
        return f"{self.table} ({key})"


def number(value: int, width: int, what: str) -> bytes:
    """Encodes an unsigned value as P4Runtime's shortest byte string.

    Raises:
        SwitchError: the value does not fit into `width` bits. what: its name in the message.
    """
    if not 0 <= value < 1 << width:
        raise SwitchError(f"{what} = {value} does not fit into {width} bits")
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


class _Index:
    """Objects of one kind in a P4Info, by name or id."""

    def __init__(self, kind: str, objects: Iterable[Any]) -> None:
        self.kind = kind
        self.by_id = {each.preamble.id: each for each in objects}
        self.by_name = {each.preamble.name: each for each in self.by_id.values()}

    def __getitem__(self, name: str) -> Any:
        if name in self.by_name:
            return self.by_name[name]
        found = [full for full in self.by_name if full.endswith(f".{name}")]
        if len(found) == 1:
            return self.by_name[found[0]]
        if found:
            raise UnknownNameError(f"which {self.kind} is {name!r}? {' or '.join(found)}")
        names = ", ".join(sorted(self.by_name)) or "none"
        raise UnknownNameError(f"the program has no {self.kind} {name!r}; it has {names}")


class P4Info:
    """The names and types of one program's objects. All methods raise UnknownNameError for a name that the program does
    not have."""

    def __init__(self, message: p4info_pb2.P4Info) -> None:
        self.message = message
        self._tables = _Index("table", message.tables)
        self._actions = _Index("action", message.actions)
        self._keys = {each.preamble.id: {key.name: key for key in each.match_fields} for each in message.tables}
        self._parameters = {each.preamble.id: {one.name: one for one in each.params} for each in message.actions}
        self._counters = _Index("counter", message.counters)
        self._registers = _Index("register", message.registers)

    @classmethod
    def read(cls, path: Path) -> P4Info:
        """Reads p4c's text format. Raises SwitchError if the file is missing or has another format."""
        try:
            text = path.read_text()
            return cls(text_format.Parse(text, p4info_pb2.P4Info(), allow_unknown_field=True))
        except OSError as error:
            raise SwitchError(f"cannot read the P4Info {path}: {error.strerror}") from error
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise SwitchError(f"{path} is not a P4Info file: {error}") from error

    def table(self, name: str) -> Any:
        return self._tables[name]

    def counter(self, name: str) -> Any:
        return self._counters[name]

    def register(self, name: str) -> Any:
        return self._registers[name]

    def encode(self, entry: Entry) -> p4runtime_pb2.TableEntry:
        """Encodes an entry. Also raises SwitchError for a value that does not fit or a key of the wrong form."""
        table = self._tables[entry.table]
        message = p4runtime_pb2.TableEntry(table_id=table.preamble.id, priority=entry.priority, metadata=entry.note)
        fields = self._keys[table.preamble.id]
        for name, match in entry.match.items():
            if name not in fields:
                raise UnknownNameError(f"table {entry.table} has no key {name!r}: it has {', '.join(fields) or 'none'}")
            message.match.extend(encode_match(fields[name], match))
        if entry.action:
            action = self._actions[entry.action]
            message.action.action.action_id = action.preamble.id
            parameters = self._parameters[action.preamble.id]
            if parameters.keys() != entry.parameters.keys():
                raise UnknownNameError(
                    f"action {entry.action} takes {', '.join(parameters) or 'no parameters'}, "
                    f"not {', '.join(entry.parameters) or 'none'}"
                )
            for name, value in entry.parameters.items():
                encoded = number(value, parameters[name].bitwidth, f"{entry.action}'s {name}")
                message.action.action.params.add(param_id=parameters[name].id, value=encoded)
        return message

    def decode(self, message: p4runtime_pb2.TableEntry) -> Entry:
        """Decodes an entry, with full names."""
        table = self._tables.by_id[message.table_id]
        fields = {each.id: each for each in table.match_fields}
        match = {fields[each.field_id].name: _decode_match(each) for each in message.match}
        if not message.HasField("action"):
            return Entry(table.preamble.name, match, priority=message.priority, note=message.metadata)
        action = self._actions.by_id[message.action.action.action_id]
        parameters = {each.id: each.name for each in action.params}
        values = {parameters[each.param_id]: int.from_bytes(each.value, "big") for each in message.action.action.params}
        return Entry(table.preamble.name, match, action.preamble.name, values, message.priority, message.metadata)


def encode_match(key: Any, match: Match) -> list[p4runtime_pb2.FieldMatch]:
    """The match of a key, a P4Info's MatchField; none for an empty prefix or mask, because P4Runtime omits such keys.
    Raises SwitchError for a value that does not fit, or of the wrong form."""
    kind = _KINDS[key.match_type]
    parts = _PARTS[kind]
    values = match if isinstance(match, tuple) else (match,)
    if len(values) != len(parts):
        raise SwitchError(f"the {kind} key {key.name} takes {' and '.join(parts)}, not {match}")
    if kind in ("lpm", "ternary") and not values[1]:
        return []
    encoded: dict[str, bytes | int] = {
        part: value if part == "prefix_len" else number(value, key.bitwidth, key.name)
        for part, value in zip(parts, values, strict=True)
    }
    message = p4runtime_pb2.FieldMatch(field_id=key.id)
    getattr(message, kind).MergeFrom(type(getattr(message, kind))(**encoded))
    return [message]


def _decode_match(message: p4runtime_pb2.FieldMatch) -> Match:
    kind = message.WhichOneof("field_match_type") or ""
    parts = [getattr(getattr(message, kind), part) for part in _PARTS[kind]]
    values = [int.from_bytes(part, "big") if isinstance(part, bytes) else part for part in parts]
    return values[0] if len(values) == 1 else tuple(values)
