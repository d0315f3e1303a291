"""Random malformed P4Runtime requests: some are nonsense, others right except for a detail."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.rpc import code_pb2

from dropzero.p4.config.v1 import p4info_pb2
from dropzero.p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from lab.conformance.harness.p4runtime import SECONDS, Set, errors

WHOLE = {
    FieldDescriptor.TYPE_INT32: 32,
    FieldDescriptor.TYPE_UINT32: 32,
    FieldDescriptor.TYPE_INT64: 64,
    FieldDescriptor.TYPE_UINT64: 64,
}
SIGNED = (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_INT64)
DEPTH = 7
KINDS = [
    field.name
    for field in p4info_pb2.P4Info.DESCRIPTOR.fields
    if field.message_type is not None and "preamble" in field.message_type.fields_by_name
]
"""The fields of a P4Info that have objects with ids."""
METHODS = ("Write", "Read", "SetForwardingPipelineConfig", "GetForwardingPipelineConfig", "Capabilities")
UNEXPECTED = {"CANCELLED", "DATA_LOSS", "DEADLINE_EXCEEDED", "INTERNAL", "UNAUTHENTICATED", "UNAVAILABLE"}
ANSWERS = set(code_pb2.Code.keys()) - UNEXPECTED
"""The codes that a client may get."""


class Requests:
    """An endless supply of requests about a program, equal for equal seeds."""

    def __init__(self, config: Any, templates: Sequence[Any], seed: int) -> None:
        """config: a p4.v1.ForwardingPipelineConfig. templates: entities of its program."""
        self._random = random.Random(seed)
        self._config = config
        self._ids = [each.preamble.id for kind in KINDS for each in getattr(config.p4info, kind)]
        self._templates = templates

    def next(self) -> Any:
        """Return a request of any kind; a StreamMessageRequest is for a stream."""
        choice = self._random.random()
        if choice < 0.55:
            request = self._filled(p4runtime_pb2.WriteRequest(), DEPTH - 1)
            del request.updates[:]
            for _ in range(self._random.choice((0, 1, 1, 1, 2, 5))):
                request.updates.add(type=self._random.randrange(5), entity=self._entity())
            # Most requests have the right to write, so that they get further.
            if self._random.random() < 0.9:
                self._sign(request)
        elif choice < 0.8:
            request = p4runtime_pb2.ReadRequest(device_id=self._device())
            for _ in range(self._random.choice((0, 1, 1, 2))):
                request.entities.append(self._entity())
        elif choice < 0.95:
            request = self._filled(p4runtime_pb2.StreamMessageRequest(), DEPTH)
            if request.HasField("arbitration"):
                request.arbitration.device_id = self._device()
        elif choice < 0.952:
            request = self._pipeline()
        elif choice < 0.98:
            request = self._filled(p4runtime_pb2.GetForwardingPipelineConfigRequest(), DEPTH)
        else:
            request = p4runtime_pb2.CapabilitiesRequest()
        return request

    def garbage(self) -> tuple[str, bytes]:
        """Return a method, and bytes that are almost surely no request."""
        request = self.next()
        streamed = isinstance(request, p4runtime_pb2.StreamMessageRequest)
        content = bytearray(b"" if streamed else request.SerializeToString())
        for _ in range(self._random.randint(1, 8)):
            at = self._random.randrange(len(content) + 1)
            match self._random.randrange(3):
                case 0:
                    content[at : at + 1] = self._random.randbytes(1)
                case 1:
                    del content[at:]
                case _:
                    content[at:at] = self._random.randbytes(self._random.choice((1, 9, 300)))
        return self._random.choice(METHODS), bytes(content)

    def _pipeline(self) -> Any:
        # Also a number that is not an action.
        number: Any = self._random.randrange(7)
        request = Set(action=number)
        self._sign(request)
        request.config.CopyFrom(self._config)
        part = self._random.randrange(4)
        if part == 0:
            content = bytearray(request.config.p4_device_config)
            at = self._random.randrange(len(content))
            content[at] = self._random.randrange(256)
            request.config.p4_device_config = bytes(content)
        elif part == 1:
            self._mutate(request.config.p4info)
        elif part == 2:
            request.config.p4_device_config = self._random.randbytes(30)
        return request

    def _entity(self) -> Any:
        if not self._templates or self._random.random() < 0.3:
            return self._filled(p4runtime_pb2.Entity(), DEPTH - 1)
        entity = p4runtime_pb2.Entity()
        entity.CopyFrom(self._random.choice(self._templates))
        for _ in range(self._random.choice((0, 0, 1, 1, 2))):
            self._mutate(entity)
        return entity

    def _sign(self, request: Any) -> None:
        request.device_id = 0
        request.role = ""
        request.election_id.high = 0
        request.election_id.low = 1

    def _device(self) -> int:
        return self._random.choice((0, 0, 0, 0, 1, 1 << 63))

    def _mutate(self, message: Any) -> None:
        """Change one field somewhere inside."""
        fields = message.ListFields()
        inside = [
            each
            for field, value in fields
            if field.type == FieldDescriptor.TYPE_MESSAGE and not _is_map(field)
            for each in (value if _is_repeated(field) else [value])
        ]
        if inside and self._random.random() < 0.8:
            self._mutate(self._random.choice(inside))
            return
        field = self._random.choice(message.DESCRIPTOR.fields)
        message.ClearField(field.name)
        if self._random.random() < 0.7:
            self._fill(message, field, 2)

    def _filled(self, message: Any, depth: int) -> Any:
        chosen = set()
        for oneof in message.DESCRIPTOR.oneofs:
            chosen.add(self._random.choice(oneof.fields).name)
        for field in message.DESCRIPTOR.fields:
            wanted = field.name in chosen if field.containing_oneof else self._random.random() < 0.5
            if wanted:
                self._fill(message, field, depth)
        return message

    def _fill(self, message: Any, field: FieldDescriptor, depth: int) -> None:
        if _is_map(field):
            return
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if _is_repeated(field):
                for _ in range(self._random.randrange(3) if depth > 0 else 0):
                    self._filled(getattr(message, field.name).add(), depth - 1)
            else:
                getattr(message, field.name).SetInParent()
                if depth > 0:
                    self._filled(getattr(message, field.name), depth - 1)
        elif _is_repeated(field):
            getattr(message, field.name).extend([self._scalar(field) for _ in range(self._random.randrange(3))])
        else:
            setattr(message, field.name, self._scalar(field))

    def _scalar(self, field: FieldDescriptor) -> Any:
        if field.type in WHOLE:
            if field.name.endswith("_id") and self._ids and self._random.random() < 0.7:
                return self._random.choice(self._ids)
            return self._number(WHOLE[field.type], field.type in SIGNED)
        if field.type == FieldDescriptor.TYPE_ENUM:
            return self._random.randrange(8)
        if field.type == FieldDescriptor.TYPE_BOOL:
            return self._random.random() < 0.5
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self._random.randbytes(self._random.choice((0, 1, 1, 2, 6, 7, 40)))
        if field.type == FieldDescriptor.TYPE_STRING:
            return self._random.choice(("", "x", "In.station", "\N{SNOWMAN}"))
        return 0

    def _number(self, bits: int, signed: bool) -> int:
        largest = (1 << bits - signed) - 1
        smallest = -largest - 1 if signed else 0
        return self._random.choice(
            (0, 1, 1, 2, 3, 5, 7, 8, 16, 255, 511, 512, 40000, largest, smallest, -1 if signed else largest - 1)
        )


def _is_repeated(field: FieldDescriptor) -> bool:
    # protobuf 3.20 has no `is_repeated`, and the newest one no `label`.
    repeated: bool = field.default_value == []
    return repeated


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def answers(channel: grpc.Channel, request: Any) -> set[str]:
    """Send a request. Returns the codes of its refusal, or of the refused updates."""
    stub = p4runtime_pb2_grpc.P4RuntimeStub(channel)
    try:
        match request:
            case p4runtime_pb2.ReadRequest():
                deque(stub.Read(request, timeout=SECONDS), 0)
            case p4runtime_pb2.StreamMessageRequest():
                deque(stub.StreamChannel(iter((request,)), timeout=SECONDS), 0)
            case _:
                getattr(stub, type(request).__name__.removesuffix("Request"))(request, timeout=SECONDS)
    except grpc.RpcError as failure:
        return {failure.code().name, *(code for code, _, _ in errors(failure))}
    return set()


def answer_to_garbage(channel: grpc.Channel, method: str, content: bytes) -> str:
    """Send bytes as a request. Returns the code of the answer."""
    call: Any = channel.unary_stream if method == "Read" else channel.unary_unary
    try:
        answer = call(f"/p4.v1.P4Runtime/{method}")(content, timeout=SECONDS)
        deque(answer if method == "Read" else (), 0)
    except grpc.RpcError as failure:
        return str(failure.code().name)
    return "OK"
