"""Reads the JSON with which p4lang's tutorials fill a switch: table entries, multicast groups, clone sessions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from dropzero.json_schema import WrongForm, parsed
from dropzero.p4.names import Entry, P4Info, SwitchError
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
        yield from _updates(parsed(text, FILE), P4Info(p4info))
    except WrongForm as error:
        raise ValueError(f"not in the format of p4lang's tutorials: {error}") from None
    except SwitchError as error:
        raise ValueError(str(error)) from None


def _updates(content: Mapping[str, Any], names: P4Info) -> Iterator[Any]:
    for row in content.get("table_entries", ()):
        update = Update(type=Update.MODIFY if row.get("default_action") else Update.INSERT)
        update.entity.table_entry.CopyFrom(_entry(row, names))
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


def _entry(row: Mapping[str, Any], names: P4Info) -> p4runtime_pb2.TableEntry:
    match = {
        key: tuple(_number(value, key) for value in (given if isinstance(given, list) else [given]))
        for key, given in (row.get("match") or {}).items()
    }
    parameters = {name: _number(value, name) for name, value in (row.get("action_params") or {}).items()}
    entry = names.encode(Entry(row["table"], match, row["action_name"], parameters, row.get("priority") or 0))
    entry.is_default_action = bool(row.get("default_action"))
    return entry


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
