"""The Thrift port: simple_switch_CLI's calls to BMv2, on this switch."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any
from unittest.mock import ANY

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.port_status import PortStatus
from dropzero.softswitch.ports.port_table import PortTable
from dropzero.softswitch.ports.ports import Ports
from dropzero.softswitch.program.bmv2_json import load_program
from dropzero.softswitch.program.model import Exact, Range, Ternary
from dropzero.softswitch.thrift import server, wire
from dropzero.softswitch.thrift.errors import (
    BAD_MATCH_KEY,
    INVALID_GRP_HANDLE,
    INVALID_MBR_HANDLE,
    MBR_STILL_USED,
    WRONG_TABLE_TYPE,
)
from dropzero.softswitch.thrift.management import Management
from dropzero.softswitch.thrift.replication import ERROR, SESSION_NOT_FOUND, Replication, SimpleSwitch
from dropzero.softswitch.thrift.server import MAX_VALUES, UNKNOWN_METHOD, Thrift, carry_out
from dropzero.softswitch.thrift.services import program_services
from tests.support.bmv2_program import Bmv2Program, assign, extract, field, key, parameter, run
from tests.support.p4runtime_client import PROGRAMS, Client, answer, kinds

Ask = Callable[..., Any]


@pytest.fixture
def port(switch: Switch) -> Iterator[int]:
    """A Thrift port of `switch`, which has no program yet."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    replication = Replication(switch)
    ports = Ports()
    loop, status = Loop(switch, ports), PortStatus(switch, {3: "veth3"})
    thread = threading.Thread(target=loop.run)
    thread.start()
    table = PortTable(loop, status)
    services = program_services(switch, replication)
    services["standard"].append(Management(switch, replication, table, port))
    thrift = Thrift(("127.0.0.1", port), switch, services)
    try:
        yield port
    finally:
        thrift.close()
        loop.stop()
        thread.join()
        loop.close()
        ports.close()
        status.close()


@pytest.fixture
def connection(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), timeout=600) as connected:
        yield connected


@pytest.fixture
def ask(switch: Switch, connection: socket.socket) -> Ask:
    """Calls a function. Returns its result, {1: {1: code}} for a declared exception, or {1: text, 2: kind} for any
    other."""
    switch.engine = switch.compile(load_program(PROGRAMS / "probe.json"))
    stream = connection.makefile("rb")

    def call(name: str, *arguments: wire.Value) -> Any:
        connection.sendall(wire.message(wire.CALL, name.encode(), 7, dict(enumerate(arguments, 1))))
        answer = wire.read_message(stream)
        assert (answer.name, answer.sequence) == (name.encode(), 7)
        assert answer.kind == (wire.EXCEPTION if 2 in answer.fields else wire.REPLY)
        return answer.fields.get(0) if 0 in answer.fields else answer.fields

    return call


CONTEXT = wire.i32(0)
FORM = {2: 7}
"""The kind of an exception about a call's form."""


def exact(value: bytes) -> wire.Value:
    return wire.record({1: wire.i32(0), 2: wire.record({1: wire.string(value)})})


def test_registers(ask: Ask, switch: Switch) -> None:
    name = wire.string("In.seen")
    assert ask("standard:bm_register_write", CONTEXT, name, wire.i32(3), wire.i64(77)) == {}
    assert ask("standard:bm_register_read", CONTEXT, name, wire.i32(3)) == 77
    assert switch.engine is not None
    assert switch.engine.registers["In.seen"][3] == 77
    assert ask("standard:bm_register_read_all", CONTEXT, name)[3] == 77
    assert ask("standard:bm_register_reset", CONTEXT, name) == {}
    assert ask("standard:bm_register_read", CONTEXT, name, wire.i32(3)) == 0
    assert ask("standard:bm_register_read", CONTEXT, name, wire.i32(9999)) == {1: {1: 2}}
    assert ask("standard:bm_register_read", CONTEXT, wire.string("In.nothing"), wire.i32(0)) == {1: {1: 1}}


def test_a_register_reads_the_largest_number_for_larger_ones(ask: Ask, switch: Switch) -> None:
    program = Bmv2Program()
    program.register("wide", 65, 3)
    switch.engine = program.engine()
    name, largest = wire.string("wide"), (1 << 63) - 1
    for index, value in enumerate((largest, largest + 1, 1 << 64)):
        switch.engine.registers["wide"][index] = value
        assert ask("standard:bm_register_read", CONTEXT, name, wire.i32(index)) == largest
    assert ask("standard:bm_register_read_all", CONTEXT, name) == [largest] * 3


