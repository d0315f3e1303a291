"""Entities other than tables, counters and registers, and their effect on packets."""

from __future__ import annotations

import grpc
import pytest

from dropzero.p4.config.v1.p4info_pb2 import MeterSpec
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.program.model import Exact
from dropzero.softswitch.state.meters import MeterRates
from lab.conformance.probe.probe import (
    BOTH,
    CLONE,
    DEFAULT,
    DIGEST,
    DIRECT_METER,
    GROUP,
    INDIRECT,
    MEASURED,
    MEMBER,
    MEMBERS,
    METER,
    ONE_SHOT,
    PARAMETER,
    SELECTED,
    SEND,
    SHOT,
    VALUES,
    station_entry,
)
from tests.softswitch.packets import forwarded
from tests.support.p4runtime_client import (
    DELETE,
    INSERT,
    MODIFY,
    TEMPLATES,
    Client,
    Set,
    Stream,
    answer,
    config,
    entity,
    open_stream,
    refusal,
    refusals,
    update,
)

WRONG = update(INSERT, DEFAULT % ("$In.station", ""))


def frame(destination: int, source: int = 9, kind: int = 0x0800) -> bytes:
    return destination.to_bytes(6, "big") + source.to_bytes(6, "big") + kind.to_bytes(2, "big") + bytes(46)


def station(key: int, action: str, parameter: int, more: str = "") -> str:
    return station_entry(f"\\x{key:02x}", more, action, PARAMETER % f"\\x{parameter:02x}")


@pytest.fixture
def probed(client: Client) -> Client:
    """A client of a switch that runs programs/probe.p4."""
    client.push(config("probe"))
    return client


@pytest.fixture
def primary(probed: Client) -> Stream:
    """The stream of `probed`, which is primary."""
    probed.election_id = 1
    stream = open_stream(probed, 1)
    stream.standing()
    return stream


# --- clones -------------------------------------------------------------------------------------------------------


def test_a_clone_goes_where_its_session_says(probed: Client, channel: grpc.Channel) -> None:
    probed.insert(station(1, "$In.mirror", 3))
    probed.insert(CLONE % (5, "replicas { egress_port: 7 } replicas { egress_port: 6 instance: 1 }"))
    assert sorted(forwarded(channel, 1, frame(1))) == [(3, frame(1)), (6, frame(1)), (7, frame(1))]
    probed.modify(CLONE % (5, "replicas { egress_port: 8 }"))
    assert sorted(forwarded(channel, 1, frame(1))) == [(3, frame(1)), (8, frame(1))]
    probed.delete(CLONE % (5, ""))
    assert forwarded(channel, 1, frame(1)) == [(3, frame(1))]


def test_a_clone_is_cut_to_the_length_of_its_session(probed: Client, channel: grpc.Channel) -> None:
    probed.insert(station(1, "$In.mirror", 3))
    probed.insert(CLONE % (5, "replicas { egress_port: 7 } packet_length_bytes: 20"))
    assert sorted(forwarded(channel, 1, frame(1))) == [(3, frame(1)), (7, frame(1)[:20])]


# --- digests ------------------------------------------------------------------------------------------------------


def sources(stream: Stream) -> tuple[int, list[int]]:
    """From the next message, a digest list: its number and its MAC addresses."""
    digest = stream.next().digest
    return digest.list_id, [int.from_bytes(data.struct.members[0].bitstring, "big") for data in digest.data]


def test_a_digest_is_sent_once_until_it_is_acknowledged(probed: Client, primary: Stream, channel: grpc.Channel) -> None:
    probed.insert(station(1, "$In.sight", 3))
    probed.insert(DIGEST % "config { ack_timeout_ns: 3600000000000 }")
    forwarded(channel, 1, frame(1, source=5), frame(1, source=5), frame(1, source=6))
    assert [sources(primary), sources(primary)] == [(1, [5]), (2, [6])]
    request = p4runtime_pb2.StreamMessageRequest()
    request.digest_ack.digest_id = entity(DIGEST % "").digest_entry.digest_id
    request.digest_ack.list_id = 1
    primary.send(request)
    # The answer to a bid shows that the acknowledgement was read.
    primary.bid(2)
    primary.standing()
    forwarded(channel, 1, frame(1, source=6), frame(1, source=5))
    assert sources(primary) == (3, [5])


