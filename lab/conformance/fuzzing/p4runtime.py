"""The fuzzer's P4Runtime client. It opens no stream: without an election, a single client may write."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import grpc
from google.protobuf import text_format
from google.rpc import code_pb2, status_pb2

from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc

SECONDS = 60
LOOK_SECONDS = 10
GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
Set = p4runtime_pb2.SetForwardingPipelineConfigRequest


def load_p4info(path: Path) -> Any:
    return text_format.Parse(path.read_text(), p4info_pb2.P4Info())


class Client:
    def __init__(self, channel: grpc.Channel, device_id: int = 0) -> None:
        self._stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
        self._device_id = device_id

    def push(self, p4info: Any, json: bytes) -> str:
        """Push a program. Returns the reason of a refusal; empty if the switch accepts it."""
        config = p4runtime_pb2.ForwardingPipelineConfig(p4info=p4info, p4_device_config=json)
        request = Set(device_id=self._device_id, action=Set.VERIFY_AND_COMMIT, config=config)
        try:
            self._stub.SetForwardingPipelineConfig(request, timeout=SECONDS)
        except grpc.RpcError as failure:
            if failure.code() in GONE:
                raise
            return f"{failure.code().name}: {failure.details()}"
        return ""

    @property
    def answers(self) -> bool:
        """Whether the switch still answers requests."""
        try:
            self._stub.Write(p4runtime_pb2.WriteRequest(device_id=self._device_id), timeout=LOOK_SECONDS)
        except grpc.RpcError as failure:
            return failure.code() not in GONE
        return True

    def write(self, updates: list[Any]) -> list[str]:
        """Send updates. Returns the canonical code of each, "OK" for success."""
        request = p4runtime_pb2.WriteRequest(device_id=self._device_id, updates=updates)
        try:
            self._stub.Write(request, timeout=SECONDS)
        except grpc.RpcError as failure:
            return codes(failure) or [failure.code().name] * len(updates)
        return ["OK"] * len(updates)

    def read(self, *entities: Any) -> list[Any]:
        return list(self._read(entities))

    def _read(self, entities: tuple[Any, ...]) -> Iterator[Any]:
        request = p4runtime_pb2.ReadRequest(device_id=self._device_id, entities=entities)
        for response in self._stub.Read(request, timeout=SECONDS):
            yield from response.entities


def codes(failure: Any) -> list[str]:
    """Return the canonical code of each update of a failed write; none if the whole write was refused."""
    details = dict(failure.trailing_metadata() or ()).get("grpc-status-details-bin")
    return [] if details is None else [_code(item) for item in status_pb2.Status.FromString(details).details]


def _code(item: Any) -> str:
    error = p4runtime_pb2.Error()
    item.Unpack(error)
    return str(code_pb2.Code.Name(error.canonical_code))


@contextmanager
def primary(channel: grpc.Channel) -> Iterator[None]:
    """A context with a stream whose client is primary, with election id 1."""
    requests: SimpleQueue[Any] = SimpleQueue()
    bid = p4runtime_pb2.StreamMessageRequest()
    bid.arbitration.election_id.low = 1
    requests.put(bid)
    stream = p4runtime_pb2_grpc.P4RuntimeStub(channel).StreamChannel(iter(requests.get, None))
    next(stream)
    try:
        yield
    finally:
        requests.put(None)
        deque(stream, 0)