def test_an_entry_forwards_packets_and_has_a_handle(ask: Ask, switch: Switch) -> None:
    assert switch.engine is not None
    table, key = wire.string("In.station"), b"\x00\x00\x00\x00\x00\x02"
    packet = key + bytes(8)
    match = wire.sequence(wire.STRUCT, [exact(key)])
    data = wire.sequence(wire.STRING, [wire.string(b"\x00\x03")])
    call = CONTEXT, table, match, wire.string("In.send_to"), data, wire.record({})
    assert ask("standard:bm_mt_add_entry", *call) == 0
    assert ask("standard:bm_mt_add_entry", *call) == {1: {1: 17}}
    assert list(switch.engine.process(Frames.of([(1, packet)]), 1)) == [(3, packet)]
    (entry,) = ask("standard:bm_mt_get_entries", CONTEXT, table)
    assert entry[1] == [{1: 0, 2: {1: key}}]
    assert entry[4] == {1: 1, 2: b"In.send_to", 3: [b"\x03"]}
    data = wire.sequence(wire.STRING, [wire.string(b"\x05")])
    assert ask("standard:bm_mt_modify_entry", CONTEXT, table, wire.i32(0), wire.string("In.send_to"), data) == {}
    assert list(switch.engine.process(Frames.of([(1, packet)]), 1)) == [(5, packet)]
    assert ask("standard:bm_mt_delete_entry", CONTEXT, table, wire.i32(0)) == {}
    assert ask("standard:bm_mt_delete_entry", CONTEXT, table, wire.i32(0)) == {1: {1: 2}}
    assert ask("standard:bm_mt_add_entry", *call) == 1 << 24, "a handle is not given again"
    assert ask("standard:bm_mt_delete_entry", CONTEXT, table, wire.i32(0)) == {1: {1: 3}}
    assert ask("standard:bm_mt_clear_entries", CONTEXT, table, wire.boolean(False)) == {}
    assert ask("standard:bm_mt_add_entry", *call) == 0


def test_functions_are_for_tables_of_their_kind(ask: Ask) -> None:
    direct, indirect, nothing = wire.string("In.station"), wire.string("In.indirect"), wire.record({})
    match, data = wire.sequence(wire.STRUCT, []), wire.sequence(wire.STRING, [])
    call, member = (wire.string("In.drop"), data), wire.i32(0)
    for table, prefix, action in ((indirect, "bm_mt_", call), (direct, "bm_mt_indirect_", (member,))):
        for name, arguments in (
            ("add_entry", (match, *action, nothing)),
            ("modify_entry", (member, *action)),
            ("delete_entry", (member,)),
            ("reset_default_entry", ()),
        ):
            assert ask(f"standard:{prefix}{name}", CONTEXT, table, *arguments) == {1: {1: WRONG_TABLE_TYPE}}, name
    assert ask("standard:bm_mt_set_default_action", CONTEXT, indirect, *call) == {1: {1: WRONG_TABLE_TYPE}}


def test_a_constant_default_can_be_reset(ask: Ask) -> None:
    assert ask("standard:bm_mt_reset_default_entry", CONTEXT, wire.string("In.fixed_default")) == {}
    assert ask("standard:bm_mt_clear_entries", CONTEXT, wire.string("In.fixed_default"), wire.boolean(True)) == {}


def test_an_entry_tells_how_long_no_packet_has_hit_it(ask: Ask, switch: Switch) -> None:
    table = wire.string("In.station")
    match = wire.sequence(wire.STRUCT, [exact(bytes(6))])
    data = wire.sequence(wire.STRING, [wire.string(b"\x00\x03")])
    before = switch.now()
    ask("standard:bm_mt_add_entry", CONTEXT, table, match, wire.string("In.send_to"), data, wire.record({}))
    ask("standard:bm_mt_set_entry_ttl", CONTEXT, table, wire.i32(0), wire.i32(60000))
    switch.begin -= 5_000_000_000
    for name, arguments in (("entries", ()), ("entry", (wire.i32(0),)), ("entry_from_key", (match, wire.record({})))):
        found = ask(f"standard:bm_mt_get_{name}", CONTEXT, table, *arguments)
        life = (found[0] if name == "entries" else found)[5]
        assert life[1] == 60000
        assert 5000 <= life[2] <= (switch.now() - before) // 1000, name


def test_bits_beyond_a_keys_width_do_not_count(ask: Ask, switch: Switch) -> None:
    program = Bmv2Program(h={"a": 6, "b": 13, "c": 9, "d": 4})
    keys = (key(field("h", "a"), "ternary"), key(field("h", "b"), "range"), key(field("h", "c")))
    program.action("nothing")
    program.table("t", ["nothing"], keys=keys, kind="range")
    switch.engine = program.engine()

    def part(kind: int, number: int, *values: bytes) -> wire.Value:
        return wire.record({1: wire.i32(kind), number: wire.record(dict(enumerate(map(wire.string, values), 1)))})

    match = [part(2, 4, b"\x45", b"\xff"), part(4, 6, b"\x20\x01", b"\xff\xff"), part(0, 2, b"\xff\xff")]
    call = wire.sequence(wire.STRUCT, match), wire.string("nothing"), wire.sequence(wire.STRING, []), wire.record({})
    assert ask("standard:bm_mt_add_entry", CONTEXT, wire.string("t"), *call) == 0
    wider = wire.sequence(wire.STRUCT, [*match[:2], part(0, 2, b"\0\1\xff")])
    assert ask("standard:bm_mt_add_entry", CONTEXT, wire.string("t"), wider, *call[1:]) == {1: {1: BAD_MATCH_KEY}}
    (entry,) = switch.engine.tables["t"]
    assert entry.match == (Ternary(5, 0x3F), Range(1, 0x1FFF), Exact(0x1FF))


