"""JSON files from which p4lang's tutorials fill a switch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.offline.state import set_up
from tests.support.p4runtime_client import PROGRAMS

KINDS = PROGRAMS / "kinds.json"
MAC = "02:00:00:00:00:01"
PACKET = bytes.fromhex(MAC.replace(":", "")) + bytes(6) + b"\x12\x34" + bytes(46)


def row(table: str, action: str, match: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    return {"table": table, "match": match or {}, "action_name": action, "action_params": parameters}


def ports(tmp_path: Path, packet: bytes = PACKET, **content: Any) -> list[int]:
    """The ports by which a packet leaves the switch that such a file has filled."""
    path = tmp_path / "s1-runtime.json"
    path.write_text(json.dumps({"target": "bmv2", **content}))
    switch = Switch(seed=0)
    set_up(switch, KINDS, [path])
    assert switch.engine is not None
    return [port for port, _ in switch.engine.process(Frames.of([(1, packet)]), 0)]


STATION = "hdr.ethernet.destination"


@pytest.mark.parametrize(
    "entry",
    [
        row("In.station", "In.send_to", {STATION: MAC}, port=3),
        row("In.station", "In.send_to", {STATION: [MAC]}, port="3"),
        row("station", "send_to", {STATION: 0x020000000001}, port="0x3"),
        row("In.prefix", "In.send_to", {STATION: ["02:00:00:00:00:00", 40]}, port=3),
        row("In.station", "In.send_to", port=3) | {"default_action": True},
    ],
)
def test_numbers_and_addresses_match_as_in_the_tutorials(tmp_path: Path, entry: dict[str, Any]) -> None:
    assert ports(tmp_path, table_entries=[entry]) == [3]


def test_keys_that_match_anything_are_omitted(tmp_path: Path) -> None:
    anything = {"hdr.ethernet.source": ["00:00:00:00:00:00", 0], "hdr.ethernet.type": [0x1234, 0x1235]}
    entries = [
        row("In.station", "In.send_to", {STATION: MAC}, port=3),
        row("In.rule", "In.drop", anything) | {"priority": 1},
    ]
    assert ports(tmp_path, table_entries=entries[:1]) == [3]
    assert ports(tmp_path, table_entries=entries) == []


def test_groups_send_copies(tmp_path: Path) -> None:
    group = {"multicast_group_id": 7, "replicas": [{"egress_port": port, "instance": 1} for port in (2, 4)]}
    entry = row("In.station", "In.flood", {STATION: MAC}, group=7)
    assert ports(tmp_path, table_entries=[entry], multicast_group_entries=[group]) == [2, 4]
    session = {"clone_session_id": 5, "replicas": [{"egress_port": 2, "instance": 1}], "packet_length_bytes": 64}
    assert ports(tmp_path, clone_session_entries=[session]) == []


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (row("In.nowhere", "In.drop"), "the program has no table 'In.nowhere'"),
        (row("In.station", "In.fly"), "the program has no action 'In.fly'"),
        (row("In.station", "In.send_to", {"color": 1}, port=1), "table In.station has no key 'color'"),
        (row("In.station", "In.send_to", {STATION: MAC}), "action In.send_to takes port, not none"),
        (row("In.station", "In.send_to", {STATION: MAC}, port=512), "port = 512 does not fit into 9 bits"),
        (row("In.station", "In.send_to", {STATION: "here"}, port=1), "'here' is neither a number nor an address"),
        (row("In.prefix", "In.send_to", {STATION: MAC}, port=1), "takes value and prefix_len, not"),
        ({"table": "In.station"}, "not in the format of p4lang's tutorials: 'an object' has no 'action_name'"),
        ("In.station", "not in the format of p4lang's tutorials: 'table_entries' is 'In.station'"),
        (row("In.station", "In.send_to", {STATION: None}, port=1), f"'{STATION}' is None"),
        (row("In.station", "In.send_to", {STATION: [[MAC]]}, port=1), f"'{STATION}' is \\['{MAC}'\\]"),
        (row("In.prefix", "In.send_to", {STATION: [MAC, "x"]}, port=1), "'x' is neither a number nor an address"),
    ],
)
def test_an_error_names_the_file_and_the_cause(tmp_path: Path, entry: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=rf"s1-runtime.json: .*{reason}"):
        ports(tmp_path, table_entries=[entry])


def test_a_bug_is_not_taken_for_an_error_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise AttributeError("a bug")

    monkeypatch.setattr("dropzero.softswitch.offline.runtime_json._entry", broken)
    with pytest.raises(AttributeError, match="a bug"):
        ports(tmp_path, table_entries=[row("In.station", "In.send_to", {STATION: MAC}, port=3)])