def test_digests_wait_for_a_full_list_or_their_timeout(probed: Client, primary: Stream, channel: grpc.Channel) -> None:
    probed.insert(station(1, "$In.sight", 3))
    probed.insert(DIGEST % "config { max_list_size: 2 max_timeout_ns: 200000000 }")
    forwarded(channel, 1, *(frame(1, source=source) for source in (5, 6, 7)))
    assert [sources(primary), sources(primary)] == [(1, [5, 6]), (2, [7])]


def test_list_ids_continue_when_a_digest_is_inserted_again(
    probed: Client, primary: Stream, channel: grpc.Channel
) -> None:
    probed.insert(station(1, "$In.sight", 3))
    for number in (1, 2):
        probed.insert(DIGEST % "")
        forwarded(channel, 1, frame(1, source=5))
        assert sources(primary) == (number, [5])
        probed.delete(DIGEST % "")
        forwarded(channel, 1, frame(1, source=5))


# --- idle entries -------------------------------------------------------------------------------------------------


def test_the_primary_hears_of_an_idle_entry(probed: Client, primary: Stream) -> None:
    probed.insert(station(1, "$In.send_to", 3, more="idle_timeout_ns: 1000000 controller_metadata: 7"))
    (entry,) = primary.next().idle_timeout_notification.table_entry
    assert (entry.match[0].exact.value, entry.idle_timeout_ns, entry.controller_metadata) == (b"\x01", 1000000, 7)
    # And again, while it stays idle.
    assert len(primary.next().idle_timeout_notification.table_entry) == 1


def test_the_time_since_the_last_hit_is_read_on_request(probed: Client, channel: grpc.Channel) -> None:
    probed.insert(station(1, "$In.send_to", 3, more="idle_timeout_ns: 3600000000000"))
    forwarded(channel, 1, frame(1))
    (found,) = probed.read("table_entry { table_id: $In.station time_since_last_hit {} }")
    assert 0 <= found.table_entry.time_since_last_hit.elapsed_ns < 3600 * 10**9


# --- action profiles ----------------------------------------------------------------------------------------------


def balanced(client: Client) -> None:
    """Two members, to ports 3 and 4, and the group 1 of both."""
    client.insert(MEMBER % ("$In.balanced", 1, SEND))
    client.insert(MEMBER % ("$In.balanced", 2, SEND.replace("\\x03", "\\x04")))
    client.insert(MEMBERS % (1, 4, BOTH))


def ports(channel: grpc.Channel, kind: int = 1) -> set[int]:
    """The ports to which packets from many sources go."""
    return {port for port, _ in forwarded(channel, 1, *(frame(99, source, kind) for source in range(64)))}


def test_an_entry_runs_the_action_of_its_member(probed: Client, channel: grpc.Channel) -> None:
    probed.insert(MEMBER % ("$In.plain", 1, SEND))
    probed.insert(INDIRECT % ("\\x01", "action_profile_member_id: 1"))
    assert ports(channel) == {3}
    probed.modify(MEMBER % ("$In.plain", 1, SEND.replace("\\x03", "\\x05")))
    assert ports(channel) == {5}


def test_a_group_spreads_packets_over_its_members(probed: Client, channel: grpc.Channel) -> None:
    balanced(probed)
    probed.insert(SELECTED % ("\\x01", "action_profile_group_id: 1"))
    assert ports(channel) == {3, 4}
    probed.modify(MEMBERS % (1, 4, "members { member_id: 2 weight: 1 }"))
    assert ports(channel) == {4}


def test_a_member_gets_no_packets_while_the_port_it_watches_is_down(
    probed: Client, channel: grpc.Channel, switch: Switch
) -> None:
    balanced(probed)
    probed.modify(
        MEMBERS % (1, 4, 'members { member_id: 1 weight: 1 watch_port: "\\x03" } members { member_id: 2 weight: 1 }')
    )
    probed.insert(SELECTED % ("\\x01", "action_profile_group_id: 1"))
    switch.set_port_status(3, False)
    assert ports(channel) == {4}
    switch.set_port_status(3, True)
    assert ports(channel) == {3, 4}