def test_nodes_make_groups_and_sessions_follow_them(ask: Ask, switch: Switch) -> None:
    assert switch.engine is not None
    lags = wire.string("")
    assert ask("simple_pre_lag:bm_mc_mgrp_create", CONTEXT, wire.i32(5)) == 5
    assert ask("simple_pre_lag:bm_mc_node_create", CONTEXT, wire.i32(7), wire.string("110"), lags) == 0
    to = wire.record({2: wire.i32(5)})
    assert ask("simple_switch:mirroring_session_add", wire.i32(9), to) == {}
    assert ask("simple_pre_lag:bm_mc_node_associate", CONTEXT, wire.i32(5), wire.i32(0)) == {}
    assert switch.engine.multicast.groups == {5: [(1, 7), (2, 7)]}
    assert switch.engine.clone_sessions.sessions[9].replicas == ((1, 7), (2, 7))
    assert ask("simple_switch:mirroring_session_get", wire.i32(9)) == {2: 5}
    assert ask("simple_pre_lag:bm_mc_node_update", CONTEXT, wire.i32(0), wire.string("1000"), lags) == {}
    assert switch.engine.multicast.groups == {5: [(3, 7)]}
    assert ask("simple_pre_lag:bm_mc_node_associate", CONTEXT, wire.i32(6), wire.i32(0)) == {1: {1: 3}}
    assert ask("simple_pre_lag:bm_mc_node_associate", CONTEXT, wire.i32(5), wire.i32(0)) == {1: {1: 5}}
    assert ask("simple_pre_lag:bm_mc_mgrp_create", CONTEXT, wire.i32(5)) == 5
    assert switch.engine.multicast.groups == {5: [(3, 7)]}
    assert ask("simple_pre_lag:bm_mc_node_destroy", CONTEXT, wire.i32(0)) == {}
    assert switch.engine.multicast.groups == {5: []}


@pytest.mark.parametrize("end", ["simple_pre_lag:bm_mc_mgrp_destroy", "standard:bm_reset_state"])
def test_a_session_has_no_ports_without_its_group(end: str, ask: Ask, switch: Switch) -> None:
    assert switch.engine is not None
    group, node, session = wire.i32(5), wire.i32(0), wire.i32(9)
    assert ask("simple_pre_lag:bm_mc_mgrp_create", CONTEXT, group) == 5
    assert ask("simple_pre_lag:bm_mc_node_create", CONTEXT, wire.i32(7), wire.string("110"), wire.string("")) == 0
    assert ask("simple_pre_lag:bm_mc_node_associate", CONTEXT, group, node) == {}
    assert ask("simple_switch:mirroring_session_add", session, wire.record({2: group})) == {}
    assert ask("simple_pre_lag:bm_mc_mgrp_create", CONTEXT, group) == 5
    assert switch.engine.clone_sessions.replicas.tolist() == [[1, 7], [2, 7]], "a second creation changes nothing"
    assert ask(end, CONTEXT, group) == {}
    assert switch.engine.multicast.groups == {}
    assert switch.engine.clone_sessions.replicas.tolist() == []
    assert ask("simple_switch:mirroring_session_get", session) == {2: 5}


def test_multicast_is_refused_where_bmv2_refuses_it(ask: Ask) -> None:
    group, node, other = wire.i32(5), wire.i32(0), wire.i32(6)
    assert ask("simple_pre_lag:bm_mc_mgrp_destroy", CONTEXT, group) == {}
    for each in (group, other):
        ask("simple_pre_lag:bm_mc_mgrp_create", CONTEXT, each)
    assert ask("simple_pre_lag:bm_mc_node_create", CONTEXT, wire.i32(7), wire.string("110"), wire.string("")) == 0
    assert ask("simple_pre_lag:bm_mc_node_dissociate", CONTEXT, group, node) == {1: {1: 5}}
    assert ask("simple_pre_lag:bm_mc_node_associate", CONTEXT, group, node) == {}
    assert ask("simple_pre_lag:bm_mc_node_associate", CONTEXT, other, node) == {1: {1: 5}}, "it is in a group"
    assert ask("standard:bm_reset_state") == {}
    assert ask("simple_pre_lag:bm_mc_node_destroy", CONTEXT, node) == {1: {1: 4}}, "a reset removes nodes, too"


