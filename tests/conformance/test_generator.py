"""Random packets and writes that fit a program."""

from __future__ import annotations

import json
import random
from pathlib import Path

from conformance.generator import Packets, Pools, Writes
from conformance.p4runtime import load_p4info
from softswitch.p4info import P4Info

PROGRAMS = Path(__file__).resolve().parents[1] / "softswitch" / "programs"
JSON = PROGRAMS / "kinds.json"
P4INFO = load_p4info(PROGRAMS / "kinds.p4info.txtpb")


def pools(seed: int = 1) -> Pools:
    return Pools(random.Random(seed), [1, 2, 3], [1, 2])


def packets(seed: int = 1) -> Packets:
    return Packets(json.loads(JSON.read_text()), pools(seed))


def test_the_same_seed_gives_the_same_packets() -> None:
    first, second, other = packets(1), packets(1), packets(2)
    made = [first.packet() for _ in range(50)]
    assert made == [second.packet() for _ in range(50)]
    assert made != [other.packet() for _ in range(50)]


def test_no_packet_is_shorter_than_ethernet_s_header() -> None:
    made = packets()
    assert min(len(made.packet()) for _ in range(500)) >= 14


def test_updates_address_what_the_program_has() -> None:
    known = P4Info(P4INFO)
    for update in Writes(P4INFO, pools()).updates(300):
        entry = update.entity.table_entry
        table = known.table(entry.table_id)
        assert {match.field_id for match in entry.match} <= {field.id for field in table.fields}
        assert entry.action.action.action_id in table.actions


def test_groups_and_sessions_lead_to_the_ports_there_are() -> None:
    kinds = set()
    for update in Writes(P4INFO, pools()).groups():
        entry = update.entity.packet_replication_engine_entry
        kind = entry.WhichOneof("type")
        kinds.add(kind)
        assert {replica.egress_port for replica in getattr(entry, kind).replicas} <= {1, 2, 3}
    assert kinds == {"multicast_group_entry", "clone_session_entry"}
