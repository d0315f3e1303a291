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
from lab.conformance.probe.probe import (
    CLONE,
    COUNTER,
    DEFAULT,
    DIGEST,
    DIGEST_CONFIG,
    DIRECT_METER,
    GROUP,
    INDIRECT,
    MEASURED,
    MEMBER,
    MEMBERS,
    METER,
    ONE_SHOT,
    PARAMETER,
    PREFIX,
    RATES,
    REGISTER,
    REPLICA,
    RULE,
    SELECTED,
    SEND,
    SHOT,
    VALUES,
    station_entry,
)

__all__ = [
    "DELETE",
    "INSERT",
    "MODIFY",
    "PROGRAMS",
    "SECONDS",
    "TEMPLATES",
    "Client",
    "Get",
    "Set",
    "Stream",
    "config",
    "entity",
    "errors",
    "update",
]

TEMPLATES = (
    station_entry("\\x01", "idle_timeout_ns: 1000000"),
    station_entry("\\x02", "counter_data {}", "$In.mirror"),
    RULE % 'match { field_id: 1 ternary { value: "\\x10" mask: "\\xf0" } } priority: 3',
    RULE % 'match { field_id: 2 range { low: "\\x01" high: "\\x05\\x00" } } priority: 3',
    RULE % 'match { field_id: 3 optional { value: "\\x01\\x02" } } priority: 3',
    PREFIX % ("\\x0a\\x00\\x00\\x00\\x00\\x00", 8),
    DEFAULT % ("$In.prefix", "action { action { action_id: $NoAction } }"),
    COUNTER % "index { index: 3 } data { packet_count: 3 }",
    "direct_counter_entry { table_entry { table_id: $In.station } data { packet_count: 3 } }",
    REGISTER % 'index { index: 5 } data { bitstring: "\\x11" }',
    METER % ("index { index: 3 } " + RATES),
    MEASURED % ("meter_" + RATES),
    DIRECT_METER % ("\\x01", RATES),
    GROUP % (1, REPLICA),
    CLONE % (5, REPLICA + " packet_length_bytes: 20"),
    DIGEST % DIGEST_CONFIG,
    MEMBER % ("$In.plain", 1, SEND),
    MEMBER % ("$In.balanced", 1, SEND),
    MEMBERS % (1, 4, "members { member_id: 1 weight: 1 }"),
    INDIRECT % ("\\x01", "action_profile_member_id: 1"),
    SELECTED % ("\\x01", "action_profile_group_id: 1"),
    SELECTED % ("\\x03", ONE_SHOT % (SHOT % 1 + SHOT % 2)),
    VALUES % 'members { match { field_id: 1 exact { value: "\\x12\\x34" } } }',
)
"""A valid entity of every kind."""

SPACE = "ALL-sswitch-p4org"


def kinds() -> Any:
    """A new ForwardingPipelineConfig of programs/kinds.p4, with the cookie 77."""
    return config("kinds")


def station(mac: int, port: int) -> str:
    """A TableEntry that sends packets for a MAC address to a port."""
    value = "".join(f"\\x{byte:02x}" for byte in mac.to_bytes(6, "big"))
    return station_entry(value, parameters=PARAMETER % f"\\x{port:02x}")


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
