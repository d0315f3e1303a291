"""A P4Runtime client for entities that are written as text."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import text_format

from dropzero.p4.v1 import p4runtime_pb2
from dropzero.softswitch.offline.state import config_of
from lab.conformance.fuzzing.malformed import KINDS
from lab.conformance.harness import p4runtime
from lab.conformance.harness.p4runtime import SECONDS as SECONDS
from lab.conformance.harness.p4runtime import Set as Set

PROGRAMS = Path(__file__).parents[3] / "tests" / "softswitch" / "programs"
Get = p4runtime_pb2.GetForwardingPipelineConfigRequest
INSERT = p4runtime_pb2.Update.INSERT
MODIFY = p4runtime_pb2.Update.MODIFY
DELETE = p4runtime_pb2.Update.DELETE


def config(program: str) -> Any:
    """A new ForwardingPipelineConfig of a program in programs/, with the cookie 77."""
    copy = p4runtime_pb2.ForwardingPipelineConfig()
    copy.CopyFrom(_config(program))
    return copy


@cache
def _config(program: str) -> Any:
    config = config_of(PROGRAMS / f"{program}.json")
    config.cookie.cookie = 77
    return config


@cache
def ids() -> dict[str, int]:
    """Ids by name. p4c derives ids from names, so they are the same in all programs."""
    return {
        item.preamble.name: item.preamble.id
        for program in ("kinds", "probe", "psa")
        for kind in KINDS
        for item in getattr(_config(program).p4info, kind)
    }


def entity(text: str) -> Any:
    """Parses an entity from protobuf text, in which $name is the id of the object with this name."""
    return text_format.Parse(re.sub(r"\$([\w.]+)", lambda name: str(ids()[name[1]]), text), p4runtime_pb2.Entity())


def update(kind: Any, text: str) -> p4runtime_pb2.Update:
    """An update of an entity in protobuf text. kind: also a number that is not a type of updates."""
    return p4runtime_pb2.Update(type=kind, entity=entity(text))


class Client(p4runtime.Client):
    """A client of device 0, with streams, whose entities are protobuf text."""

    def __init__(self, address: str) -> None:
        super().__init__(grpc.insecure_channel(address))
        self.stub.Capabilities(p4runtime_pb2.CapabilitiesRequest(), wait_for_ready=True, timeout=SECONDS)
        # gRPC cancels a stream without references.
        self._streams: list[p4runtime.Stream] = []

    def stream(self) -> p4runtime.Stream:
        self._streams.append(p4runtime.Stream(self.stub))
        return self._streams[-1]

    def pipeline(self, response_type: Any = Get.ALL) -> Any:
        return self.stub.GetForwardingPipelineConfig(Get(response_type=response_type)).config

    def insert(self, text: str) -> None:
        self.write(update(INSERT, text))

    def modify(self, text: str) -> None:
        self.write(update(MODIFY, text))

    def delete(self, text: str) -> None:
        self.write(update(DELETE, text))

    def read(self, text: str) -> list[Any]:
        return self.entities(entity(text))

    def close(self) -> None:
        for stream in self._streams:
            stream.close()
        self.channel.close()
