"""A sequence of requests to a switch with programs/probe.p4: everything a P4Runtime client may ask, valid or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import grpc
from google.protobuf import text_format

from dropzero.p4.v1 import p4runtime_pb2
from lab.conformance.harness.p4runtime import Stream, errors
from lab.conformance.harness.switches import exchanged
from lab.conformance.probe.client import DELETE, INSERT, MODIFY, Client, Get, Set, config, update

PORT, CPU_PORT = 1, 255
# No result depends on the packets' lengths and contents.
PAYLOAD = bytes(46)

PARAMETER = 'params { param_id: 1 value: "%s" }'
RULE = "table_entry { table_id: $In.rule %s action { action { action_id: $NoAction } } }"
PREFIX = (
    'table_entry { table_id: $In.prefix match { field_id: 1 lpm { value: "%s" prefix_len: %d } } '
    "action { action { action_id: $NoAction } } }"
)
COUNTED = 'table_entry { table_id: $In.station match { field_id: 1 exact { value: "%s" } } } '
DIRECT_COUNTER = "direct_counter_entry { %s }"
DEFAULT = "table_entry { table_id: %s is_default_action: true %s }"
DROP = "action { action { action_id: $In.drop } }"
COUNTER = "counter_entry { counter_id: $In.received %s }"
REGISTER = "register_entry { register_id: $In.seen %s }"
METER = "meter_entry { meter_id: $In.police %s }"
RATES = "config { cir: 10 cburst: 20 pir: 30 pburst: 40 }"
MEASURED = (
    'table_entry { table_id: $In.measured match { field_id: 1 exact { value: "\\x01" } } '
    "action { action { action_id: $NoAction } } %s }"
)
DIRECT_METER = (
    'direct_meter_entry { table_entry { table_id: $In.measured match { field_id: 1 exact { value: "%s" } } } %s }'
)
DIRECT_METERS = "direct_meter_entry { table_entry { %s } }"
GROUP = "packet_replication_engine_entry { multicast_group_entry { multicast_group_id: %d %s } }"
CLONE = "packet_replication_engine_entry { clone_session_entry { session_id: %d %s } }"
REPLICA = "replicas { egress_port: 2 instance: 1 }"
DIGEST = "digest_entry { digest_id: $sighting_t %s }"
DIGEST_CONFIG = "config { max_list_size: 1 ack_timeout_ns: 60000000000 }"
MEMBER = "action_profile_member { action_profile_id: %s member_id: %d %s }"
SEND = 'action { action_id: $In.send_to params { param_id: 1 value: "\\x03" } }'
MEMBERS = "action_profile_group { action_profile_id: $In.balanced group_id: %d max_size: %d %s }"
SELECTED = 'table_entry { table_id: $In.selected match { field_id: 1 exact { value: "%s" } } action { %s } }'
INDIRECT = 'table_entry { table_id: $In.indirect match { field_id: 1 exact { value: "%s" } } action { %s } }'
ONE_SHOT = "action_profile_action_set { %s }"
SHOT = "action_profile_actions { " + SEND + " weight: %d }"
BOTH = "members { member_id: 1 weight: 2 } members { member_id: 2 weight: 1 }"
VALUES = "value_set_entry { value_set_id: $Read.special %s }"


def station_entry(key: str, more: str = "", action: str = "$In.send_to", parameters: str = PARAMETER % "\\x02") -> str:
    """An entry of the table In.station."""
    match = f'match {{ field_id: 1 exact {{ value: "{key}" }} }}'
    call = f"action {{ action {{ action_id: {action} {parameters} }} }}"
    return f"table_entry {{ table_id: $In.station {match} {more} {call} }}"


class Probe:
    """Sends requests, and records the answers: one line for each named question."""

    def __init__(self, address: str, dataplane: grpc.Channel) -> None:
        self.answers: dict[str, str] = {}
        self._address = address
        self._client = Client(address)
        self._packets = dataplane
        self._ids = 0

    def close(self) -> None:
        self._client.close()

    def run(self) -> dict[str, str]:
        self._arbitration()
        self._pipeline()
        self._tables()
        self._cells()
        self._replication()
        self._profiles()
        self._packet_io()
        self._ending()
        return self.answers

    # --- requests ---

    def _ask(self, name: str, call: Callable[[], Any]) -> None:
        assert name not in self.answers, name
        try:
            self.answers[name] = _described(call())
        except grpc.RpcError as failure:
            self.answers[name] = _refused(failure)

    def _write(self, name: str, kind: int, text: str) -> None:
        self._ask(name, lambda: self._client.write(update(kind, text)))

    def _read(self, name: str, text: str) -> None:
        self._ask(name, lambda: sorted(map(_text, self._client.read(text))))

    def _send(self, name: str, port: int, packets: Iterable[bytes]) -> None:
        """Sends packets into a port, and records those that leave before BMv2 ends the stream."""
        # One by one, because BMv2's egress queues of different ports race.
        answers = exchanged(self._packets, [(port, packet) for packet in packets])
        self._ask(name, lambda: sorted(f"{each.id}: {each.port} {each.packet.hex()}" for each in answers))

    def _bid(self, election_id: int, device_id: int = 0, role: str = "") -> Stream:
        stream = self._client.stream()
        stream.bid(election_id, device_id, role)
        return stream

    # --- the sequence ---

    def _arbitration(self) -> None:
        self._ask("capabilities", lambda: self._client.stub.Capabilities(p4runtime_pb2.CapabilitiesRequest()))
        self._read("read without a pipeline", "table_entry {}")
        self._ask("get without a pipeline", self._client.pipeline)
        self._client.election_id = 1
        self._write("write without a pipeline, not primary", INSERT, COUNTER % "")
        first = self._bid(1)
        self._ask("first stream", first.standing)
        self._ask("same election id", self._bid(1).standing)
        second = self._bid(0)
        self._ask("lower election id", second.standing)
        third = self._bid(5)
        self._ask("higher election id", third.standing)
        self._ask("the first hears", first.standing)
        self._ask("the second hears", second.standing)
        self._write("write by the old primary", INSERT, COUNTER % "")
        third.close()
        self._ask("the first takes over", first.standing)
        self._ask("the second hears again", second.standing)
        second.close()
        self._ask("same election id in another role", self._bid(1, role="other").standing)
        self._ask("another device", self._bid(3, device_id=99).standing)
        other = self._bid(2, device_id=98)
        self._ask("a stream of another device", other.standing)
        other.bid(2, device_id=0)
        self._ask("a stream changes its device", other.standing)
        self._stream = first

    def _pipeline(self) -> None:
        good, garbage = config("probe"), config("probe")
        garbage.p4_device_config = b"garbage"
        self._ask("set, no action", lambda: self._client.push(good, Set.UNSPECIFIED))
        self._ask("verify garbage", lambda: self._client.push(garbage, Set.VERIFY))
        self._ask("verify and commit", lambda: self._client.push(good))
        for name, number in Get.ResponseType.items():
            self._ask(f"get {name}", lambda number=number: _shape(self._client.pipeline(number)))  # type: ignore[misc]
        self._ask("get, unknown response type", lambda: self._client.pipeline(9))

    def _tables(self) -> None:
        for name, text in {
            "insert": station_entry("\\x01"),
            "insert again": station_entry("\\x01"),
            "insert again, padded": station_entry("\\x00\\x00\\x00\\x00\\x00\\x01"),
            "insert, value too wide": station_entry("\\x01\\x00\\x00\\x00\\x00\\x00\\x00"),
            "insert, parameter too wide": station_entry("\\x02", parameters=PARAMETER % "\\x02\\x00"),
            "insert, empty value": station_entry(""),
            "insert, no match": "table_entry { table_id: $In.station action { action { action_id: $In.drop } } }",
            "insert, priority": station_entry("\\x02", more="priority: 1"),
            "insert, no parameter": station_entry("\\x02", parameters=""),
            "insert, unknown parameter": station_entry("\\x02", parameters='params { param_id: 9 value: "\\x02" }'),
            "insert, unknown action": station_entry("\\x02", action="77"),
            "insert, another table's action": station_entry("\\x02", action="$In.measured_drop", parameters=""),
            "insert, default only action": station_entry("\\x02", action="$In.drop", parameters=""),
            "insert, unknown table": station_entry("\\x02").replace("$In.station", "77"),
            "insert, no action": 'table_entry { table_id: $In.station match { field_id: 1 exact { value: "\\x02" } } }',
            "insert, unknown field": station_entry("\\x02").replace("field_id: 1", "field_id: 9"),
            "insert, other kind of match": station_entry("\\x02").replace("exact", "optional"),
            "insert, member for a direct table": station_entry("\\x02", parameters="").replace(
                "action { action_id: $In.send_to  }", "action_profile_member_id: 1"
            ),
            "insert, meter where there is none": station_entry("\\x02", more="meter_config { cir: 1 }"),
            "insert, negative idle timeout": station_entry("\\x02", more="idle_timeout_ns: -1"),
            "insert, idle timeout": station_entry("\\x31", more="idle_timeout_ns: 3600000000000"),
            "insert, noted": station_entry("\\x32", more='controller_metadata: 9 metadata: "mine"'),
            "insert, counted": station_entry("\\x33", more="counter_data { packet_count: 5 byte_count: 50 }"),
            "insert default": DEFAULT % ("$In.station", DROP),
            "insert into const entries": 'table_entry { table_id: $In.fixed_entries match '
            '{ field_id: 1 exact { value: "\\x01" } } ' + DROP + " }",
            "rule, no priority": RULE % "",
            "rule, everything": RULE % "priority: 10",
            "rule, ternary": RULE % 'match { field_id: 1 ternary { value: "\\x10" mask: "\\xf0" } } priority: 3',
            "rule, range": RULE % 'match { field_id: 2 range { low: "\\x01" high: "\\x05\\x00" } } priority: 3',
            "rule, optional": RULE % 'match { field_id: 3 optional { value: "\\x01\\x02" } } priority: 3',
            "rule, mask 0": RULE % 'match { field_id: 1 ternary { value: "\\x00" mask: "\\x00" } } priority: 3',
            "rule, bits outside the mask": RULE
            % 'match { field_id: 1 ternary { value: "\\xff" mask: "\\xf0" } } priority: 3',
            "rule, whole range": RULE
            % 'match { field_id: 2 range { low: "\\x00\\x00" high: "\\xff\\xff" } } priority: 3',
            "rule, range upside down": RULE % 'match { field_id: 2 range { low: "\\x02" high: "\\x01" } } priority: 3',
            "rule, negative priority": RULE % "priority: -1",
            "prefix": PREFIX % ("\\x0a\\x00\\x00\\x00\\x00\\x00", 8),
            "prefix of length 0": PREFIX % ("\\x00", 0),
            "prefix too long": PREFIX % ("\\x00", 49),
            "prefix, negative length": PREFIX % ("\\x00", -1),
            "prefix with host bits": PREFIX % ("\\x01", 8),
            "insert, idle timeout in a table without": PREFIX.replace("action {", "idle_timeout_ns: 5 action {", 1)
            % ("\\x0b\\x00\\x00\\x00\\x00\\x00", 8),
        }.items():  # fmt: skip
            self._write(name, INSERT, text)
        self._write("update type not set", 0, station_entry("\\x05"))
        self._write("unknown update type", 9, station_entry("\\x05"))
        self._write("modify", MODIFY, station_entry("\\x01", parameters=PARAMETER % "\\x04"))
        self._write("modify what is not there", MODIFY, station_entry("\\x05"))
        self._write("delete what is not there", DELETE, station_entry("\\x05"))
        self._write("delete const entry", DELETE, 'table_entry { table_id: $In.fixed_entries match '
                    '{ field_id: 1 exact { value: "\\x77\\x77" } } }')  # fmt: skip
        self._write("modify default", MODIFY, DEFAULT % ("$In.prefix", "action { action { action_id: $NoAction } }"))
        self._write("modify default, table only", MODIFY, DEFAULT % ("$In.prefix", DROP))
        self._write("reset default", MODIFY, DEFAULT % ("$In.prefix", ""))
        self._write("delete default", DELETE, DEFAULT % ("$In.prefix", ""))
        self._write("modify const default", MODIFY, DEFAULT % ("$In.fixed_default", DROP))
        self._write("default with a match", MODIFY, DEFAULT
                    % ("$In.prefix", 'match { field_id: 1 lpm { value: "\\x00" } } ' + DROP))  # fmt: skip
        self._write("default with a priority", MODIFY, DEFAULT % ("$In.prefix", "priority: 1 " + DROP))
        self._ask("batch: good, duplicate, good", lambda: self._client.write(
            *(update(INSERT, station_entry(key)) for key in ("\\x21", "\\x01", "\\x22"))))  # fmt: skip
        self._ask("rollback on error", lambda: self._client.write(
            update(INSERT, station_entry("\\x23")), update(INSERT, station_entry("\\x01")), atomicity=1))  # fmt: skip
        self._ask("empty update", lambda: self._client.write(p4runtime_pb2.Update(type=INSERT)))
        self._ask("empty write", self._client.write)
        self._read("read nothing", "")
        self._read("read all entries", "table_entry {}")
        self._read("read one entry", station_entry("\\x01"))
        self._read("read an entry that is not there", station_entry("\\x05"))
        self._read("read a table, unknown id", "table_entry { table_id: 77 }")
        self._read("read a default", DEFAULT % ("$In.station", ""))
        self._read("read a default with its counts", DEFAULT % ("$In.station", "counter_data {}"))
        self._read("read with counts", station_entry("\\x33", more="counter_data {}"))
        since = "time_since_last_hit { %s }"
        self._read("read with time since last hit, no timeouts", f"table_entry {{ table_id: $In.prefix {since % ''} }}")
        self._read("read a default with time since last hit", DEFAULT % ("$In.station", since % ""))
        self._read("read by priority", "table_entry { table_id: $In.rule priority: 3 }")
        self._write("write with time since last hit", INSERT, station_entry("\\x05", more=since % "elapsed_ns: 1"))

    def _cells(self) -> None:
        data = "data { packet_count: 3 byte_count: 200 }"
        for name, text in {
            "counter, one cell": COUNTER % "index { index: 7 }",
            "counter, no such cell": COUNTER % "index { index: 16 }",
            "counter, negative cell": COUNTER % "index { index: -1 }",
            "counter, unknown": "counter_entry { counter_id: 77 }",
            "direct counters, no table entry": "direct_counter_entry {}",
            "direct counters of a table": "direct_counter_entry { table_entry { table_id: $In.station } }",
            "direct counters of a table without": "direct_counter_entry { table_entry { table_id: $In.prefix } }",
            "direct counter of a default": DIRECT_COUNTER % (DEFAULT % ("$In.station", "")),
            "register, one cell": REGISTER % "index { index: 5 }",
            "meter, one cell": METER % "index { index: 3 }",
            "meter, no such cell": METER % "index { index: 8 }",
            "meter, unknown": "meter_entry { meter_id: 77 }",
            "meter, that is a direct one": "meter_entry { meter_id: $In.rate }",
            "value set": VALUES % "",
        }.items():
            self._read("read " + name, text)
        for name, text in {
            "counter, all cells": COUNTER % "",
            "all counters": "counter_entry {}",
            "direct counters of all tables": "direct_counter_entry { table_entry {} }",
            "register, all cells": REGISTER % "",
            "meter, all cells": METER % "",
            "all meters": "meter_entry {}",
        }.items():
            self._ask("count " + name, lambda text=text: len(self._client.read(text)))  # type: ignore[misc]
        for name, kind, text in (
            ("counter, all cells", MODIFY, COUNTER % "data {}"),
            ("counter, modify", MODIFY, COUNTER % ("index { index: 7 } " + data)),
            ("counter, delete", DELETE, COUNTER % "index { index: 8 }"),
            ("counter, insert", INSERT, COUNTER % "index { index: 8 }"),
            ("counter, no such cell", MODIFY, COUNTER % ("index { index: 16 } " + data)),
            ("direct counter", MODIFY, DIRECT_COUNTER % (COUNTED % "\\x01" + data)),
            ("direct counter of no entry", MODIFY, DIRECT_COUNTER % (COUNTED % "\\x09" + data)),
            ("register", MODIFY, REGISTER % 'index { index: 5 } data { bitstring: "\\x11" }'),
            ("meter", MODIFY, METER % ("index { index: 3 } " + RATES)),
            ("meter, insert", INSERT, METER % ("index { index: 3 } " + RATES)),
            ("meter, delete", DELETE, METER % ("index { index: 3 } " + RATES)),
            ("meter, all cells", MODIFY, METER % RATES),
            ("meter, no such cell", MODIFY, METER % ("index { index: 8 } " + RATES)),
            ("meter, negative rate", MODIFY, METER % "index { index: 2 } config { cir: -5 }"),
            ("meter, negative burst", MODIFY, METER % "index { index: 2 } config { cburst: -5 }"),
            ("meter, long burst", MODIFY, METER % "index { index: 2 } config { cburst: 4294967296 }"),
            ("meter, committed above peak", MODIFY, METER % "index { index: 2 } config { cir: 5 pir: 1 }"),
            ("entry with a meter", INSERT, MEASURED % ("meter_" + RATES)),
            ("direct meter", MODIFY, DIRECT_METER % ("\\x01", RATES.replace("40", "50"))),
            ("direct meter of no entry", MODIFY, DIRECT_METER % ("\\x09", RATES)),
            ("direct meter, insert", INSERT, DIRECT_METER % ("\\x01", RATES)),
            ("direct meter of a table without", MODIFY, DIRECT_METER.replace("measured", "station") % ("\\x01", RATES)),
            ("value set", MODIFY, VALUES % 'members { match { field_id: 1 exact { value: "\\x12\\x34" } } }'),
        ):  # fmt: skip
            self._write("write " + name, kind, text)
        self._read("read counter that was written", COUNTER % "index { index: 7 }")
        self._read("read meter that was written", METER % "index { index: 3 }")
        self._read("read direct meter", DIRECT_METER % ("\\x01", ""))
        self._read("read direct meters of a table", DIRECT_METERS % "table_id: $In.measured")
        self._read("read direct meters of all tables", DIRECT_METERS % "")
        self._read("read direct meters of a table without", DIRECT_METERS % "table_id: $In.station")
        self._read("read entry with its meter", "table_entry { table_id: $In.measured meter_config {} }")
        self._write("reset meter", MODIFY, METER % "index { index: 3 }")
        self._read("read meter that was reset", METER % "index { index: 3 }")

    def _replication(self) -> None:
        for name, kind, text in (
            ("group", INSERT, GROUP % (1, "replicas { egress_port: 4 instance: 1 } replicas { egress_port: 1 }")),
            ("group again", INSERT, GROUP % (1, "")),
            ("group 0", INSERT, GROUP % (0, "")),
            ("group 40000", INSERT, GROUP % (40000, "")),
            ("group, replica twice", INSERT, GROUP % (2, REPLICA + REPLICA)),
            ("group, replica without a port", INSERT, GROUP % (2, "replicas { instance: 1 }")),
            ("group, port as bytes", INSERT, GROUP % (3, 'replicas { port: "\\x00\\x02" instance: 1 }')),
            ("group, empty port", INSERT, GROUP % (4, 'replicas { port: "" instance: 1 }')),
            ("group, modify", MODIFY, GROUP % (1, "replicas { egress_port: 1 } replicas { egress_port: 4 }")),
            ("group, modify none", MODIFY, GROUP % (9, "")),
            ("group, delete none", DELETE, GROUP % (9, "")),
            ("clone", INSERT, CLONE % (5, REPLICA)),
            ("clone again", INSERT, CLONE % (5, REPLICA)),
            ("clone, truncated", INSERT, CLONE % (6, REPLICA + " packet_length_bytes: 20")),
            ("clone, class of service", INSERT, CLONE % (7, REPLICA + " class_of_service: 1")),
            ("clone 0", INSERT, CLONE % (0, REPLICA)),
            ("clone 40000", INSERT, CLONE % (40000, REPLICA)),
            ("clone, modify", MODIFY, CLONE % (5, "replicas { egress_port: 255 instance: 1 }")),
            ("clone, modify none", MODIFY, CLONE % (9, REPLICA)),
            ("clone, delete none", DELETE, CLONE % (9, "")),
            ("digest", INSERT, DIGEST % DIGEST_CONFIG),
            ("digest again", INSERT, DIGEST % DIGEST_CONFIG),
            ("digest, unknown", INSERT, "digest_entry { digest_id: 77 }"),
            ("digest, modify", MODIFY, DIGEST % DIGEST_CONFIG),
        ):
            self._write("write " + name, kind, text)
        for name, text in {
            "group": GROUP % (1, ""),
            "group of port bytes": GROUP % (3, ""),
            "all groups": GROUP % (0, ""),
            "group that is not there": GROUP % (9, ""),
            "clone": CLONE % (5, ""),
            "all clones": CLONE % (0, ""),
            "clone that is not there": CLONE % (9, ""),
            "digest": DIGEST % "",
            "all digests": "digest_entry {}",
            "unknown digest": "digest_entry { digest_id: 77 }",
            "empty replication entry": "packet_replication_engine_entry {}",
        }.items():
            self._read("read " + name, text)

    def _profiles(self) -> None:
        member = "action_profile_member_id: 1"
        for name, kind, text in (
            ("member", INSERT, MEMBER % ("$In.plain", 1, SEND)),
            ("member again", INSERT, MEMBER % ("$In.plain", 1, SEND)),
            ("member, unknown profile", INSERT, MEMBER % ("77", 1, SEND)),
            ("member, other action", INSERT, MEMBER % ("$In.plain", 2, "action { action_id: $In.measured_drop }")),
            ("member, no action", INSERT, MEMBER % ("$In.plain", 2, "")),
            ("member, modify none", MODIFY, MEMBER % ("$In.plain", 9, SEND)),
            ("member, delete none", DELETE, MEMBER % ("$In.plain", 9, "")),
            ("entry by member", INSERT, INDIRECT % ("\\x01", member)),
            ("entry by member that is not there", INSERT, INDIRECT % ("\\x02", "action_profile_member_id: 9")),
            ("entry by action of its own", INSERT, INDIRECT % ("\\x02", SEND)),
            ("member, delete while used", DELETE, MEMBER % ("$In.plain", 1, "")),
            ("member, modify", MODIFY, MEMBER % ("$In.plain", 1, SEND.replace("\\x03", "\\x04"))),
            ("default of an indirect table", MODIFY, DEFAULT % ("$In.indirect", DROP)),
            ("group's member", INSERT, MEMBER % ("$In.balanced", 1, SEND)),
            ("group's other member", INSERT, MEMBER % ("$In.balanced", 2, SEND)),
            ("members", INSERT, MEMBERS % (1, 4, "members { member_id: 1 weight: 1 }")),
            ("members again", INSERT, MEMBERS % (1, 4, "members { member_id: 1 weight: 1 }")),
            ("members, too many", INSERT, MEMBERS % (2, 2, "members { member_id: 1 weight: 3 }")),
            ("members, weight 0", INSERT, MEMBERS % (3, 4, "members { member_id: 1 }")),
            ("members, one not there", INSERT, MEMBERS % (4, 4, "members { member_id: 9 weight: 1 }")),
            ("members, one twice", INSERT, MEMBERS % (5, 4, "members { member_id: 1 weight: 1 }" * 2)),
            ("members, size above the limit", INSERT, MEMBERS % (6, 9, "")),
            ("members, negative size", INSERT, MEMBERS % (6, -1, "")),
            ("members, modify", MODIFY, MEMBERS % (1, 4, BOTH)),
            ("members, modify none", MODIFY, MEMBERS % (9, 4, "")),
            ("members, delete none", DELETE, MEMBERS % (9, 4, "")),
            ("entry by group", INSERT, SELECTED % ("\\x01", "action_profile_group_id: 1")),
            ("entry by group that is not there", INSERT, SELECTED % ("\\x02", "action_profile_group_id: 9")),
            ("one shot beside groups", INSERT, SELECTED % ("\\x03", ONE_SHOT % (SHOT % 1))),
            ("members, delete while used", DELETE, MEMBERS % (1, 0, "")),
        ):  # fmt: skip
            self._write("write " + name, kind, text)
        for name, text in {
            "member": MEMBER % ("$In.plain", 1, ""),
            "all members": "action_profile_member {}",
            "members of a profile": MEMBER % ("$In.balanced", 0, ""),
            "member that is not there": MEMBER % ("$In.plain", 9, ""),
            "groups": "action_profile_group {}",
            "entries by member": "table_entry { table_id: $In.indirect }",
            "entries by group": "table_entry { table_id: $In.selected }",
        }.items():
            self._read("read " + name, text)
        for text in (SELECTED % ("\\x01", ""), *(MEMBERS % (number, 0, "") for number in range(1, 7)),
                     *(MEMBER % ("$In.balanced", number, "") for number in (1, 2))):  # fmt: skip
            self._ask(f"clear {' '.join(text.split())}", lambda text=text: self._client.delete(text))  # type: ignore[misc]
        for name, kind, text in (
            ("one shot", INSERT, SELECTED % ("\\x03", ONE_SHOT % (SHOT % 1 + SHOT % 2))),
            ("one shot, modify", MODIFY, SELECTED % ("\\x03", ONE_SHOT % (SHOT % 3))),
            ("one shot, empty", INSERT, SELECTED % ("\\x04", ONE_SHOT % "")),
            ("one shot, weight 0", INSERT, SELECTED % ("\\x04", ONE_SHOT % (SHOT % 0))),
            ("one shot, too heavy", INSERT, SELECTED % ("\\x04", ONE_SHOT % (SHOT % 9))),
            ("one shot, other action", INSERT, SELECTED % ("\\x04", ONE_SHOT % (
                "action_profile_actions { action { action_id: $In.measured_drop } weight: 1 }"))),
            ("member beside one shots", INSERT, MEMBER % ("$In.balanced", 1, SEND)),
        ):  # fmt: skip
            self._write("write " + name, kind, text)
        self._read("read one shots", "table_entry { table_id: $In.selected }")
        self._read("read members beside one shots", MEMBER % ("$In.balanced", 0, ""))
        self._write("delete one shot", DELETE, SELECTED % ("\\x03", ""))

    def _packet_io(self) -> None:
        def frame(destination: int, source: int = 9, kind: int = 0x0800) -> bytes:
            return destination.to_bytes(6, "big") + source.to_bytes(6, "big") + kind.to_bytes(2, "big") + PAYLOAD

        for name, text in {
            "flooding": station_entry("\\x41", action="$In.flood", parameters=PARAMETER % "\\x01"),
            "mirroring": station_entry("\\x42", action="$In.mirror", parameters=PARAMETER % "\\x03"),
            "sighting": station_entry("\\x43", action="$In.sight", parameters=PARAMETER % "\\x03"),
            "up": station_entry("\\x44", parameters=PARAMETER % "\\xff"),
        }.items():
            self._write(f"insert, {name}", INSERT, text)
        self._write("delete rule, everything", DELETE, RULE % "priority: 10")
        self._send("packets of ports", PORT, [frame(1), frame(0x41), frame(0x42), frame(7)])
        self._ask("mirrored packet", lambda: _message(self._stream))
        self._send("packet up", PORT, [frame(0x44)])
        self._ask("packet in", lambda: _message(self._stream))
        self._send("sighted packet", PORT, [frame(0x43, source=5)])
        self._ask("digest list", lambda: _message(self._stream))
        self._send("sighted packet again", PORT, [frame(0x43, source=5), frame(0x43, source=6)])
        self._ask("digest list of what is new", lambda: _message(self._stream))
        self._write("insert, short idle timeout", INSERT, station_entry("\\x51", more="idle_timeout_ns: 1000000000"))
        self._ask("idle notification", lambda: _message(self._stream))
        self._write("delete, short idle timeout", DELETE, station_entry("\\x51"))
        self._read("read counter after packets", COUNTER % "index { index: 1 }")
        self._read("read direct counter after packets", "table_entry { table_id: $In.station counter_data {} }")
        self._write("modify default counter's", MODIFY, DEFAULT % ("$In.station", DROP))

    def _ending(self) -> None:
        """The last requests, because BMv2 accepts no pipeline after these."""
        good = config("probe")
        elsewhere = p4runtime_pb2.WriteRequest(device_id=7, updates=[update(INSERT, COUNTER % "")])
        elsewhere.election_id.low = 1
        self._ask("write to another device", lambda: self._client.stub.Write(elsewhere))
        self._client.election_id = 2
        self._write("write with another election id", INSERT, COUNTER % "")
        self._client.election_id = 1
        self._ask("set for another device", lambda: self._client.push(good, device_id=7))
        self._ask("reconcile and commit", lambda: self._client.push(good, Set.RECONCILE_AND_COMMIT))
        self._ask("entries after reconciling", lambda: len(self._client.read("table_entry {}")))
        self._ask("verify and save", lambda: self._client.push(good, Set.VERIFY_AND_SAVE))
        self._ask("entries after saving", lambda: len(self._client.read("table_entry {}")))
        self._ask("commit", lambda: self._client.push(None, Set.COMMIT))
        self._ask("entries after commit", lambda: len(self._client.read("table_entry {}")))


def _message(stream: Stream) -> str:
    """The next message of a stream, without its time."""
    return re.sub(r" ?timestamp: \d+", "", _text(stream.next()))


def _described(answer: Any) -> str:
    if isinstance(answer, str | int | tuple):
        return str(answer)
    if isinstance(answer, list):
        return "; ".join(answer)
    return _text(answer) or "ok" if answer is not None else "ok"


def _refused(failure: grpc.RpcError) -> str:
    of_updates = "".join(f"; {code} {message!r}" for code, message, _ in errors(failure))
    return f"{failure.code().name} {failure.details()!r}{of_updates}"


def _shape(config: Any) -> tuple[int, bool, int]:
    return len(config.p4info.tables), bool(config.p4_device_config), config.cookie.cookie


def _text(message: Any) -> str:
    return str(text_format.MessageToString(message, as_one_line=True))