def test_a_one_shot_is_a_group_without_a_name(probed: Client, channel: grpc.Channel) -> None:
    four = SHOT.replace("\\x03", "\\x04")
    text = SELECTED % ("\\x01", ONE_SHOT % (SHOT % 1 + four % 1))
    probed.insert(text)
    assert ports(channel) == {3, 4}
    assert probed.read("table_entry { table_id: $In.selected }") == [entity(text)]
    probed.modify(SELECTED % ("\\x01", ONE_SHOT % (four % 1)))
    assert ports(channel) == {4}
    probed.delete(text)
    # Nothing of it blocks groups.
    balanced(probed)


def test_an_action_of_a_one_shot_gets_no_packets_while_the_port_it_watches_is_down(
    probed: Client, channel: grpc.Channel, switch: Switch
) -> None:
    three = SHOT.replace("weight", 'watch_port: "\\x03" weight')
    four = SHOT.replace("\\x03", "\\x04")
    switch.set_port_status(3, False)
    probed.insert(SELECTED % ("\\x01", ONE_SHOT % (three % 1 + four % 1)))
    assert ports(channel) == {4}
    switch.set_port_status(3, True)
    assert ports(channel) == {3, 4}
    switch.set_port_status(3, False)
    assert ports(channel) == {4}


# --- meters and value sets ----------------------------------------------------------------------------------------


def colour(client: Client) -> int:
    """The colour of the last packet, which programs/probe.p4 stores in a register."""
    (found,) = client.read("register_entry { register_id: $In.seen index { index: 1 } }")
    return int.from_bytes(found.register_entry.data.bitstring, "big")


