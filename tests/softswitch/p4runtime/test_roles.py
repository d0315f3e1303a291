"""Roles, which BMv2 does not distinguish: each has its own primary."""

from __future__ import annotations

import grpc
import pytest
from google.rpc import code_pb2

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.engine.switch import Switch
from tests.support.p4runtime_client import INSERT, Client, answer, kinds, open_stream, station, update

PRIMARY = (code_pb2.OK, "Is primary")


def test_every_role_has_a_primary_of_its_own(client: Client) -> None:
    assert open_stream(client, 1).standing()[1:] == PRIMARY
    message = open_stream(client, 1, role="routing").next().arbitration
    assert message.role.name == "routing"
    assert (message.status.code, message.status.message) == PRIMARY


def test_an_election_is_among_the_streams_of_a_role(client: Client) -> None:
    first = open_stream(client, 1, role="routing")
    first.standing()
    open_stream(client, 9).standing()
    higher = open_stream(client, 2, role="routing")
    assert higher.standing() == (2, *PRIMARY)
    assert first.standing() == (2, code_pb2.ALREADY_EXISTS, "Is backup")
    higher.close()
    assert first.standing() == (1, *PRIMARY)


def test_a_stream_keeps_to_its_role(client: Client) -> None:
    stream = open_stream(client, 1, role="routing")
    stream.standing()
    stream.bid(2, role="switching")
    assert answer(stream.next) == (grpc.StatusCode.FAILED_PRECONDITION, "Invalid role")


@pytest.mark.parametrize(
    ("role", "election_id", "allowed"),
    [("routing", 3, True), ("routing", 5, False), ("", 5, True), ("", 3, False), ("nobody's", 0, False)],
)
def test_only_the_primary_of_its_role_writes(client: Client, role: str, election_id: int, allowed: bool) -> None:
    client.push(kinds())
    open_stream(client, 3, role="routing").standing()
    open_stream(client, 5).standing()
    client.election_id = election_id

    def write() -> None:
        client.write(update(INSERT, station(1, 2)), role=role)

    if allowed:
        write()
    else:
        assert answer(write) == (grpc.StatusCode.PERMISSION_DENIED, "Not primary")


def test_packets_go_to_the_primary_of_every_role(client: Client, switch: Switch) -> None:
    client.push(kinds())
    streams = [open_stream(client, 3, role="routing"), open_stream(client, 5)]
    for stream in streams:
        stream.standing()
    switch.packet_in(bytes(20))
    assert [len(stream.next().packet.payload) for stream in streams] == [18, 18]


def test_a_stream_that_is_not_primary_sends_no_packets(client: Client, packets_out: list[bytes]) -> None:
    client.push(kinds())
    leader = open_stream(client, 3)
    leader.standing()
    backup = open_stream(client, 1)
    backup.standing()
    request = p4runtime_pb2.StreamMessageRequest()
    for payload, stream in ((b"backup", backup), (b"leader", leader)):
        request.packet.payload = payload
        stream.send(request)
        stream.bid(4 if stream is leader else 2)
        stream.standing()
    assert [packet[2:] for packet in packets_out] == [b"leader"]


def test_a_config_of_a_role_is_refused_when_strict(
    client: Client, switch: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    request = p4runtime_pb2.StreamMessageRequest()
    request.arbitration.role.name = "routing"
    request.arbitration.role.config.SetInParent()
    request.arbitration.election_id.low = 1
    stream = client.stream()
    stream.send(request)
    assert stream.standing()[1:] == PRIMARY, "BMv2 ignores it"
    assert "The config of role 'routing' has no effect: every role may do everything" in caplog.messages
    switch.strict = True
    stream = client.stream()
    request.arbitration.election_id.low = 2
    stream.send(request)
    assert answer(stream.next) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "A role's config is not supported: every role may do everything",
    )