def test_value_sets(ask: Ask) -> None:
    name, value = wire.string("Read.special"), wire.string(b"\x12\x34")
    assert ask("standard:bm_parse_vset_add", CONTEXT, name, value) == {}
    # As simple_switch_CLI sends it.
    assert ask("standard:bm_parse_vset_add", CONTEXT, name, wire.string(b"\x00\x00\x05")) == {}
    assert sorted(ask("standard:bm_parse_vset_get", CONTEXT, name)) == [b"\x00\x05", b"\x12\x34"]
    assert ask("standard:bm_parse_vset_remove", CONTEXT, name, value) == {}
    assert ask("standard:bm_parse_vset_get", CONTEXT, name) == [b"\x00\x05"]
    assert ask("standard:bm_parse_vset_clear", CONTEXT, name) == {}
    assert ask("standard:bm_parse_vset_get", CONTEXT, name) == []


def test_entries_of_the_program_have_handles_from_the_start(ask: Ask) -> None:
    immutable = {1: {1: 25}}
    assert ask("standard:bm_mt_delete_entry", CONTEXT, wire.string("In.fixed_entries"), wire.i32(1)) == immutable
    assert ask("standard:bm_mt_delete_entry", CONTEXT, wire.string("In.fixed_entries"), wire.i32(2)) == {1: {1: 2}}


def test_queues_have_the_rate_they_are_given(ask: Ask, switch: Switch) -> None:
    assert ask("simple_switch:set_egress_queue_rate", wire.i32(3), wire.i64(10)) == 0
    assert switch.queues.queued.nonzero()[0].tolist() == [3]
    assert ask("simple_switch:set_egress_queue_depth", wire.i32(3), wire.i32(7)) == 0
    assert ask("simple_switch:set_egress_priority_queue_rate", wire.i32(3), wire.i32(99), wire.i64(10))[2] == 7


def test_a_meter_has_the_rates_it_is_given(ask: Ask) -> None:
    name = wire.string("In.police")

    def given(*rates: float) -> Any:
        pairs = wire.sequence(wire.STRUCT, [wire.record({1: wire.double(rate), 2: wire.i32(9)}) for rate in rates])
        return ask("standard:bm_meter_set_rates", CONTEXT, name, wire.i32(3), pairs)

    # Less than one packet a second.
    assert given(4.7e-7, 5e-7) == {}
    assert ask("standard:bm_meter_get_rates", CONTEXT, name, wire.i32(3)) == [{1: 4.7e-7, 2: 9}, {1: 5e-7, 2: 9}]
    for wrong in (-1.0, float("inf"), float("nan")):
        assert list(given(0.0, wrong)) == [1]


def test_a_missing_object_is_refused_by_name(ask: Ask) -> None:
    for name in ("standard:bm_serialize_state", "elsewhere:bm_register_read", "standard:__init__", "standard:_table"):
        text = ask(name)[1].decode()
        assert text.startswith(f"this switch has no {name};")
        assert ask(name)[2] == UNKNOWN_METHOD


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("standard:bm_learning_ack", 3),
        ("standard:bm_set_toeplitz_hash_key", 3),
        ("simple_pre_lag:bm_mc_set_lag_membership", 5),
        ("standard:bm_mt_newer_than_this", 100),
    ],
)
def test_a_function_that_is_missing_raises_the_exception_that_it_declares(name: str, code: int, ask: Ask) -> None:
    """BMv2's CLI ends with a traceback on any other."""
    refused = ask(name, CONTEXT)
    assert refused[1][1] == code
    assert refused[1][2].decode().startswith(f"this switch has no {name};")


def test_one_clock_counts_from_the_start_and_the_other_from_1970(ask: Ask, switch: Switch) -> None:
    switch.begin -= 3_600_000_000_000
    earliest, latest = time.time_ns() // 1000, switch.now()
    since_1970 = ask("simple_switch:get_time_since_epoch_us")
    elapsed = ask("simple_switch:get_time_elapsed_us")
    assert latest <= elapsed <= switch.now()
    assert earliest <= since_1970 <= time.time_ns() // 1000


def test_an_entry_may_have_no_keys(ask: Ask, switch: Switch) -> None:
    program = Bmv2Program(h={"id": 8})
    program.state("start", extract("h"))
    program.action("set", assign(field("h", "id"), parameter(0)), id=8)
    program.table("t", ["set"])
    switch.engine = program.engine()
    call = CONTEXT, wire.string("t"), wire.sequence(wire.STRUCT, []), wire.string("set")
    data, nothing = wire.sequence(wire.STRING, [wire.string(b"\7")]), wire.record({})
    assert ask("standard:bm_mt_add_entry", *call, data, nothing) == 0
    assert run(switch.engine, b"\0") == [(0, b"\7")]
    assert ask("standard:bm_mt_get_entry_from_key", *call[:3], nothing)[3] == 0
    assert ask("standard:bm_mt_delete_entry", CONTEXT, wire.string("t"), wire.i32(0)) == {}
    assert run(switch.engine, b"\0") == [(0, b"\0")]


