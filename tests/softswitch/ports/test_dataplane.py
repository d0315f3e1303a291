"""The DataplaneInterface: packets over gRPC, as BMv2's clients of --dp-grpc-server-addr send and expect them."""

from __future__ import annotations

import queue
from typing import Any

import grpc
import pytest

from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.dataplane import SERVICE
from dropzero.softswitch.ports.dataplane_pb2 import (
    OPER_STATUS_DOWN,
    OPER_STATUS_UP,
    SetPortOperStatusRequest,
    SetPortOperStatusResponse,
)
from tests.softswitch.packets import packet, request, stream
from tests.support.p4runtime_client import Client, answer, kinds, station


@pytest.fixture
def forwarding(client: Client) -> Client:
    """A client of `switch`, which sends packets for station 1 to port 1, station 2 to port 2, and station 3 to both."""
    client.push(kinds())
    for number in (1, 2):
        client.insert(station(number, number))
    client.insert(
        "packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 9 "
        "replicas { egress_port: 1 instance: 1 } replicas { egress_port: 2 instance: 2 } } }"
    )
    client.insert(
        'table_entry { table_id: $In.station match { field_id: 1 exact { value: "\\x03" } } '
        'action { action { action_id: $In.flood params { param_id: 1 value: "\\x09" } } } }'
    )
    return client


@pytest.mark.usefixtures("forwarding")
def test_every_outcome_of_a_packet_has_its_id(channel: grpc.Channel) -> None:
    sent = [request(id, 5, packet(1 + id % 3)) for id in range(300)]
    received = [(each.id, each.port, each.packet, each.device_id) for each in stream(channel, iter(sent))]
    expected = [(id, port, packet(1 + id % 3), 0) for id in range(300) for port in ([1], [2], [1, 2])[id % 3]]
    assert received == expected


@pytest.mark.usefixtures("forwarding")
def test_empty_messages_and_those_for_another_device_are_ignored(channel: grpc.Channel) -> None:
    sent = [
        request(1, 5, packet(1), device_id=7),
        request(2, 5, b""),
        request(3, 1 << 31, packet(1)),
        request(4, 5, packet(1)),
    ]
    assert [each.id for each in stream(channel, iter(sent))] == [4]


def test_packets_without_a_pipeline_are_dropped(channel: grpc.Channel) -> None:
    assert list(stream(channel, iter([request(1, 5, packet(1))]))) == []


@pytest.mark.usefixtures("forwarding")
def test_it_serves_one_client_at_a_time(channel: grpc.Channel) -> None:
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    first = stream(channel, iter(requests.get, None))
    requests.put(request(1, 5, packet(1)))
    assert next(first).id == 1
    assert answer(lambda: next(stream(channel, iter([])))) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "only one client authorized at a time",
    )
    requests.put(None)
    assert list(first) == []
    assert [each.id for each in stream(channel, iter([request(2, 5, packet(1))]))] == [2]


@pytest.mark.usefixtures("forwarding")
def test_a_packet_may_come_in_by_the_cpu_port(channel: grpc.Channel) -> None:
    from_controller = bytes([0b00000001, 0b00000000])  # egress port 2 of 9 bits, and 7 unused ones
    (left,) = stream(channel, iter([request(7, 255, from_controller + packet(8))]))
    assert (left.port, left.packet) == (2, packet(8))


def test_ports_are_set_down_and_up(channel: grpc.Channel, switch: Switch) -> None:
    call = channel.unary_unary(
        f"/{SERVICE}/SetPortOperStatus",
        SetPortOperStatusRequest.SerializeToString,
        SetPortOperStatusResponse.FromString,
    )
    call(SetPortOperStatusRequest(port=3, oper_status=OPER_STATUS_DOWN))
    assert switch.ports_down == {3}
    call(SetPortOperStatusRequest(port=3, oper_status=OPER_STATUS_UP))
    assert switch.ports_down == set()
    assert answer(lambda: call(SetPortOperStatusRequest(port=3))) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "Invalid oper status",
    )
    assert answer(lambda: call(SetPortOperStatusRequest(device_id=5, oper_status=OPER_STATUS_UP))) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "Invalid device id",
    )
