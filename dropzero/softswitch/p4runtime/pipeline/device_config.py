"""The device config that a client pushes: plain BMv2 JSON, or wrapped in the older p4.tmp.P4DeviceConfig."""

from __future__ import annotations

from google.protobuf import message

from dropzero.softswitch.p4runtime.pipeline.device_config_pb2 import P4DeviceConfig


def program_text(config: bytes) -> bytes:
    """Returns the program's JSON. Anything but a P4DeviceConfig is returned unchanged, for the JSON reader to check."""
    try:
        legacy = P4DeviceConfig.FromString(config)
    except message.DecodeError:
        return config
    return bytes(legacy.device_data) or config
