"""Atomic batches, which BMv2 does not support."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from dropzero.p4.v1 import p4runtime_pb2
from tests.support.p4runtime_client import DELETE, INSERT, MODIFY, Client, answer, kinds, refusals, station, update

ATOMIC = [p4runtime_pb2.WriteRequest.ROLLBACK_ON_ERROR, p4runtime_pb2.WriteRequest.DATAPLANE_ATOMIC]
RULE = "table_entry { table_id: $In.rule priority: 3 %s action { action { action_id: $In.drop } } }"
COUNTS = "counter_entry { counter_id: $In.received index { index: 2 } data { packet_count: %d byte_count: 9 } }"
DEFAULT = (
    "table_entry { table_id: $In.station is_default_action: true "
    'action { action { action_id: $In.send_to params { param_id: 1 value: "%s" } } } }'
)
GROUP = (
    "packet_replication_engine_entry { multicast_group_entry "
    "{ multicast_group_id: %d replicas { egress_port: %d instance: 1 } } }"
)
REGISTER = 'register_entry { register_id: $In.last_type %s data { bitstring: "%s" } }'
STATE = (
    "table_entry { counter_data {} }",
    "table_entry { table_id: $In.station is_default_action: true }",
    "counter_entry {}",
    "register_entry {}",
    "packet_replication_engine_entry { multicast_group_entry {} }",
)
# Fails, because the station already exists.
WRONG = update(INSERT, station(1, 9))


@pytest.fixture
def pushed(client: Client) -> Client:
    """A client of a switch with entities of all kinds."""
    client.push(kinds())
    for text in (station(1, 2), station(2, 3), RULE % "", GROUP % (1, 2)):
        client.insert(text)
    for text in (COUNTS % 5, DEFAULT % "\\x07", REGISTER % ("index { index: 1 }", "\\x11")):
        client.modify(text)
    client.modify(f"direct_counter_entry {{ {station(2, 3)} data {{ packet_count: 4 byte_count: 400 }} }}")
    return client


def state(client: Client) -> list[Any]:
    """All entities, each kind in any order."""
    return [sorted(map(str, client.read(text))) for text in STATE]


@pytest.mark.parametrize("atomicity", ATOMIC, ids=["rollback", "atomic"])
@pytest.mark.parametrize(
    "change",
    [
        update(INSERT, station(3, 1)),
        update(MODIFY, station(2, 1)),
        update(DELETE, station(2, 3)),
        update(DELETE, RULE % ""),
        update(MODIFY, DEFAULT % "\\x01"),
        update(MODIFY, "table_entry { table_id: $In.station is_default_action: true }"),
        update(MODIFY, COUNTS % 6),
        update(DELETE, COUNTS % 0),
        update(MODIFY, "counter_entry { counter_id: $In.received data { packet_count: 1 } }"),
        update(MODIFY, f"direct_counter_entry {{ {station(2, 3)} data {{ packet_count: 9 }} }}"),
        update(INSERT, GROUP % (2, 1)),
        update(MODIFY, GROUP % (1, 4)),
        update(DELETE, GROUP % (1, 2)),
        update(MODIFY, REGISTER % ("index { index: 1 }", "\\x12")),
        update(MODIFY, REGISTER % ("", "\\x12")),
    ],
    ids=lambda change: " ".join(str(change).split())[:60],
)
def test_a_failure_undoes_the_updates_before_it(pushed: Client, change: Any, atomicity: int) -> None:
    before = state(pushed)
    outcomes = refusals(lambda: pushed.write(change, WRONG, update(INSERT, station(4, 1)), atomicity=atomicity))
    assert outcomes == [
        ("ABORTED", "Taken back, because another update of the batch failed"),
        ("ALREADY_EXISTS", "Match entry exists, use MODIFY if you wish to change action"),
        ("ABORTED", "Not attempted, because another update of the batch failed"),
    ]
    assert state(pushed) == before
    pushed.write(change, atomicity=atomicity)
    assert state(pushed) != before


def test_changes_of_the_same_entry_are_undone_in_reverse(pushed: Client) -> None:
    before = state(pushed)
    changes = [update(DELETE, station(2, 3)), update(INSERT, station(2, 4)), update(MODIFY, station(2, 5)), WRONG]
    assert refusals(lambda: pushed.write(*changes, atomicity=ATOMIC[0]))[3][0] == "ALREADY_EXISTS"
    assert state(pushed) == before


def test_an_atomicity_that_does_not_exist_is_refused(pushed: Client) -> None:
    assert answer(lambda: pushed.write(WRONG, atomicity=7)) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "Invalid atomicity",
    )


def test_of_a_large_batch_only_the_wrong_update_fails(client: Client) -> None:
    client.push(kinds())
    priorities = [*range(1, 501), 1, *range(501, 1000)]
    updates = [update(INSERT, (RULE % "").replace("priority: 3", f"priority: {each}")) for each in priorities]
    assert answer(lambda: client.write(*updates)) == (
        grpc.StatusCode.UNKNOWN,
        "1 of 1000 updates failed, which are too many to have their errors listed. "
        "The first is update 501: ALREADY_EXISTS: Match entry exists, use MODIFY if you wish to change action",
    )
    assert len(client.read("table_entry { table_id: $In.rule }")) == 999


def test_a_full_table_refuses_the_rest_of_a_batch(client: Client) -> None:
    client.push(kinds())
    outcomes = refusals(lambda: client.write(*(update(INSERT, station(mac, 1)) for mac in range(20))))
    assert outcomes == [("OK", "")] * 8 + [("RESOURCE_EXHAUSTED", "The table is full")] * 12