def test_a_key_may_be_the_validity_of_a_header(ask: Ask, switch: Switch) -> None:
    program = Bmv2Program(h={"id": 8})
    program.state("start", extract("h"))
    program.action("set", assign(field("h", "id"), parameter(0)), id=8)
    program.table("t", ["set"], keys=({"match_type": "valid", "target": "h"},))
    switch.engine = program.engine()
    match = wire.sequence(wire.STRUCT, [wire.record({1: wire.i32(3), 5: wire.record({1: wire.boolean(True)})})])
    data = wire.sequence(wire.STRING, [wire.string(b"\7")])
    call = CONTEXT, wire.string("t"), match, wire.string("set"), data, wire.record({})
    assert ask("standard:bm_mt_add_entry", *call) == 0
    assert run(switch.engine, b"\0") == [(0, b"\7")]
    (entry,) = ask("standard:bm_mt_get_entries", CONTEXT, wire.string("t"))
    assert entry[1] == [{1: 3, 5: {1: True}}]


def test_indirect_tables_have_default_members_and_groups(ask: Ask, switch: Switch) -> None:
    assert switch.engine is not None
    indirect, selected = wire.string("In.indirect"), wire.string("In.selected")
    member, group = wire.i32(0), wire.i32(0)
    for name, arguments, code in (
        ("bm_mt_indirect_set_default_member", (indirect, member), INVALID_MBR_HANDLE),
        ("bm_mt_indirect_ws_set_default_group", (selected, group), INVALID_GRP_HANDLE),
        ("bm_mt_indirect_set_default_member", (wire.string("In.station"), member), WRONG_TABLE_TYPE),
    ):
        assert ask(f"standard:{name}", CONTEXT, *arguments) == {1: {1: code}}
    names = [switch.engine.tables[name].declaration.profile or "" for name in ("In.indirect", "In.selected")]
    profiles = [wire.string(name) for name in names]
    data = wire.sequence(wire.STRING, [wire.string(b"\3")])
    for profile in profiles:
        assert ask("standard:bm_mt_act_prof_add_member", CONTEXT, profile, wire.string("In.send_to"), data) == 0
    assert ask("standard:bm_mt_act_prof_create_group", CONTEXT, profiles[1]) == 0
    assert ask("standard:bm_mt_indirect_set_default_member", CONTEXT, indirect, member) == {}
    assert ask("standard:bm_mt_indirect_ws_set_default_group", CONTEXT, selected, group) == {}
    assert ask("standard:bm_mt_get_default_entry", CONTEXT, indirect) == {1: 2, 4: 0}
    assert ask("standard:bm_mt_get_default_entry", CONTEXT, selected) == {1: 3, 5: 0}
    assert ask("standard:bm_mt_act_prof_delete_member", CONTEXT, profiles[0], member) == {1: {1: MBR_STILL_USED}}
    assert ask("standard:bm_mt_indirect_reset_default_entry", CONTEXT, indirect) == {}
    assert ask("standard:bm_mt_act_prof_delete_member", CONTEXT, profiles[0], member) == {}
    assert ask("standard:bm_reset_state") == {}
    assert not switch.engine.action_profiles[names[1]].groups


def test_wrong_arguments_do_not_end_the_connection(ask: Ask) -> None:
    assert ask("standard:bm_register_read", CONTEXT)[2] == 7
    assert ask("standard:bm_register_read", CONTEXT, wire.i32(1), wire.i32(2))[2] == 7
    assert ask("standard:bm_mt_add_entry", *[CONTEXT] * 6)[2] == 7
    assert ask("standard:bm_mgmt_get_info")[1] == 0


def test_without_a_program_calls_are_refused(switch: Switch, connection: socket.socket) -> None:
    connection.sendall(wire.message(wire.CALL, b"standard:bm_reset_state", 1, {}))
    with connection.makefile("rb") as stream:
        assert wire.read_message(stream).fields == {1: b"the switch has no program yet", 2: 6}


VALUES = st.recursive(
    st.one_of(
        st.booleans().map(lambda value: (wire.boolean(value), value)),
        st.integers(-(1 << 31), (1 << 31) - 1).map(lambda value: (wire.i32(value), value)),
        st.integers(-(1 << 63), (1 << 63) - 1).map(lambda value: (wire.i64(value), value)),
        st.floats(allow_nan=False).map(lambda value: (wire.double(value), value)),
        st.binary(max_size=9).map(lambda value: (wire.string(value), value)),
    ),
    lambda inner: st.one_of(
        st.dictionaries(st.integers(1, 99), inner, max_size=3).map(
            lambda fields: (
                wire.record({number: value for number, (value, _) in fields.items()}),
                {number: plain for number, (_, plain) in fields.items()},
            )
        ),
        st.lists(st.integers(-9, 9)).map(
            lambda numbers: (wire.sequence(wire.I32, [wire.i32(number) for number in numbers]), numbers)
        ),
    ),
    max_leaves=9,
)