@pytest.fixture
def _no_time_passes(switch: Switch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Meters get no tokens."""
    now = switch.now()
    monkeypatch.setattr(switch, "now", lambda: now)


@pytest.mark.usefixtures("_no_time_passes")
def test_a_meter_colours_packets(probed: Client, channel: grpc.Channel) -> None:
    forwarded(channel, 3, *[frame(1)] * 5)
    assert colour(probed) == 0
    probed.modify(METER % "index { index: 3 } config { cir: 1 cburst: 2 pir: 1 pburst: 4 }")
    colours = []
    for _ in range(6):
        forwarded(channel, 3, frame(1))
        colours.append(colour(probed))
    assert colours == [0, 0, 1, 1, 2, 2]
    probed.modify(METER % "index { index: 3 }")
    forwarded(channel, 3, frame(1))
    assert colour(probed) == 0


def test_an_entry_meters_what_hits_it(probed: Client, channel: grpc.Channel) -> None:
    probed.insert(
        (MEASURED % "meter_config { cir: 1 cburst: 60 pir: 1 pburst: 120 }").replace("$NoAction", "$In.measured_drop")
    )
    colours = []
    for _ in range(3):
        forwarded(channel, 1, frame(1, source=1))
        colours.append(colour(probed))
    assert colours == [0, 1, 2]


def test_the_rates_that_thrift_set_are_read(probed: Client, switch: Switch) -> None:
    old = "config { cir: 1 cburst: 2 pir: 3 pburst: 4 }"
    probed.modify(METER % f"index {{ index: 3 }} {old}")
    probed.insert(MEASURED % f"meter_{old}")
    assert switch.engine is not None
    meter, table = switch.engine.meters["In.police"], switch.engine.tables["In.measured"]
    for rates, expected in ((MeterRates(1e-5, 6, 0.002, 8), (10, 6, 2000, 8)), (None, (0, 0, 0, 0))):
        meter[3] = rates
        table.set_meter((Exact(1),), 0, rates)
        (cell,) = probed.read(METER % "index { index: 3 }")
        (entry,) = probed.read("table_entry { table_id: $In.measured meter_config {} }")
        (direct,) = probed.read(DIRECT_METER % ("\\x01", ""))
        for found in (cell.meter_entry.config, entry.table_entry.meter_config, direct.direct_meter_entry.config):
            assert (found.cir, found.cburst, found.pir, found.pburst) == expected


def test_the_timeout_that_thrift_set_is_read(probed: Client, switch: Switch) -> None:
    probed.insert(station(1, "$In.send_to", 3, more="idle_timeout_ns: 1500"))
    (found,) = probed.read("table_entry { table_id: $In.station }")
    assert found.table_entry.idle_timeout_ns == 1500
    assert switch.engine is not None
    switch.engine.tables["In.station"].modify((Exact(1),), "In.send_to", (3,), timeout=3000)
    (found,) = probed.read("table_entry { table_id: $In.station }")
    assert found.table_entry.idle_timeout_ns == 3_000_000


def colour_counts(data: p4runtime_pb2.MeterCounterData) -> list[tuple[int, int]]:
    return [(each.packet_count, each.byte_count) for each in (data.green, data.yellow, data.red)]


def test_a_meter_counts_the_packets_and_bytes_of_each_colour(probed: Client, channel: grpc.Channel) -> None:
    probed.modify(METER % "index { index: 3 } config { cir: 1 cburst: 2 pir: 1 pburst: 4 }")
    for size in (60, 70, 80, 90, 100):
        forwarded(channel, 3, frame(1).ljust(size, b"\0"))
    asked = METER % "index { index: 3 } counter_data {}"
    (found,) = probed.read(asked)
    assert colour_counts(found.meter_entry.counter_data) == [(2, 130), (2, 170), (1, 100)]
    (found,) = probed.read(METER % "index { index: 3 }")
    assert not found.meter_entry.HasField("counter_data")
    probed.modify(METER % "index { index: 3 } counter_data { red { packet_count: 7 byte_count: 8 } }")
    (found,) = probed.read(asked)
    assert colour_counts(found.meter_entry.counter_data) == [(0, 0), (0, 0), (7, 8)]


def test_an_entrys_meter_counts_by_colour_too(probed: Client, channel: grpc.Channel) -> None:
    probed.insert(MEASURED % "meter_config { cir: 1 cburst: 60 pir: 1 pburst: 120 }")
    for _ in range(3):
        forwarded(channel, 1, frame(1, source=1))
    (found,) = probed.read("table_entry { table_id: $In.measured meter_counter_data {} }")
    assert colour_counts(found.table_entry.meter_counter_data) == [(1, 60), (1, 60), (1, 60)]
    (found,) = probed.read(DIRECT_METER % ("\\x01", "counter_data {}"))
    assert colour_counts(found.direct_meter_entry.counter_data) == [(1, 60), (1, 60), (1, 60)]
    probed.modify(MEASURED % "meter_counter_data { green { packet_count: 5 } }")
    (found,) = probed.read("table_entry { table_id: $In.measured meter_counter_data {} }")
    assert colour_counts(found.table_entry.meter_counter_data) == [(5, 0), (0, 0), (0, 0)]
    other = station(7, "$In.send_to", 3).replace(" action {", " meter_counter_data {} action {", 1)
    assert refusal(lambda: probed.insert(other)) == ("INVALID_ARGUMENT", "Table has no direct meters")


@pytest.mark.usefixtures("_no_time_passes")
@pytest.mark.parametrize(
    ("kind", "excess", "colours"),
    [("SINGLE_RATE_THREE_COLOR", "eburst: 1", [0, 0, 1, 2]), ("SINGLE_RATE_TWO_COLOR", "", [0, 0, 2, 2])],
)
def test_a_meter_of_one_rate_has_an_excess_burst(
    probed: Client, channel: grpc.Channel, kind: str, excess: str, colours: list[int]
) -> None:
    pushed = config("probe")
    for meter in pushed.p4info.meters:
        meter.spec.type = MeterSpec.Type.Value(kind)
    probed.push(pushed)
    written = METER % f"index {{ index: 3 }} config {{ cir: 1 cburst: 2 {excess} }}"
    probed.modify(written)
    found = []
    for _ in range(4):
        forwarded(channel, 3, frame(1))
        found.append(colour(probed))
    assert found == colours
    assert probed.read(METER % "index { index: 3 }") == [entity(written)]
    assert refusal(lambda: probed.modify(METER % "config { cir: 1 cburst: 2 pir: 2 }"))[0] == "INVALID_ARGUMENT"


def test_an_excess_burst_is_refused_with_two_rates(probed: Client) -> None:
    text = METER % "config { cir: 1 cburst: 2 pir: 1 pburst: 2 eburst: 1 }"
    assert refusal(lambda: probed.modify(text)) == (
        "INVALID_ARGUMENT",
        "EBurst is for meters of one rate and three colors",
    )


def test_the_parser_compares_with_a_value_set(probed: Client, channel: grpc.Channel) -> None:
    def special() -> int:
        forwarded(channel, 1, frame(1, kind=0x1234))
        (found,) = probed.read("register_entry { register_id: $In.seen index { index: 2 } }")
        return int.from_bytes(found.register_entry.data.bitstring, "big")

    assert special() == 0
    members = VALUES % 'members { match { field_id: 1 exact { value: "\\x12\\x34" } } }'
    probed.modify(members)
    assert special() == 1
    assert probed.read(VALUES % "") == [entity(members)]
    probed.modify(VALUES % "")
    assert special() == 0
    five = "".join(f'members {{ match {{ field_id: 1 exact {{ value: "\\x{value:02x}" }} }} }}' for value in range(5))
    assert refusal(lambda: probed.modify(VALUES % five))[0] == "RESOURCE_EXHAUSTED"


# --- pipelines and batches ----------------------------------------------------------------------------------------


def everything(client: Client) -> list[list[str]]:
    """Everything that a client can read, except what reconciling may change."""
    kinds = (
        "table_entry { counter_data {} meter_config {} }",
        DEFAULT % ("$In.prefix", ""),
        "counter_entry {}",
        "meter_entry {}",
        "register_entry {}",
        "value_set_entry {}",
        "action_profile_member {}",
        "action_profile_group {}",
        GROUP % (0, ""),
        CLONE % (0, ""),
        "digest_entry {}",
    )
    return [sorted(map(str, client.read(kind))) for kind in kinds]


def fill(client: Client) -> None:
    """Inserts one entity of each kind, in an order that satisfies references."""
    refusing = 0
    for text in TEMPLATES:
        for kind in (INSERT, MODIFY):
            try:
                client.write(update(kind, text))
                break
            except grpc.RpcError:
                refusing += kind == MODIFY
    # Refused: the one-shot in a profile with members, and the wildcard direct counter.
    assert refusing == 2


def test_reconciling_keeps_everything(probed: Client) -> None:
    fill(probed)
    before = everything(probed)
    assert all(before)
    probed.push(config("probe"), Set.RECONCILE_AND_COMMIT)
    assert everything(probed) == before


def test_reconciling_refuses_to_lose_entries(probed: Client) -> None:
    fill(probed)
    before = everything(probed)
    code, message = answer(lambda: probed.push(config("kinds"), Set.RECONCILE_AND_COMMIT))
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "has" in message
    assert everything(probed) == before


@pytest.mark.parametrize("kind", [MODIFY, DELETE], ids=["modify", "delete"])
def test_an_atomic_batch_undoes_changes_of_every_kind(probed: Client, kind: int) -> None:
    fill(probed)
    before = everything(probed)
    for text in TEMPLATES:
        refusals(lambda text=text: probed.write(update(kind, text), WRONG, atomicity=1))  # type: ignore[misc]
        assert everything(probed) == before, text


def test_groups_and_sessions_that_thrift_removed_can_still_be_deleted(probed: Client, switch: Switch) -> None:
    group, session = (
        f"packet_replication_engine_entry {{ {kind} {{ {number}: 3 replicas {{ egress_port: 2 instance: 1 }} }} }}"
        for kind, number in (
            ("multicast_group_entry", "multicast_group_id"),
            ("clone_session_entry", "session_id"),
        )
    )
    probed.insert(group)
    probed.insert(session)
    assert switch.engine is not None
    switch.engine.multicast.delete(3)
    switch.engine.clone_sessions.delete(3)
    probed.delete(group)
    probed.delete(session)
    assert not probed.read("packet_replication_engine_entry { clone_session_entry {} }")
