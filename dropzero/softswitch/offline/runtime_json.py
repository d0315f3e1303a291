"""Reads the JSON with which p4lang's tutorials fill a switch: table entries, multicast groups, clone sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from typing import Any

from dropzero.json_schema import WrongForm, parsed
from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2

Update = p4runtime_pb2.Update
Value = int | str
"""A number, or its text, or an address."""

VALUE = (int, str)
REPLICAS = [{"egress_port": int, "instance": int}]
FILE = {
    "table_entries": [
        {
            "table": str,
            "match": ({"": (*VALUE, [VALUE])}, None),
            "action_name": str,
            "action_params": ({"": VALUE}, None),
            "default_action": (bool, None),
            "priority": (int, None),
        }
    ],
    "multicast_group_entries": [{"multicast_group_id": int, "replicas": REPLICAS}],
    "clone_session_entries": [{"clone_session_id": int, "replicas": REPLICAS, "packet_length_bytes": int}],
}


def updates(text: str, p4info: Any) -> Iterator[Any]:
    """Yields a p4.v1.Update for each entry of a file's text. Raises ValueError."""
    try:
        yield from _updates(parsed(text, FILE), p4info)
    except WrongForm as error:
        raise ValueError(f"not in the format of p4lang's tutorials: {error}") from None


def _updates(content: Mapping[str, Any], p4info: Any) -> Iterator[Any]:
    for row in content.get("table_entries", ()):
        default = bool(row.get("default_action"))
        update = Update(type=Update.MODIFY if default else Update.INSERT)
        update.entity.table_entry.CopyFrom(_entry(row, default, p4info))
        yield update
    for kind, key in (("multicast_group", "multicast_group_id"), ("clone_session", "clone_session_id")):
        for row in content.get(f"{kind}_entries", ()):
            update = Update(type=Update.INSERT)
            entry = getattr(update.entity.packet_replication_engine_entry, f"{kind}_entry")
            setattr(entry, {"clone_session_id": "session_id"}.get(key, key), row[key])
            if kind == "clone_session":
                entry.packet_length_bytes = row.get("packet_length_bytes", 0)
            for replica in row["replicas"]:
                entry.replicas.add(egress_port=replica["egress_port"], instance=replica["instance"])
            yield update


def _entry(row: Mapping[str, Any], default: bool, p4info: Any) -> Any:
    table = _named(p4info.tables, "table", row["table"])
    action = _named(p4info.actions, "action", row["action_name"])
    entry = p4runtime_pb2.TableEntry(table_id=table.preamble.id, is_default_action=default)
    entry.priority = row.get("priority") or 0
    keys = {key.name: key for key in table.match_fields}
    for name, given in (row.get("match") or {}).items():
        if name not in keys:
            raise ValueError(f"table {row['table']} has no key {name!r}")
        entry.match.extend(_match(keys[name], given if isinstance(given, list) else [given]))
    entry.action.action.action_id = action.preamble.id
    parameters = {each.name: each for each in action.params}
    given = row.get("action_params") or {}
    if parameters.keys() != given.keys():
        takes = ", ".join(parameters) or "no parameters"
        raise ValueError(f"action {row['action_name']} takes {takes}, not {', '.join(given) or 'none'}")
    for name, value in given.items():
        parameter = parameters[name]
        entry.action.action.params.add(param_id=parameter.id, value=_encoded(value, parameter.bitwidth, name))
    return entry


def _match(key: Any, given: Sequence[Value]) -> Iterator[Any]:
    """Yields the match of a key; nothing if it matches anything, because P4Runtime omits such keys."""
    match = p4runtime_pb2.FieldMatch(field_id=key.id)
    # The fields of FieldMatch have the names of these types.
    kind = p4info_pb2.MatchField.MatchType.Name(key.match_type).lower()
    parts = [field.name for field in getattr(match, kind).DESCRIPTOR.fields]
    if len(given) != len(parts):
        raise ValueError(f"the {kind} key {key.name} takes {' and '.join(parts)}, not {given}")
    if kind in ("lpm", "ternary") and not _number(given[1], key.name):
        return
    for part, value in zip(parts, given, strict=True):
        encoded = _number(value, part) if part == "prefix_len" else _encoded(value, key.bitwidth, key.name)
        setattr(getattr(match, kind), part, encoded)
    yield match


def _named(objects: Sequence[Any], kind: str, name: str) -> Any:
    """The object with that name or alias."""
    for each in objects:
        if name in (each.preamble.name, each.preamble.alias):
            return each
    raise ValueError(f"the program has no {kind} {name!r}")


def _encoded(value: Value, width: int, what: str) -> bytes:
    """Encodes a number, a MAC address or an IP address as P4Runtime's canonical bytestring."""
    number = _number(value, what)
    if not 0 <= number < 1 << width:
        raise ValueError(f"{what} = {value} does not fit its {width} bits")
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")


def _number(value: Value, what: str) -> int:
    if isinstance(value, int):
        return value
    try:
        octets = value.split(":")
        if len(octets) == 6:
            return int.from_bytes(bytes(int(octet, 16) for octet in octets), "big")
        return int(ip_address(value)) if "." in value or ":" in value else int(value, 0)
    except ValueError:
        raise ValueError(f"{what} = {value!r} is neither a number nor an address") from None