@given(st.dictionaries(st.integers(1, 20), VALUES, max_size=4), st.integers(0, 1 << 30))
def test_messages_are_read_as_they_were_written(fields: dict[int, tuple[wire.Value, Any]], number: int) -> None:
    written = wire.message(wire.CALL, b"name", number, {at: value for at, (value, _) in fields.items()})
    plain = {at: plain for at, (_, plain) in fields.items()}
    assert wire.read_message(BytesIO(written)) == wire.Message(wire.CALL, b"name", number, plain)
    for end in range(len(written)):
        with pytest.raises(wire.Malformed):
            wire.read_message(BytesIO(written[:end]))


def call(arguments: bytes) -> bytes:
    return struct.pack(">Ii1si", 0x80010001, 1, b"x", 7) + arguments + b"\0"


@pytest.mark.parametrize(
    "content",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x80\x01\x00\x01\x7f\xff\xff\xff",
        call(b"\x0c\x00\x01" * 100),
        call(b"\x7f\x00\x01"),
        call(b"\x0f\x00\x01" + b"\x0c\x01\x00\x00\x00" + bytes(MAX_VALUES)),
    ],
    ids=["other protocol", "too long", "too deep", "unknown type", "too many values"],
)
def test_an_invalid_message_ends_the_connection(connection: socket.socket, content: bytes) -> None:
    connection.sendall(content)
    # A reset, if unread bytes were left.
    with suppress(ConnectionResetError):
        assert connection.recv(1) == b""


def test_a_call_that_would_fill_the_memory_ends_the_connection(connection: socket.socket) -> None:
    connection.sendall(wire.message(wire.CALL, b"standard:bm_mgmt_get_info", 1, {})[:-1])
    long = wire.string(bytes(wire.MAX_LENGTH)).content
    with suppress(OSError):
        for number in range(3):
            connection.sendall(struct.pack(">bh", wire.STRING, number) + long)
        connection.sendall(b"\0")
        assert connection.recv(1) == b""


def test_connections_beyond_the_limit_are_closed(switch: Switch, monkeypatch: pytest.MonkeyPatch) -> None:
    switch.engine = switch.compile(load_program(PROGRAMS / "probe.json"))
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
    replication = Replication(switch)
    with socket.create_server(("127.0.0.1", 0)) as free:
        other = int(free.getsockname()[1])
    limited = Thrift(("127.0.0.1", other), switch, {"simple_switch": [SimpleSwitch(replication, switch)]})
    call = wire.message(wire.CALL, b"simple_switch:get_time_elapsed_us", 1, {})

    def answers(connected: socket.socket) -> bool:
        with suppress(OSError):
            connected.sendall(call)
            return bool(connected.recv(1))
        return False

    try:
        connected = [socket.create_connection(("127.0.0.1", other), timeout=600) for _ in range(3)]
        assert [answers(each) for each in connected] == [True, True, False]
        connected[0].close()
        deadline = time.monotonic() + 30
        while True:
            with socket.create_connection(("127.0.0.1", other), timeout=600) as again:
                if answers(again):
                    break
            assert time.monotonic() < deadline
            time.sleep(0.01)
        for each in connected:
            each.close()
    finally:
        limited.close()


def test_a_port_in_use_is_refused_by_name(switch: Switch) -> None:
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"--thrift-port {port} of 127.0.0.1: Address already in use"):
            Thrift(("127.0.0.1", port), switch, {})


@pytest.mark.parametrize(
    ("to", "answer"),
    [
        (
            wire.string("calc"),
            {1: b"simple_switch:mirroring_session_add cannot be called like this: 1 is b'calc'", 2: 7},
        ),
        (wire.i64(1 << 40), {1: {1: SESSION_NOT_FOUND, 2: ANY}}),
    ],
    ids=["text", "wide"],
)
def test_a_session_to_no_port_is_refused_and_leaves_nothing(to: wire.Value, answer: dict[int, Any], ask: Ask) -> None:
    assert ask("simple_switch:mirroring_session_add", wire.i32(1), wire.record({1: to})) == answer
    assert ask("simple_switch:mirroring_session_get", wire.i32(1)) == {1: {1: 1}}
    assert ask("simple_switch:mirroring_session_add", wire.i32(2), wire.record({1: wire.i32(3)})) == {}
    assert ask("simple_switch:mirroring_session_get", wire.i32(2)) == {1: 3}


def test_a_node_with_a_wide_instance_is_refused_and_leaves_nothing(ask: Ask) -> None:
    wide, narrow, ports = wire.i64(1 << 40), wire.i32(7), wire.string("110")
    assert ask("simple_pre_lag:bm_mc_node_create", CONTEXT, wide, ports, wire.string(""))[1][1] == ERROR
    assert ask("simple_pre_lag:bm_mc_node_create", CONTEXT, narrow, ports, wire.string("")) == 0


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ((wire.string("2"),), b"argument 3 is b'2'"),
        ((wire.record({}),), b"argument 3 is {}"),
        ((wire.double(1.5),), b"argument 3 is 1.5"),
        ((), b"argument 3 is missing"),
    ],
    ids=["text", "struct", "real", "none"],
)
def test_an_argument_of_another_type_is_refused_by_its_number(
    value: tuple[wire.Value, ...], reason: bytes, ask: Ask
) -> None:
    result = ask("standard:bm_mt_get_entry", CONTEXT, wire.string("In.station"), *value)
    assert result == {1: b"standard:bm_mt_get_entry cannot be called like this: " + reason, 2: 7}


