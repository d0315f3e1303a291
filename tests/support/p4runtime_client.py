"""The probe's P4Runtime client, and what only tests use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
import pytest

from lab.conformance.harness.p4runtime import Stream, errors
from lab.conformance.probe.client import (
    DELETE,
    INSERT,
    MODIFY,
    PROGRAMS,
    SECONDS,
    Client,
    Get,
    Set,
    config,
    entity,
    update,
)

__all__ = [
    "DELETE",
    "INSERT",
    "MODIFY",
    "PROGRAMS",
    "SECONDS",
    "Client",
    "Get",
    "Set",
    "Stream",
    "config",
    "entity",
    "errors",
    "update",
]

SPACE = "ALL-sswitch-p4org"


def kinds() -> Any:
    """A new ForwardingPipelineConfig of programs/kinds.p4, with the cookie 77."""
    return config("kinds")


def station(mac: int, port: int) -> str:
    """A TableEntry that sends packets for a MAC address to a port."""
    value = "".join(f"\\x{byte:02x}" for byte in mac.to_bytes(6, "big"))
    return (
        f'table_entry {{ table_id: $In.station match {{ field_id: 1 exact {{ value: "{value}" }} }} '
        f'action {{ action {{ action_id: $In.send_to params {{ param_id: 1 value: "\\x{port:02x}" }} }} }} }}'
    )


def answer(call: Callable[[], Any]) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.RpcError) as failure:
        call()
    return failure.value.code(), failure.value.details() or ""


def refusals(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """The code and message of each update of a write that fails."""
    with pytest.raises(grpc.RpcError) as failure:
        call()
    assert (failure.value.code(), failure.value.details()) == (grpc.StatusCode.UNKNOWN, "")
    found = errors(failure.value)
    assert all(space == (SPACE if code != "OK" else "") for code, _, space in found)
    return [(code, message) for code, message, _ in found]


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    (only,) = refusals(call)
    return only


def open_stream(client: Client, election_id: int, device_id: int = 0, role: str = "") -> Stream:
    """Opens a stream and bids on it."""
    stream = client.stream()
    stream.bid(election_id, device_id, role)
    return stream
