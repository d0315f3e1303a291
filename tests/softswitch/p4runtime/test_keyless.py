"""A table without keys, over P4Runtime."""

from __future__ import annotations

import json

from dropzero.softswitch.engine.engine import Engine
from dropzero.softswitch.engine.switch import Switch
from tests.support.bmv2_program import run
from tests.support.p4runtime_client import DELETE, INSERT, Client, Set, kinds, refusals, update

ENTRY = (
    "table_entry { table_id: $In.station action { action { action_id: $In.send_to "
    'params { param_id: 1 value: "\\x05" } } } }'
)
KEY = "table_entry { table_id: $In.station }"


def made(switch: Switch) -> Engine:
    assert switch.engine is not None
    return switch.engine


def test_every_packet_hits_its_entry(client: Client, switch: Switch) -> None:
    config = kinds()
    station = next(table for table in config.p4info.tables if table.preamble.name == "In.station")
    station.ClearField("match_fields")
    document = json.loads(config.p4_device_config)
    tables = [table for pipeline in document["pipelines"] for table in pipeline["tables"]]
    next(table for table in tables if table["name"] == "In.station")["key"] = []
    config.p4_device_config = json.dumps(document).encode()
    client.push(config)
    packet = bytes(60)
    before = run(made(switch), packet)
    client.insert(ENTRY)
    assert [port for port, _ in run(made(switch), packet)] == [5]
    (entity,) = client.read(KEY)
    assert not entity.table_entry.match
    assert entity.table_entry.action.action.params[0].value == b"\5"
    assert refusals(lambda: client.write(update(INSERT, ENTRY))) == [
        ("ALREADY_EXISTS", "Match entry exists, use MODIFY if you wish to change action")
    ]
    client.push(config, Set.RECONCILE_AND_COMMIT)
    assert [port for port, _ in run(made(switch), packet)] == [5]
    client.write(update(DELETE, KEY))
    assert run(made(switch), packet) == before