def test_a_field_that_a_struct_lacks_is_named(ask: Ask) -> None:
    match = wire.sequence(wire.STRUCT, [wire.record({1: wire.i32(0), 2: wire.record({})})])
    result = ask("standard:bm_mt_get_entry_from_key", CONTEXT, wire.string("In.station"), match, wire.record({}))
    assert result == {1: b"standard:bm_mt_get_entry_from_key cannot be called like this: 'an object' has no 1", 2: 7}


def test_a_bug_is_not_taken_for_a_wrong_call(switch: Switch, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise AttributeError("a bug")

    monkeypatch.setattr(Management, "bm_mgmt_get_info", broken)
    services = {"standard": [Management.__new__(Management)]}
    with pytest.raises(AttributeError, match="a bug"):
        carry_out(switch, services, wire.Message(wire.CALL, b"standard:bm_mgmt_get_info", 1, {}))


def test_a_node_with_lags_is_refused(ask: Ask) -> None:
    assert ask("simple_pre_lag:bm_mc_node_create", CONTEXT, wire.i32(1), wire.string("110"), wire.string("0")) == 0
    answer = ask("simple_pre_lag:bm_mc_node_create", CONTEXT, wire.i32(1), wire.string("110"), wire.string("10"))
    assert b"this switch has no LAGs" in answer[1][2]
    answer = ask("simple_pre_lag:bm_mc_node_update", CONTEXT, wire.i32(0), wire.string("110"), wire.string("1"))
    assert b"this switch has no LAGs" in answer[1][2]


def test_arguments_are_known_by_their_numbers(ask: Ask, switch: Switch, connection: socket.socket) -> None:
    """They may come in any order, with further ones that a later definition of the call has added."""
    arguments = {4: wire.i64(77), 3: wire.i32(3), 9: wire.i32(1), 2: wire.string("In.seen"), 1: CONTEXT}
    connection.sendall(wire.message(wire.CALL, b"standard:bm_register_write", 7, arguments))
    with connection.makefile("rb") as stream:
        assert wire.read_message(stream).kind == wire.REPLY
        assert switch.engine is not None
        assert switch.engine.registers["In.seen"][3] == 77
        del arguments[2]
        connection.sendall(wire.message(wire.CALL, b"standard:bm_register_write", 8, arguments))
        assert wire.read_message(stream).kind == wire.EXCEPTION


def test_a_call_goes_to_the_program_that_replaced_the_one_it_waited_for(switch: Switch) -> None:
    """Under the lock of the old program only, the call would write to the new one while that processes packets."""
    program = load_program(PROGRAMS / "kinds.json")
    old, new = switch.compile(program), switch.compile(program)
    switch.engine = old
    waiting = threading.Event()
    old.lock.on_wait = waiting.set
    others_wait: list[bool] = []

    class Look:
        prefixes = ("look",)
        needs_engine = True

        def look(self) -> None:
            tried = threading.Event()
            new.lock.on_wait = tried.set

            def take() -> None:
                with new.lock:
                    others_wait.append(tried.is_set())
                    tried.set()

            threading.Thread(target=take).start()
            assert tried.wait(600)
            others_wait.append(not others_wait)

    with old.lock:
        call = threading.Thread(
            target=carry_out, args=(switch, {"own": [Look()]}, wire.Message(wire.CALL, b"own:look", 1, {}))
        )
        call.start()
        assert waiting.wait(600)
        switch.replace(new)
    call.join()
    assert others_wait[0]


def test_a_program_is_filled_before_it_takes_over(ask: Ask, switch: Switch) -> None:
    old, name = switch.engine, wire.string("In.seen")
    assert old is not None
    assert ask("standard:bm_swap_configs") == {1: {1: 3}}
    assert ask("standard:bm_register_write", CONTEXT, name, wire.i32(3), wire.i64(77)) == {}
    assert ask("simple_pre_lag:bm_mc_mgrp_create", CONTEXT, wire.i32(5)) == 5
    lags = wire.string("")
    assert ask("simple_pre_lag:bm_mc_node_create", CONTEXT, wire.i32(7), wire.string("110"), lags) == 0
    assert ask("simple_pre_lag:bm_mc_node_associate", CONTEXT, wire.i32(5), wire.i32(0)) == {}
    program = (PROGRAMS / "probe.json").read_text()
    assert ask("standard:bm_load_new_config", wire.string(program)) == {}
    assert ask("standard:bm_load_new_config", wire.string(program)) == {1: {1: 2}}
    assert ask("standard:bm_register_read", CONTEXT, name, wire.i32(3)) == 0
    assert ask("standard:bm_register_write", CONTEXT, name, wire.i32(4), wire.i64(78)) == {}
    assert switch.engine is old
    assert ask("standard:bm_swap_configs") == {}
    assert switch.engine is not old
    assert switch.engine is not None
    assert switch.engine.registers["In.seen"].snapshot()[3:5] == [0, 78]
    assert switch.engine.multicast.groups == {5: [(1, 7), (2, 7)]}
    assert ask("simple_pre_lag:bm_mc_node_update", CONTEXT, wire.i32(0), wire.string("1000"), lags) == {}
    assert switch.engine.multicast.groups == {5: [(3, 7)]}


def test_a_program_that_cannot_be_loaded_is_refused_and_the_old_one_stays(ask: Ask, switch: Switch) -> None:
    old = switch.engine
    text = '{"__meta__": {"version": [1, 0]}}'
    assert b"version 1 of the BMv2 JSON" in ask("standard:bm_load_new_config", wire.string(text))[1][2]
    assert ask("standard:bm_swap_configs") == {1: {1: 3}}
    assert switch.engine is old


def test_a_switch_without_a_program_is_given_one(ask: Ask, switch: Switch) -> None:
    switch.engine = None
    assert ask("standard:bm_mgmt_get_info")[1] == 0
    assert ask("standard:bm_load_new_config", wire.string((PROGRAMS / "kinds.json").read_text())) == {}
    assert ask("simple_pre_lag:bm_mc_mgrp_create", CONTEXT, wire.i32(5)) == 5
    assert ask("standard:bm_swap_configs") == {}
    assert switch.engine is not None
    assert switch.engine.multicast.groups == {5: []}


def test_p4runtime_cannot_address_a_program_that_was_swapped_in(
    client: Client, connection: socket.socket, switch: Switch
) -> None:
    client.push(kinds())
    switch.staged = switch.compile(load_program(PROGRAMS / "probe.json"))
    connection.sendall(wire.message(wire.CALL, b"standard:bm_swap_configs", 1, {}))
    with connection.makefile("rb") as answers:
        assert wire.read_message(answers).kind == wire.REPLY
    assert answer(client.pipeline)[0] == grpc.StatusCode.FAILED_PRECONDITION
    client.push(kinds())
    assert client.pipeline().cookie.cookie == 77


def test_ports_come_and_go(ask: Ask, switch: Switch) -> None:
    if os.geteuid() != 0:
        pytest.skip("packet sockets need root")
    nothing = wire.string("")
    assert ask("standard:bm_dev_mgr_add_port", wire.string("lo"), wire.i32(4), nothing) == {}
    shown = ask("standard:bm_dev_mgr_show_ports")
    assert [(each[1], each[2], each[3]) for each in shown] == [(3, b"veth3", True), (4, b"lo", True)]
    assert ask("standard:bm_dev_mgr_add_port", wire.string("lo"), wire.i32(4), nothing) == {1: {1: 1}}
    assert ask("standard:bm_dev_mgr_add_port", wire.string("lo"), wire.i32(65536), nothing) == {1: {1: 1}}
    assert ask("standard:bm_dev_mgr_add_port", wire.string("none7"), wire.i32(5), nothing) == {1: {1: 1}}
    capture = ask("standard:bm_dev_mgr_add_port", wire.string("lo"), wire.i32(5), wire.string("lo.pcap"))
    assert b"start the switch with --pcap" in capture[1][2]
    assert ask("standard:bm_dev_mgr_remove_port", wire.i32(4)) == {}
    assert ask("standard:bm_dev_mgr_remove_port", wire.i32(4)) == {1: {1: 1}}
    assert switch.ports_down == {4}
    assert ask("standard:bm_dev_mgr_add_port", wire.string("lo"), wire.i32(1), nothing) == {}
    assert [each[1] for each in ask("standard:bm_dev_mgr_show_ports")] == [1, 3], "by number"


def test_custom_crcs_are_set_by_name(ask: Ask, switch: Switch) -> None:
    program = Bmv2Program(None, h={"x": 8})
    name = wire.string(program.calculation("crc32_custom", field("h", "x"))["value"])
    other = wire.string(program.calculation("crc32", field("h", "x"))["value"])
    switch.engine = program.engine()
    parameters = {
        1: wire.i32(0x04C11DB7),
        2: wire.i32(-1),
        3: wire.i32(0),
        4: wire.boolean(True),
        5: wire.boolean(True),
    }
    call = CONTEXT, name, wire.record(parameters)
    assert ask("standard:bm_set_crc32_custom_parameters", *call) == {}
    (crc,) = switch.engine.crcs.values()
    assert crc.cells[:2].tolist() == [(1 << 32) - 1, 0]
    assert ask("standard:bm_set_crc16_custom_parameters", *call) == {1: {1: 2}}
    assert ask("standard:bm_set_crc32_custom_parameters", CONTEXT, other, call[2]) == {1: {1: 2}}
    assert ask("standard:bm_set_crc32_custom_parameters", CONTEXT, wire.string("none"), call[2]) == {1: {1: 1}}
