"""Random valid and malformed packets and requests for a program."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.offline.state import config_of
from dropzero.softswitch.p4runtime.pipeline.p4info import P4Info
from dropzero.softswitch.p4runtime.server import Listener, Server
from dropzero.softswitch.p4runtime.service import Service
from lab.conformance.fuzzing import malformed
from lab.conformance.fuzzing.generator import Packets, Pools
from lab.conformance.fuzzing.updates import Updates
from lab.conformance.harness.p4runtime import Client

PROGRAMS = Path(__file__).resolve().parents[3] / "softswitch" / "programs"
JSON = PROGRAMS / "probe.json"
CONFIG = config_of(JSON)
P4INFO = CONFIG.p4info


def pools(seed: int = 1) -> Pools:
    return Pools(random.Random(seed), [1, 2, 3], [1, 2])


def packets(seed: int = 1) -> Packets:
    return Packets(json.loads(JSON.read_text()), pools(seed))


@pytest.fixture
def channel(tmp_path: Path) -> Iterator[grpc.Channel]:
    """A channel to the P4Runtime server of a switch without a program."""
    address = f"unix:{tmp_path}/p4runtime"
    server = Server(Listener(address, Service(Switch(), lambda packet: True).attach))
    try:
        with grpc.insecure_channel(address) as channel:
            yield channel
    finally:
        server.close()


def test_the_same_seed_gives_the_same_packets() -> None:
    first, second, other = packets(1), packets(1), packets(2)
    made = [first.packet() for _ in range(50)]
    assert made == [second.packet() for _ in range(50)]
    assert made != [other.packet() for _ in range(50)]


def test_no_packet_is_shorter_than_ethernet_s_header() -> None:
    made = packets()
    assert min(len(made.packet()) for _ in range(500)) >= 14


def kind_of(entity: Any) -> str:
    kind = str(entity.WhichOneof("entity"))
    return str(entity.packet_replication_engine_entry.WhichOneof("type")) if kind.startswith("packet") else kind


def test_updates_are_of_every_kind_and_address_the_programs_objects() -> None:
    known = P4Info(P4INFO)
    updates = Updates(P4INFO, pools())
    written = []
    for _ in range(300):
        for update in updates.some():
            updates.answered(update, done=True)
            written.append(update.entity)
    assert {kind_of(entity) for entity in written} == {
        "table_entry", "action_profile_member", "action_profile_group", "counter_entry", "direct_counter_entry",
        "meter_entry", "direct_meter_entry", "multicast_group_entry", "clone_session_entry",
    }  # fmt: skip
    for entity in written:
        if entity.HasField("table_entry"):
            table = known.tables[entity.table_entry.table_id]
            assert {match.field_id for match in entity.table_entry.match} <= {field.id for field in table.fields}


def test_groups_consist_of_existing_members() -> None:
    updates = Updates(P4INFO, pools())
    for _ in range(300):
        for update in updates.some():
            updates.answered(update, done=False)
            assert not update.entity.HasField("action_profile_group")


def test_excluded_tables_get_no_updates() -> None:
    known = P4Info(P4INFO)
    updates = Updates(P4INFO, pools(), leave=("In.",))
    for _ in range(100):
        for update in updates.some():
            table = update.entity.table_entry.table_id
            assert not table or not known.tables[table].name.startswith("In.")


def test_groups_and_sessions_lead_to_existing_ports() -> None:
    kinds = set()
    for update in Updates(P4INFO, pools()).first():
        entry = update.entity.packet_replication_engine_entry
        kind = entry.WhichOneof("type")
        kinds.add(kind)
        assert {replica.egress_port for replica in getattr(entry, kind).replicas} <= {1, 2, 3}
    assert kinds == {"multicast_group_entry", "clone_session_entry"}


def test_most_updates_succeed_and_all_written_entities_can_be_read(channel: grpc.Channel) -> None:
    client = Client(channel)
    assert client.load(CONFIG) == ""
    updates = Updates(P4INFO, pools())
    codes = client.codes(list(updates.first()))
    for _ in range(100):
        codes += client.codes(updates.some())
    assert codes.count("OK") > len(codes) / 2
    read = set()
    for question in updates.questions():
        # A profile with one-shots shows no members and groups.
        with suppress(grpc.RpcError):
            read |= {kind_of(entity) for entity in client.entities(question)}
    assert read >= {"table_entry", "counter_entry", "meter_entry", "multicast_group_entry", "clone_session_entry"}


def test_bytes_that_are_not_a_request_are_answered(channel: grpc.Channel) -> None:
    client = Client(channel)
    assert client.load(CONFIG) == ""
    requests = malformed.Requests(CONFIG, [], 1)
    codes = {malformed.answer_to_garbage(channel, *requests.garbage()) for _ in range(200)}
    assert len(codes) > 1
    assert codes <= malformed.ANSWERS, codes
    assert client.answers


def test_a_program_is_refused_with_a_reason(channel: grpc.Channel) -> None:
    config = p4runtime_pb2.ForwardingPipelineConfig(p4info=P4INFO, p4_device_config=b"{}")
    assert Client(channel).load(config).startswith("INVALID_ARGUMENT: Invalid device config: ")
