"""The device config that a client pushes: BMv2 JSON as it is, or inside the older p4.tmp.P4DeviceConfig."""

from __future__ import annotations

from google.protobuf import message

from dropzero.softswitch.p4runtime.pipeline.device_config_pb2 import P4DeviceConfig


def program_text(config: bytes) -> bytes:
    """The program's JSON. What is no P4DeviceConfig is taken as JSON, for the JSON reader to judge."""
    try:
        legacy = P4DeviceConfig.FromString(config)
    except message.DecodeError:
        return config
    return bytes(legacy.device_data) or config
