"""A P4Runtime client that asks whatever it is told to: its stream, and its other requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import grpc
from google.rpc import code_pb2

from dropzero.controller.p4runtime.device import update_errors
from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc

SECONDS = 60
PUSH_SECONDS = 600
"""A program may have to be compiled first."""
LOOK_SECONDS = 10
GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
Set = p4runtime_pb2.SetForwardingPipelineConfigRequest


def bid(election_id: int, device_id: int = 0, role: str = "") -> Any:
    """The request of a client that wants to be primary."""
    request = p4runtime_pb2.StreamMessageRequest()
    request.arbitration.device_id = device_id
    if role:
        request.arbitration.role.name = role
    request.arbitration.election_id.high = election_id >> 64
    request.arbitration.election_id.low = election_id & (1 << 64) - 1
    return request


class Stream:
    """A StreamChannel."""

    def __init__(self, stub: Any) -> None:
        self._requests: SimpleQueue[Any] = SimpleQueue()
        self._responses = stub.StreamChannel(iter(self._requests.get, None))

    def bid(self, election_id: int, device_id: int = 0, role: str = "") -> None:
        self.send(bid(election_id, device_id, role))

    def send(self, request: Any) -> None:
        self._requests.put(request)

    def end(self) -> None:
        """Ends the requests; the switch then ends the stream."""
        self._requests.put(None)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._responses)

    def next(self) -> Any:
        """The next message. Raises grpc.RpcError if the stream ends with an error."""
        return next(self._responses)

    def standing(self) -> tuple[int, int, str]:
        """From the next message, an arbitration update: the primary's election id, the status' code and its message."""
        arbitration = self.next().arbitration
        return arbitration.election_id.low, arbitration.status.code, arbitration.status.message

    def close(self) -> None:
        self._responses.cancel()
        self._requests.put(None)


class Client:
    """A client of device 0. Without an election id, it may write if no other client has been elected."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        self.stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
        self.election_id = 0

    def push(self, config: Any, action: Set.Action.ValueType = Set.VERIFY_AND_COMMIT, device_id: int = 0) -> None:
        request = self._signed(Set(device_id=device_id, action=action, config=config))
        self.stub.SetForwardingPipelineConfig(request, timeout=PUSH_SECONDS)

    def write(self, *updates: Any, **fields: Any) -> None:
        self.stub.Write(self._signed(p4runtime_pb2.WriteRequest(updates=updates, **fields)), timeout=SECONDS)

    def entities(self, *selected: Any) -> list[Any]:
        responses = self.stub.Read(p4runtime_pb2.ReadRequest(entities=selected), timeout=SECONDS)
        return [each for response in responses for each in response.entities]

    def load(self, config: Any) -> str:
        """Push a program. Returns the reason of a refusal; empty if the switch accepts it."""
        try:
            self.push(config)
        except grpc.RpcError as failure:
            if failure.code() in GONE:
                raise
            return f"{failure.code().name}: {failure.details()}"
        return ""

    def codes(self, updates: list[Any]) -> list[str]:
        """Send updates. Returns the canonical code of each, "OK" for success."""
        try:
            self.write(*updates)
        except grpc.RpcError as failure:
            return [code for code, _, _ in errors(failure)] or [failure.code().name] * len(updates)
        return ["OK"] * len(updates)

    @property
    def answers(self) -> bool:
        """Whether the switch still answers requests."""
        try:
            self.stub.Write(p4runtime_pb2.WriteRequest(), timeout=LOOK_SECONDS)
        except grpc.RpcError as failure:
            return failure.code() not in GONE
        return True

    def _signed(self, request: Any) -> Any:
        if self.election_id:
            request.election_id.low = self.election_id
        return request


def errors(failure: grpc.RpcError) -> list[tuple[str, str, str]]:
    """The code, message and space of each update of a failed write; none if the whole write was refused."""
    found = update_errors(failure) or ()
    return [(code_pb2.Code.Name(each.canonical_code), each.message, each.space) for each in found]


@contextmanager
def primary(channel: grpc.Channel) -> Iterator[None]:
    """A context with a stream whose client is primary, with election id 1."""
    stream = Stream(p4runtime_pb2_grpc.P4RuntimeStub(channel))
    stream.bid(1)
    stream.next()
    try:
        yield
    finally:
        stream.end()
        deque(stream, 0)
