"""P4Runtime as clients see it: PI's answers on BMv2, word for word, and what PI lacks."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.p4runtime.server import Listener, Server
from dropzero.softswitch.p4runtime.service import Service
from tests.support.p4runtime_client import (
    DELETE,
    INSERT,
    MODIFY,
    SECONDS,
    Client,
    Get,
    Set,
    answer,
    config,
    entity,
    kinds,
    open_stream,
    refusal,
    refusals,
    station,
    update,
)

NO_PIPELINE = (grpc.StatusCode.FAILED_PRECONDITION, "No forwarding pipeline config set for this device")
NOT_PRIMARY = (grpc.StatusCode.PERMISSION_DENIED, "Not primary")


@pytest.fixture
def pushed(client: Client) -> Client:
    """A client of a switch that runs programs/kinds.p4."""
    client.push(kinds())
    return client


# --- arbitration --------------------------------------------------------------------------------------------------


def test_the_first_stream_is_primary_and_a_lower_one_is_backup(client: Client) -> None:
    assert open_stream(client, 1).standing() == (1, code_pb2.OK, "Is primary")
    assert open_stream(client, 0).standing() == (1, code_pb2.ALREADY_EXISTS, "Is backup")


def test_an_election_id_is_used_once(client: Client) -> None:
    open_stream(client, 1).standing()
    assert answer(open_stream(client, 1).next) == (grpc.StatusCode.INVALID_ARGUMENT, "Election id already exists")


def test_a_higher_id_takes_over_and_the_next_one_follows_when_it_leaves(client: Client) -> None:
    first = open_stream(client, 1)
    first.standing()
    other = open_stream(client, 5)
    assert other.standing() == (5, code_pb2.OK, "Is primary")
    assert first.standing() == (5, code_pb2.ALREADY_EXISTS, "Is backup")
    other.close()
    assert first.standing() == (1, code_pb2.OK, "Is primary")


def test_a_stream_keeps_to_its_device(client: Client) -> None:
    stream = open_stream(client, 1)
    stream.standing()
    stream.bid(1, device_id=7)
    assert answer(stream.next) == (grpc.StatusCode.FAILED_PRECONDITION, "Invalid device id")


def test_only_the_primary_writes(client: Client) -> None:
    client.push(kinds())
    open_stream(client, 5).standing()
    assert answer(lambda: client.insert(station(1, 2))) == NOT_PRIMARY
    assert answer(lambda: client.push(kinds())) == NOT_PRIMARY
    client.election_id = 5
    client.insert(station(1, 2))


def test_without_bids_a_write_needs_no_election_id_and_may_not_have_one(client: Client) -> None:
    client.push(kinds())
    client.insert(station(1, 2))
    client.election_id = 1
    assert answer(lambda: client.insert(station(2, 2))) == NOT_PRIMARY


def test_the_seventeenth_stream_is_one_too_many(client: Client) -> None:
    streams = [open_stream(client, number) for number in range(16)]
    for stream in streams:
        stream.standing()
    assert answer(open_stream(client, 99).next) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "Too many connections")


# --- pipeline -----------------------------------------------------------------------------------------------------


def test_capabilities_name_the_api_version(client: Client) -> None:
    version = client.stub.Capabilities(p4runtime_pb2.CapabilitiesRequest()).p4runtime_api_version
    assert version == "1.4.1"


def test_capabilities_say_that_packets_may_grow(client: Client) -> None:
    """BMv2 has room for 512 bytes more, and does not say so."""
    _, call = client.stub.Capabilities.with_call(p4runtime_pb2.CapabilitiesRequest())
    assert int(dict(call.trailing_metadata())["packet-growth"]) >= 1500


def test_without_a_pipeline_nothing_can_be_read_or_written(client: Client) -> None:
    assert answer(client.pipeline) == NO_PIPELINE
    assert answer(lambda: client.read("table_entry {}")) == NO_PIPELINE
    assert answer(lambda: client.insert(station(1, 2))) == NO_PIPELINE


def test_the_four_response_types(pushed: Client) -> None:
    def shape(response_type: int) -> tuple[bool, bool, int]:
        config = pushed.pipeline(response_type)
        return bool(config.p4info.tables), bool(config.p4_device_config), config.cookie.cookie

    assert shape(Get.ALL) == (True, True, 77)
    assert shape(Get.COOKIE_ONLY) == (False, False, 77)
    assert shape(Get.P4INFO_AND_COOKIE) == (True, False, 77)
    assert shape(Get.DEVICE_CONFIG_AND_COOKIE) == (False, True, 77)


def test_a_push_leaves_nothing_of_the_previous_pipeline(pushed: Client) -> None:
    pushed.insert(station(1, 2))
    pushed.push(kinds())
    assert pushed.read("table_entry {}") == pushed.read("table_entry { table_id: $In.fixed_entries }")


def test_verify_looks_at_the_program_and_changes_nothing(pushed: Client) -> None:
    pushed.insert(station(1, 2))
    pushed.push(kinds(), Set.VERIFY)
    broken = kinds()
    broken.p4_device_config = b"{}"
    code, message = answer(lambda: pushed.push(broken, Set.VERIFY))
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert message.startswith("Invalid device config: ")
    assert len(pushed.read("table_entry { table_id: $In.station }")) == 1


def test_a_config_that_is_refused_leaves_the_switch_without_one(client: Client) -> None:
    broken = kinds()
    broken.p4_device_config = b"garbage"
    assert answer(lambda: client.push(broken))[0] == grpc.StatusCode.INVALID_ARGUMENT
    assert answer(client.pipeline) == NO_PIPELINE


def test_p4info_of_another_program_is_refused_by_name(client: Client) -> None:
    config = kinds()
    config.p4info.tables[0].preamble.name = "In.elsewhere"
    assert answer(lambda: client.push(config)) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "The device config has no table 'In.elsewhere', which P4Info describes",
    )


@pytest.mark.parametrize("what", ["register", "counter", "meter"])
def test_p4info_with_more_cells_than_the_program_is_refused(client: Client, what: str) -> None:
    program = config("probe")
    info = getattr(program.p4info, f"{what}s")[0]
    info.size += 1
    cells = f"{info.size} cells in P4Info, and {info.size - 1} in the device config"
    assert answer(lambda: client.push(program)) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        f"The {what} {info.preamble.name!r} has {cells}",
    )


def test_a_saved_pipeline_waits_for_its_commit(pushed: Client) -> None:
    pushed.insert(station(1, 2))
    pushed.push(kinds(), Set.VERIFY_AND_SAVE)
    assert len(pushed.read("table_entry { table_id: $In.station }")) == 1
    pushed.push(None, Set.COMMIT)
    assert pushed.read("table_entry { table_id: $In.station }") == []
    assert answer(lambda: pushed.push(None, Set.COMMIT))[0] == grpc.StatusCode.FAILED_PRECONDITION


def test_reconciling_keeps_entries_defaults_and_groups(pushed: Client) -> None:
    group = GROUP % (3, "replicas { egress_port: 2 }")
    default = DEFAULT % ("$In.station", "$In.drop")
    pushed.insert(station(1, 2))
    pushed.modify(default)
    pushed.insert(group)
    before = [pushed.read(text) for text in ("table_entry {}", default, group)]
    pushed.push(kinds(), Set.RECONCILE_AND_COMMIT)
    assert [pushed.read(text) for text in ("table_entry {}", default, group)] == before


def test_an_unknown_action_is_refused(client: Client) -> None:
    assert answer(lambda: client.push(kinds(), Set.UNSPECIFIED)) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "Invalid SetForwardingPipeline action",
    )


def test_a_request_to_another_device_is_refused(pushed: Client) -> None:
    assert answer(lambda: pushed.push(kinds(), device_id=9)) == (grpc.StatusCode.NOT_FOUND, "This is device 0, not 9")


def test_the_older_format_of_the_device_config_is_accepted(client: Client) -> None:
    config = kinds()
    program = config.p4_device_config
    size = bytes([len(program) & 0x7F | 0x80, len(program) >> 7 & 0x7F | 0x80, len(program) >> 14])
    config.p4_device_config = b"\x08\x01" + b"\x1a" + size + program
    client.push(config)
    assert client.read("table_entry { table_id: $In.fixed_entries }")


# --- tables -------------------------------------------------------------------------------------------------------


def test_an_entry_is_read_back_in_canonical_form(pushed: Client) -> None:
    padded = station(0x0A, 2).replace('value: "\\x02"', 'value: "\\x00\\x02"')
    pushed.insert(padded)
    (found,) = pushed.read("table_entry { table_id: $In.station }")
    assert found.table_entry.match[0].exact.value == b"\x0a"
    assert found.table_entry.action.action.params[0].value == b"\x02"


def test_an_entry_keeps_its_controllers_metadata(pushed: Client) -> None:
    entry = station(1, 2).replace("table_entry {", 'table_entry { controller_metadata: 9 metadata: "mine"')
    pushed.insert(entry)
    (found,) = pushed.read("table_entry { table_id: $In.station }")
    assert (found.table_entry.controller_metadata, found.table_entry.metadata) == (9, b"mine")
    pushed.delete(entry)
    pushed.insert(station(1, 2))
    (found,) = pushed.read("table_entry { table_id: $In.station }")
    assert (found.table_entry.controller_metadata, found.table_entry.metadata) == (0, b"")


RULE = "table_entry { table_id: $In.rule %s action { action { action_id: $In.drop } } }"
PREFIX = (
    "table_entry { table_id: $In.prefix match { field_id: 1 lpm { %s } } action { action { action_id: $NoAction } } }"
)
DEFAULT = "table_entry { table_id: %s is_default_action: true action { action { action_id: %s } } }"


@pytest.mark.parametrize(
    "match",
    [
        'match { field_id: 1 ternary { value: "\\x10" mask: "\\xf0" } } priority: 3',
        'match { field_id: 2 range { low: "\\x01" high: "\\x05\\x00" } } priority: 3',
        'match { field_id: 3 optional { value: "\\x01\\x02" } } priority: 3',
        "priority: 10",
    ],
    ids=["ternary", "range", "optional", "anything"],
)
def test_every_kind_of_match_reads_as_it_was_written(pushed: Client, match: str) -> None:
    written = entity(RULE % match)
    pushed.insert(RULE % match)
    assert pushed.read("table_entry { table_id: $In.rule }") == [written]


def test_a_prefix_reads_as_it_was_written(pushed: Client) -> None:
    text = PREFIX % 'value: "\\x0a\\x00\\x00\\x00\\x00\\x00" prefix_len: 8'
    pushed.insert(text)
    assert pushed.read("table_entry { table_id: $In.prefix }") == [entity(text)]


def wrong(what: str, by: str) -> str:
    """The entry of station 1, with an error."""
    right = station(1, 2)
    assert what in right
    return right.replace(what, by)


KEY = 'value: "\\x00\\x00\\x00\\x00\\x00\\x01"'
PARAMETER = 'params { param_id: 1 value: "\\x02" }'
ENTRIES_REFUSED = {
    "value too wide": (
        wrong(KEY, 'value: "\\x01\\x00\\x00\\x00\\x00\\x00\\x00"'),
        "INVALID_ARGUMENT",
        "Bytestring provided does not fit within 48 bits",
    ),
    "parameter too wide": (
        wrong(PARAMETER, 'params { param_id: 1 value: "\\x02\\x00" }'),
        "INVALID_ARGUMENT",
        "Bytestring provided does not fit within 9 bits",
    ),
    "no exact field": (
        "table_entry { table_id: $In.station action { action { action_id: $In.drop } } }",
        "INVALID_ARGUMENT",
        "Missing non-ternary field in match key",
    ),
    "a field twice": (
        station(1, 2).replace("action {", 'match { field_id: 1 exact { value: "\\x01" } } action {', 1),
        "INVALID_ARGUMENT",
        "Too many fields in match key",
    ),
    "another kind of match": (
        station(1, 2).replace("exact", "optional"),
        "INVALID_ARGUMENT",
        "Invalid match type",
    ),
    "priority": (
        wrong("table_entry {", "table_entry { priority: 1"),
        "INVALID_ARGUMENT",
        "Non-zero priority for non-ternary match",
    ),
    "no parameter": (wrong(PARAMETER, ""), "INVALID_ARGUMENT", "Unexpected number of action parameters"),
    "unknown parameter": (
        wrong("param_id: 1", "param_id: 2"),
        "INVALID_ARGUMENT",
        "Unknown action parameter",
    ),
    "no action": (
        'table_entry { table_id: $In.station match { field_id: 1 exact { value: "\\x01" } } }',
        "INVALID_ARGUMENT",
        "'action' field must be set",
    ),
    "action of no table": (wrong("$In.send_to", "77"), "INVALID_ARGUMENT", "Invalid P4 id"),
    "action of another table": (wrong("$In.send_to", "$NoAction"), "INVALID_ARGUMENT", "Invalid action for table"),
    "action for defaults": (
        wrong("$In.send_to", "$In.drop"),
        "PERMISSION_DENIED",
        "Cannot use DEFAULT_ONLY action in table entry",
    ),
    "unknown table": (wrong("$In.station", "77"), "INVALID_ARGUMENT", "Invalid P4 id"),
    "idle timeout": (
        wrong("table_entry {", "table_entry { idle_timeout_ns: 1"),
        "INVALID_ARGUMENT",
        "idle_timeout_ns must be set to 0 for tables which do not support idle timeout",
    ),
    "meter": (
        wrong("table_entry {", "table_entry { meter_config { cir: 1 }"),
        "INVALID_ARGUMENT",
        "Table has no direct meters",
    ),
    "ternary without priority": (RULE % "", "INVALID_ARGUMENT", "Zero priority for ternary match"),
    "ternary mask 0": (
        RULE % 'match { field_id: 1 ternary { value: "\\x00" mask: "\\x00" } } priority: 3',
        "INVALID_ARGUMENT",
        "Invalid representation of 'don't care' ternary match, omit match field instead of using 0 mask",
    ),
    "ternary value outside its mask": (
        RULE % 'match { field_id: 1 ternary { value: "\\xff" mask: "\\xf0" } } priority: 3',
        "INVALID_ARGUMENT",
        "Invalid ternary value, make sure value & mask == value",
    ),
    "range of everything": (
        RULE % 'match { field_id: 2 range { low: "\\x00" high: "\\xff\\xff" } } priority: 3',
        "INVALID_ARGUMENT",
        "Invalid representation of 'don't care' range match, "
        "omit match field instead of using low=0 and high=2**bitwidth-1",
    ),
    "range upside down": (
        RULE % 'match { field_id: 2 range { low: "\\x02" high: "\\x01" } } priority: 3',
        "INVALID_ARGUMENT",
        "Invalid range value, make sure low <= high",
    ),
    "prefix of length 0": (
        PREFIX % 'value: "\\x00" prefix_len: 0',
        "INVALID_ARGUMENT",
        "Invalid reprsentation of 'don't care' LPM match, omit match field instead of using a prefix length of 0",
    ),
    "prefix too long": (
        PREFIX % 'value: "\\x00" prefix_len: 49',
        "INVALID_ARGUMENT",
        "Prefix length cannot be > bitwidth",
    ),
    "prefix with host bits": (
        PREFIX % 'value: "\\x01" prefix_len: 8',
        "INVALID_ARGUMENT",
        "Invalid LPM value, incorrect number of trailing zeros",
    ),
    "constant entries": (
        'table_entry { table_id: $In.fixed_entries match { field_id: 1 exact { value: "\\x01" } } '
        "action { action { action_id: $In.drop } } }",
        "PERMISSION_DENIED",
        "The entries of the table are const",
    ),
    "default": (
        DEFAULT % ("$In.station", "$In.drop"),
        "INVALID_ARGUMENT",
        "Cannot use INSERT for default entry",
    ),
}


@pytest.mark.parametrize(("text", "code", "message"), ENTRIES_REFUSED.values(), ids=ENTRIES_REFUSED)
def test_an_entry_is_refused_with_bmv2s_message(pushed: Client, text: str, code: str, message: str) -> None:
    assert refusal(lambda: pushed.insert(text)) == (code, message)
    assert pushed.read("table_entry { table_id: $In.station }") == []


def test_the_same_key_is_a_duplicate_however_it_is_padded(pushed: Client) -> None:
    message = "Match entry exists, use MODIFY if you wish to change action"
    pushed.insert(station(1, 2))
    assert refusal(lambda: pushed.insert(wrong(KEY, 'value: "\\x01"'))) == ("ALREADY_EXISTS", message)


def test_an_empty_bytestring_is_zero(pushed: Client) -> None:
    pushed.insert(wrong(KEY, 'value: ""'))
    (found,) = pushed.read("table_entry { table_id: $In.station }")
    assert found.table_entry.match[0].exact.value == b"\x00"


@pytest.mark.parametrize("kind", [MODIFY, DELETE], ids=["modify", "delete"])
def test_a_missing_entry_cannot_be_changed(pushed: Client, kind: int) -> None:
    absent = ("NOT_FOUND", "Cannot find match entry")
    assert refusal(lambda: pushed.write(update(kind, station(1, 2)))) == absent


def test_a_full_table_refuses_an_entry(pushed: Client) -> None:
    for mac in range(8):
        pushed.insert(station(mac, 1))
    assert refusal(lambda: pushed.insert(station(8, 1))) == ("RESOURCE_EXHAUSTED", "The table is full")


def test_the_good_updates_of_a_batch_are_carried_out(pushed: Client) -> None:
    batch = [update(INSERT, station(mac, 1)) for mac in (1, 1, 2)]
    assert refusals(lambda: pushed.write(*batch)) == [
        ("OK", ""),
        ("ALREADY_EXISTS", "Match entry exists, use MODIFY if you wish to change action"),
        ("OK", ""),
    ]
    assert len(pushed.read("table_entry { table_id: $In.station }")) == 2


def test_a_default_is_set_reset_and_read_only_when_asked_for(pushed: Client) -> None:
    asked = "table_entry { table_id: $In.station is_default_action: true %s }"
    changed = asked % 'action { action { action_id: $In.send_to params { param_id: 1 value: "\\x07" } } }'
    (original,) = pushed.read(asked % "")
    pushed.modify(changed)
    assert pushed.read(asked % "") == [entity(changed)]
    assert pushed.read("table_entry { table_id: $In.station }") == []
    pushed.modify(asked % "")
    assert pushed.read(asked % "") == [original]


def test_a_constant_default_stays(pushed: Client) -> None:
    text = DEFAULT % ("$In.fixed_default", "$In.drop")
    table = entity(text).table_entry.table_id
    message = f"Cannot set / reset default action for table {table} which has a const default action"
    assert refusal(lambda: pushed.modify(text)) == ("PERMISSION_DENIED", message)


def test_an_action_for_entries_only_is_refused_as_default(pushed: Client) -> None:
    text = DEFAULT % ("$In.prefix", "$In.drop")
    message = "Cannot use TABLE_ONLY action as default action"
    assert refusal(lambda: pushed.modify(text)) == ("PERMISSION_DENIED", message)


def test_reading_one_key(pushed: Client) -> None:
    pushed.insert(station(1, 2))
    pushed.insert(station(2, 3))
    assert pushed.read(station(2, 0)) == [entity(station(2, 3).replace("\\x00\\x00\\x00\\x00\\x00\\x02", "\\x02"))]
    assert pushed.read(station(3, 0)) == []


# --- counters -----------------------------------------------------------------------------------------------------

DATA = "data { packet_count: 3 byte_count: 200 }"


def test_a_counter_is_read_by_cell_and_as_a_whole(pushed: Client) -> None:
    cell = "counter_entry { counter_id: $In.received index { index: 7 } %s }"
    pushed.modify(cell % DATA)
    assert pushed.read(cell % "") == [entity(cell % DATA)]
    for every in ("counter_entry { counter_id: $In.received }", "counter_entry {}"):
        found = pushed.read(every)
        assert [item.counter_entry.data.packet_count for item in found] == [0] * 7 + [3] + [0] * 8
    pushed.delete(cell % "")
    assert pushed.read(cell % "")[0].counter_entry.data.byte_count == 0


def test_a_counter_has_no_cell_after_its_last(pushed: Client) -> None:
    beyond = "counter_entry { counter_id: $In.received index { index: 16 } }"
    assert answer(lambda: pushed.read(beyond)) == (
        grpc.StatusCode.OUT_OF_RANGE,
        "'In.received' has 16 cells, none with index 16",
    )
    message = "'In.received' has 16 cells, none with index 16"
    assert refusal(lambda: pushed.modify(beyond)) == ("OUT_OF_RANGE", message)


def test_a_counter_is_written_as_a_whole(pushed: Client) -> None:
    pushed.modify(f"counter_entry {{ counter_id: $In.received {DATA} }}")
    found = pushed.read("counter_entry { counter_id: $In.received }")
    assert [item.counter_entry.data.byte_count for item in found] == [200] * 16


def test_a_direct_counter_is_read_with_its_entry_when_asked_for(pushed: Client) -> None:
    pushed.insert(station(1, 2))
    pushed.modify(f"direct_counter_entry {{ {station(1, 2)} {DATA} }}")
    (plain,) = pushed.read("table_entry { table_id: $In.station }")
    assert not plain.table_entry.HasField("counter_data")
    (counted,) = pushed.read("table_entry { table_id: $In.station counter_data {} }")
    assert counted.table_entry.counter_data.packet_count == 3
    (direct,) = pushed.read("direct_counter_entry { table_entry { table_id: $In.station } }")
    assert direct.direct_counter_entry.data.byte_count == 200


def test_an_entry_may_come_with_its_counts(pushed: Client) -> None:
    pushed.insert(station(1, 2).replace("action {", "counter_data { packet_count: 5 } action {", 1))
    (found,) = pushed.read("direct_counter_entry { table_entry { table_id: $In.station } }")
    assert found.direct_counter_entry.data.packet_count == 5


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", grpc.StatusCode.INVALID_ARGUMENT, "Missing table_entry field in DirectCounterEntry"),
        ("table_entry { table_id: $In.prefix }", grpc.StatusCode.INVALID_ARGUMENT, "Table has no direct counters"),
    ],
)
def test_direct_counters_are_read_by_table(pushed: Client, text: str, code: grpc.StatusCode, message: str) -> None:
    assert answer(lambda: pushed.read(f"direct_counter_entry {{ {text} }}")) == (code, message)


def test_the_direct_counters_of_all_tables_are_read_at_once(pushed: Client) -> None:
    pushed.insert(station(1, 2))
    (found,) = pushed.read("direct_counter_entry { table_entry {} }")
    assert found.direct_counter_entry.table_entry.match[0].exact.value == b"\x01"


# --- registers, which BMv2 leaves out -----------------------------------------------------------------------------


def test_a_register_is_written_and_read_by_cell_and_as_a_whole(pushed: Client) -> None:
    cell = "register_entry { register_id: $In.wide index { index: %d } %s }"
    value = 'data { bitstring: "\\x01%s" }' % ("\\x00" * 31)
    pushed.modify(cell % (2, value))
    assert pushed.read(cell % (2, "")) == [entity(cell % (2, value))]
    every = "register_entry { register_id: $In.wide %s }"
    assert [item.register_entry.data.bitstring[:1] for item in pushed.read(every % "")] == [b"\0", b"\0", b"\1", b"\0"]
    pushed.modify(every % 'data { bitstring: "\\x05" }')
    assert {item.register_entry.data.bitstring for item in pushed.read(every % "")} == {b"\x05"}


def test_all_registers_are_read_at_once(pushed: Client) -> None:
    assert len(pushed.read("register_entry {}")) == 16 + 4


def test_a_register_has_no_cell_after_its_last_or_before_its_first(pushed: Client) -> None:
    cell = "register_entry { register_id: $In.wide index { index: %d } }"
    assert answer(lambda: pushed.read(cell % 4)) == (
        grpc.StatusCode.OUT_OF_RANGE,
        "'In.wide' has 4 cells, none with index 4",
    )
    assert answer(lambda: pushed.read(cell % -1))[0] == grpc.StatusCode.INVALID_ARGUMENT


def test_a_register_refuses_a_value_that_is_too_wide(pushed: Client) -> None:
    text = 'register_entry { register_id: $In.last_type index {} data { bitstring: "\\x01\\x00\\x00\\x00\\x00" } }'
    message = "Bytestring provided does not fit within 32 bits"
    assert refusal(lambda: pushed.modify(text)) == ("INVALID_ARGUMENT", message)
    assert refusal(lambda: pushed.insert(text))[0] == "INVALID_ARGUMENT"


# --- multicast ----------------------------------------------------------------------------------------------------

GROUP = "packet_replication_engine_entry { multicast_group_entry { multicast_group_id: %d %s } }"


def test_a_group_is_read_back_in_the_order_of_its_copies(pushed: Client, switch: Switch) -> None:
    pushed.insert(GROUP % (1, "replicas { egress_port: 9 instance: 2 } replicas { egress_port: 4 instance: 1 }"))
    (found,) = pushed.read(GROUP % (1, ""))
    replicas = found.packet_replication_engine_entry.multicast_group_entry.replicas
    assert [(replica.egress_port, replica.instance) for replica in replicas] == [(4, 1), (9, 2)]
    assert switch.engine is not None
    assert switch.engine.multicast.groups[1] == [(4, 1), (9, 2)]
    pushed.modify(GROUP % (1, 'replicas { port: "\\x00\\x05" }'))
    (found,) = pushed.read(GROUP % (0, ""))
    assert found.packet_replication_engine_entry.multicast_group_entry.replicas[0].port == b"\x00\x05"
    assert switch.engine.multicast.groups[1] == [(5, 0)]
    pushed.delete(GROUP % (1, ""))
    assert pushed.read(GROUP % (0, "")) == []


@pytest.mark.parametrize(
    ("kind", "number", "replicas", "code", "message"),
    [
        (INSERT, 0, "", "INVALID_ARGUMENT", "0 is not a valid group id"),
        (INSERT, 40000, "", "OUT_OF_RANGE", "Group id value is too high"),
        (INSERT, 2, "", "ALREADY_EXISTS", "Multicast group already exists"),
        (
            INSERT,
            3,
            "replicas { egress_port: 1 } replicas { egress_port: 1 }",
            "INVALID_ARGUMENT",
            "Duplicate replica in multicast group",
        ),
        (
            INSERT,
            3,
            "replicas { egress_port: 512 }",
            "INVALID_ARGUMENT",
            "A replica's port is below 512 and its instance below 65536",
        ),
        (INSERT, 3, "replicas { instance: 1 }", "INVALID_ARGUMENT", "Missing port in multicast group replica"),
        (MODIFY, 9, "", "NOT_FOUND", "Multicast group does not exist"),
        (DELETE, 9, "", "NOT_FOUND", "Multicast group does not exist"),
    ],
)
def test_a_group_is_refused_with_bmv2s_message(
    pushed: Client, kind: int, number: int, replicas: str, code: str, message: str
) -> None:
    pushed.insert(GROUP % (2, ""))
    assert refusal(lambda: pushed.write(update(kind, GROUP % (number, replicas)))) == (code, message)


def test_a_group_that_is_not_there_cannot_be_read(pushed: Client) -> None:
    assert answer(lambda: pushed.read(GROUP % (9, ""))) == (
        grpc.StatusCode.NOT_FOUND,
        "Multicast group does not exist",
    )


# --- the rest -----------------------------------------------------------------------------------------------------


def test_externs_are_refused(pushed: Client) -> None:
    nothing = "There is no extern_entry on this switch"
    assert answer(lambda: pushed.read("extern_entry {}")) == (grpc.StatusCode.UNIMPLEMENTED, nothing)
    assert refusal(lambda: pushed.insert("extern_entry {}")) == ("UNIMPLEMENTED", nothing)


def test_an_update_without_an_entity_or_a_type_is_refused(pushed: Client) -> None:
    assert refusal(lambda: pushed.write(p4runtime_pb2.Update(type=INSERT))) == ("UNKNOWN", "Incorrect entity type")
    assert refusal(lambda: pushed.write(update(0, station(1, 2)))) == ("INVALID_ARGUMENT", "Update type is not set")


def packet_out(port: int, payload: bytes) -> Any:
    request = p4runtime_pb2.StreamMessageRequest()
    request.packet.payload = payload
    request.packet.metadata.add(metadata_id=1, value=port.to_bytes(2, "big"))
    return request


def test_a_packet_out_carries_its_metadata_in_front(pushed: Client, packets_out: list[bytes]) -> None:
    stream = open_stream(pushed, 1)
    stream.standing()
    stream.send(packet_out(0x101, b"payload"))
    unknown = packet_out(1, b"never")
    unknown.packet.metadata[0].metadata_id = 9
    stream.send(unknown)
    error = stream.next().error
    assert (error.canonical_code, error.message) == (
        code_pb2.INVALID_ARGUMENT,
        "Unknown metadata id in PacketOut message",
    )
    assert error.packet_out.packet_out == unknown.packet
    assert packets_out == [b"\x80\x80payload"]


def test_stream_messages_that_are_refused_are_answered(client: Client, packets_out: list[bytes]) -> None:
    primary = open_stream(client, 2)
    primary.standing()
    backup = open_stream(client, 1)
    backup.standing()
    sent = packet_out(1, b"payload")
    primary.send(sent)
    error = primary.next().error
    assert (error.canonical_code, error.packet_out.packet_out) == (code_pb2.FAILED_PRECONDITION, sent.packet)
    client.election_id = 2
    client.push(config("probe"))
    backup.send(sent)
    error = backup.next().error
    assert (error.canonical_code, error.message) == (code_pb2.PERMISSION_DENIED, "Not primary")
    acknowledgement = p4runtime_pb2.StreamMessageRequest()
    acknowledgement.digest_ack.digest_id = 9
    primary.send(acknowledgement)
    error = primary.next().error
    assert (error.canonical_code, error.digest_list_ack.digest_list_ack) == (
        code_pb2.INVALID_ARGUMENT,
        acknowledgement.digest_ack,
    )
    primary.send(p4runtime_pb2.StreamMessageRequest())
    assert primary.next().error.canonical_code == code_pb2.UNIMPLEMENTED
    assert packets_out == []


def test_a_packet_out_that_is_dropped_is_reported(pushed: Client) -> None:
    stream = open_stream(pushed, 1)
    stream.standing()
    for number in range(11):
        stream.send(packet_out(1, b"payload %d" % number))
    error = stream.next().error
    assert error.canonical_code == code_pb2.RESOURCE_EXHAUSTED
    assert error.packet_out.packet_out.payload == b"payload 10"


def test_only_the_primary_hears_of_packets(pushed: Client, switch: Switch) -> None:
    primary = open_stream(pushed, 2)
    primary.standing()
    backup = open_stream(pushed, 1)
    backup.standing()
    switch.packet_in(b"\x00\x83payload")
    packet = primary.next().packet
    assert packet.payload == b"payload"
    assert {metadata.metadata_id: metadata.value for metadata in packet.metadata} == {1: b"\x01", 2: b"\x03"}
    primary.close()
    assert backup.standing() == (1, code_pb2.OK, "Is primary")


def test_packets_that_come_faster_than_they_are_sent_to_controllers_are_dropped(pushed: Client, switch: Switch) -> None:
    primary = open_stream(pushed, 1)
    primary.standing()
    taken = [switch.packet_in(b"\x00\x83payload") for _ in range(20_000)]
    assert taken[0] is True
    assert False in taken
    assert primary.next().packet.payload == b"payload"


def test_a_large_answer_comes_in_several_responses(pushed: Client) -> None:
    for mac in range(6):
        large = update(INSERT, station(mac, 1))
        large.entity.table_entry.metadata = b"m" * (1 << 20)
        pushed.write(large)
    assert len(pushed.read("table_entry { table_id: $In.station }")) == 6


def test_a_read_shows_the_table_as_it_was_at_its_start(pushed: Client) -> None:
    rule = "table_entry { table_id: $In.rule priority: %d action { action { action_id: $In.drop } } }"
    pushed.write(*(update(INSERT, rule % priority) for priority in range(1, 1025)))
    request = p4runtime_pb2.ReadRequest(entities=[entity("table_entry { table_id: $In.rule }")])
    responses = pushed.stub.Read(request)
    first = next(responses)
    pushed.write(*(update(DELETE, rule % priority) for priority in range(1, 1025)))
    found = [*first.entities, *(each for response in responses for each in response.entities)]
    assert [each.table_entry.priority for each in found] == list(range(1, 1025))
    assert pushed.read("table_entry { table_id: $In.rule }") == []


def test_packets_do_not_wait_while_the_previous_program_is_freed(
    pushed: Client, switch: Switch, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = switch.engine
    assert before is not None
    free: list[bool] = []

    def collect() -> None:
        def take() -> None:
            with before.lock:
                free.append(not waited.is_set())

        waited = threading.Event()
        before.lock.on_wait = waited.set
        thread = threading.Thread(target=take)
        thread.start()
        thread.join(600)
        free.append(False)

    monkeypatch.setattr(gc, "collect", collect)
    pushed.push(kinds(), Set.RECONCILE_AND_COMMIT)
    assert free[0]


def test_a_server_ends_while_a_program_is_compiled(
    switch: Switch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, compiled = threading.Event(), threading.Event()

    def compile_for_long(*_: Any) -> None:
        begun.set()
        compiled.wait()

    monkeypatch.setattr(switch, "compile", compile_for_long)
    server = Server(Listener(f"unix:{tmp_path}/p4runtime", Service(switch, lambda packet: True).attach))
    client = Client(f"unix:{tmp_path}/p4runtime")
    pushing = threading.Thread(target=answer, args=(lambda: client.push(kinds()),))
    closing = threading.Thread(target=server.close)
    try:
        pushing.start()
        begun.wait()
        closing.start()
        closing.join(SECONDS)
        assert not closing.is_alive()
    finally:
        compiled.set()
        pushing.join()
        closing.join()
        client.close()
