"""Packets over gRPC, for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc

from dropzero.softswitch.ports.dataplane import SERVICE
from dropzero.softswitch.ports.dataplane_pb2 import PacketStreamRequest, PacketStreamResponse


def stream(channel: grpc.Channel, requests: Iterator[Any]) -> Any:
    call = channel.stream_stream(
        f"/{SERVICE}/PacketStream", PacketStreamRequest.SerializeToString, PacketStreamResponse.FromString
    )
    return call(requests)


def packet(mac: int, length: int = 60) -> bytes:
    return mac.to_bytes(6, "big") + bytes(6) + b"\x88\xb5" + bytes(length - 14)


def request(id: int, port: int, content: bytes, device_id: int = 0) -> Any:
    return PacketStreamRequest(id=id, device_id=device_id, port=port, packet=content)


def forwarded(channel: grpc.Channel, port: int, *packets: bytes) -> list[tuple[int, bytes]]:
    """Sends packets into a port. Returns (port, packet) of each that leaves, in order."""
    return [(each.port, each.packet) for each in stream(channel, iter([request(0, port, each) for each in packets]))]
