"""Whatever a client asks for, the switch answers, and goes on. SOFTSWITCH_FUZZ is how many requests; SEED, which."""

from __future__ import annotations

import os
from typing import Any

import grpc
from p4.v1 import p4runtime_pb2

from tests.softswitch.fuzz import Requests
from tests.softswitch.p4runtime import Client, Stream, config, entity, errors, open_stream
from tests.softswitch.probe import TEMPLATES

REQUESTS = int(os.environ.get("SOFTSWITCH_FUZZ", "3000"))
SEED = int(os.environ.get("SEED", "1"))
SECONDS = 60
# What a client may be told. INTERNAL would be an error that nobody thought of.
ANSWERS = {
    "OK",
    "ABORTED",
    "ALREADY_EXISTS",
    "FAILED_PRECONDITION",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "UNIMPLEMENTED",
    "UNKNOWN",
}


def test_every_request_is_answered(client: Client) -> None:
    primary = open_stream(client, 1)
    primary.standing()
    client.election_id = 1
    client.push(config("probe"))
    requests = Requests("probe", [entity(text) for text in TEMPLATES], SEED)
    for number in range(REQUESTS):
        request = requests.next()
        codes = _answer(client, request)
        assert codes <= ANSWERS, (number, codes, request)
    client.push(config("probe"))
    assert len(client.read("table_entry {}")) == 2


def _answer(client: Client, request: Any) -> set[str]:
    """The codes that the request, or any of its updates, was refused with."""
    try:
        _send(client, request)
    except grpc.RpcError as failure:
        told = any(key == "grpc-status-details-bin" for key, _ in failure.trailing_metadata() or ())
        return {failure.code().name, *(code for code, _, _ in (errors(failure) if told else ()))}
    return set()


def _send(client: Client, request: Any) -> None:
    match request:
        case p4runtime_pb2.WriteRequest():
            client.stub.Write(request, timeout=SECONDS)
        case p4runtime_pb2.ReadRequest():
            for _ in client.stub.Read(request, timeout=SECONDS):
                pass
        case p4runtime_pb2.SetForwardingPipelineConfigRequest():
            client.stub.SetForwardingPipelineConfig(request, timeout=SECONDS)
        case p4runtime_pb2.GetForwardingPipelineConfigRequest():
            client.stub.GetForwardingPipelineConfig(request, timeout=SECONDS)
        case p4runtime_pb2.StreamMessageRequest():
            stream = Stream(client.stub)
            stream.send(request)
            stream.end()
            for _ in stream:
                pass
        case _:
            client.stub.Capabilities(request, timeout=SECONDS)
