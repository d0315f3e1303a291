"""Types that are strings for controllers (p4runtime_translation to sdn_string)."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from google.protobuf import text_format

from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.p4runtime.pipeline.refusal import Refusal
from dropzero.softswitch.p4runtime.pipeline.translation import Strings
from lab.conformance.probe.probe import PARAMETER, station_entry
from tests.softswitch.packets import forwarded
from tests.support.p4runtime_client import Client, Set, answer, config, entity, open_stream, refusal

PORT = """new_types { key: "port_t" value { translated_type { uri: "" sdn_string {} } } }"""
STATION_TYPE = """new_types { key: "station_t" value { translated_type { uri: "" sdn_string {} } } }"""


def named(field: Any, type_name: str) -> None:
    field.bitwidth = 0
    field.type_name.name = type_name


def translated() -> Any:
    """programs/probe.p4, with ports and stations of types that are strings for controllers."""
    pushed = config("probe")
    info = pushed.p4info
    text_format.Merge(PORT + STATION_TYPE, info.type_info)
    (action,) = (each for each in info.actions if each.preamble.name == "In.send_to")
    named(action.params[0], "port_t")
    (table,) = (each for each in info.tables if each.preamble.name == "In.station")
    named(table.match_fields[0], "station_t")
    for header in info.controller_packet_metadata:
        named(header.metadata[0], "port_t")
    return pushed


def station(key: str, port: str) -> str:
    return station_entry(key, parameters=PARAMETER % port)


def frame(destination: int) -> bytes:
    return destination.to_bytes(6, "big") + bytes(6) + b"\x08\x00" + bytes(46)


def test_strings_stand_for_numbers_of_the_device(client: Client, channel: grpc.Channel) -> None:
    client.push(translated())
    client.insert(station("7", "3"))
    client.insert(station("the door", "Ethernet0"))
    assert forwarded(channel, 2, frame(7)) == [(3, frame(7))]
    assert forwarded(channel, 2, frame(1)) == [(1, frame(1))]
    assert client.read("table_entry { table_id: $In.station }") == [
        entity(station("7", "3")),
        entity(station("the door", "Ethernet0")),
    ]
    assert client.read(station("the door", "")) == [entity(station("the door", "Ethernet0"))]
    client.delete(station("the door", ""))
    assert refusal(lambda: client.delete(station("the door", "")))[0] == "NOT_FOUND"
    text = refusal(lambda: client.insert(station("\\xff", "3")))
    assert text == ("INVALID_ARGUMENT", "A value of type 'station_t' is a string in UTF-8, not b'\\xff'")
    client.push(translated(), Set.RECONCILE_AND_COMMIT)
    assert client.read("table_entry { table_id: $In.station }") == [entity(station("7", "3"))]


def test_packets_have_strings_as_metadata(client: Client, switch: Switch, packets_out: list[bytes]) -> None:
    client.push(translated())
    stream = open_stream(client, 1)
    stream.standing()
    for name in (b"Ethernet0", b"300", b"\xff"):
        request = p4runtime_pb2.StreamMessageRequest()
        request.packet.payload = b"payload"
        request.packet.metadata.add(metadata_id=1, value=name)
        request.packet.metadata.add(metadata_id=2, value=b"\x05")
        stream.send(request)
    assert stream.next().error.canonical_code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert packets_out == [(port << 7 | 5).to_bytes(2, "big") + b"payload" for port in (1, 300)]
    for port in (1, 2):
        switch.packet_in((port << 7 | 5).to_bytes(2, "big") + b"payload")
    assert [stream.next().packet.metadata[0].value for _ in range(2)] == [b"Ethernet0", b"2"]
    stream.close()


def test_a_string_cannot_be_matched_partially(client: Client) -> None:
    pushed = translated()
    (table,) = (each for each in pushed.p4info.tables if each.preamble.name == "In.prefix")
    table.match_fields[0].type_name.name = "port_t"
    code, text = answer(lambda: client.push(pushed))
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "is a string, so its match is exact or optional" in text


def test_a_header_of_strings_is_one_of_the_program(client: Client) -> None:
    pushed = translated()
    pushed.p4info.controller_packet_metadata[0].metadata[0].name = "elsewhere"
    code, text = answer(lambda: client.push(pushed))
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "no header with the fields of 'packet_out'" in text


def test_an_optional_string_matches_all_of_it(client: Client, channel: grpc.Channel) -> None:
    pushed = translated()
    (table,) = (each for each in pushed.p4info.tables if each.preamble.name == "In.rule")
    (field,) = (each for each in table.match_fields if each.match_type == p4info_pb2.MatchField.OPTIONAL)
    named(field, "kind_t")
    text_format.Merge(PORT.replace("port_t", "kind_t"), pushed.p4info.type_info)
    client.push(pushed)
    text = (
        f'table_entry {{ table_id: $In.rule match {{ field_id: {field.id} optional {{ value: "first" }} }} '
        "action { action { action_id: $In.drop } } priority: 1 }"
    )
    client.insert(text)
    assert client.read("table_entry { table_id: $In.rule }") == [entity(text)]


@pytest.mark.parametrize(
    ("strings", "numbers"),
    [
        ("3,a,b,1,", [3, 1, 2, 4, 0]),
        (",0", [0, 1]),
        ("07,7", [1, 7]),
        ("9,8", [1, 2]),
        ("²," + "9" * 5000, [1, 2]),
    ],
)
def test_each_string_has_a_number_of_its_own(strings: str, numbers: list[int]) -> None:
    made = Strings("port_t")
    made.fit(9)
    made.fit(3)
    assert [made.number(each.encode()) for each in strings.split(",")] == numbers
    assert [made.string(number).decode() for number in numbers] == strings.split(",")


def test_there_are_as_many_strings_as_numbers() -> None:
    made = Strings("port_t")
    made.fit(2)
    assert made.string(2) == b"2"
    assert [made.number(each) for each in (b"a", b"b")] == [1, 3]
    with pytest.raises(Refusal, match="port_t"):
        made.number(b"c")
    assert made.number(b"0") == 0
