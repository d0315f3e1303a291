"""As much of a P4Runtime client as the fuzzer needs. It has no stream, so no election: switches let a lone client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import text_format
from google.rpc import code_pb2, status_pb2
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc

SECONDS = 60
Set = p4runtime_pb2.SetForwardingPipelineConfigRequest


def load_p4info(path: Path) -> Any:
    return text_format.Parse(path.read_text(), p4info_pb2.P4Info())


class Client:
    def __init__(self, channel: grpc.Channel, device_id: int = 0) -> None:
        self._stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
        self._device_id = device_id

    def push(self, p4info: Any, json: bytes) -> None:
        config = p4runtime_pb2.ForwardingPipelineConfig(p4info=p4info, p4_device_config=json)
        request = Set(device_id=self._device_id, action=Set.VERIFY_AND_COMMIT, config=config)
        self._stub.SetForwardingPipelineConfig(request, timeout=SECONDS)

    def write(self, updates: list[Any]) -> list[str]:
        """The canonical code that answers each update, "OK" where it was done."""
        request = p4runtime_pb2.WriteRequest(device_id=self._device_id, updates=updates)
        try:
            self._stub.Write(request, timeout=SECONDS)
        except grpc.RpcError as failure:
            details = dict(failure.trailing_metadata() or ()).get("grpc-status-details-bin")
            if details is None:
                return [failure.code().name] * len(updates)
            return [_code(item) for item in status_pb2.Status.FromString(details).details]
        return ["OK"] * len(updates)

    def read(self, *entities: Any) -> list[Any]:
        return list(self._read(entities))

    def _read(self, entities: tuple[Any, ...]) -> Iterator[Any]:
        request = p4runtime_pb2.ReadRequest(device_id=self._device_id, entities=entities)
        for response in self._stub.Read(request, timeout=SECONDS):
            yield from response.entities


def _code(item: Any) -> str:
    error = p4runtime_pb2.Error()
    item.Unpack(error)
    return str(code_pb2.Code.Name(error.canonical_code))
