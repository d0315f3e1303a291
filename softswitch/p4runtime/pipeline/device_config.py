"""The device config that a client pushes: BMv2 JSON as it is, or inside the older p4.tmp.P4DeviceConfig."""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto
# PyPI has no p4.tmp; of its message only this field matters here, the others are kept as unknown ones.
_FILE = descriptor_pb2.FileDescriptorProto(
    name="softswitch/device_config.proto",
    package="softswitch",
    syntax="proto3",
    message_type=[
        descriptor_pb2.DescriptorProto(
            name="P4DeviceConfig",
            field=[FIELD(name="device_data", number=3, type=FIELD.TYPE_BYTES, label=FIELD.LABEL_OPTIONAL)],
        )
    ],
)
_POOL = descriptor_pool.DescriptorPool()
_POOL.Add(_FILE)
P4DeviceConfig = message_factory.MessageFactory(_POOL).GetPrototype(
    _POOL.FindMessageTypeByName("softswitch.P4DeviceConfig")
)


def program_text(config: bytes) -> bytes:
    """The program's JSON. What is no P4DeviceConfig is taken as JSON, for the JSON reader to judge."""
    try:
        legacy = P4DeviceConfig.FromString(config)
    except message.DecodeError:
        return config
    return bytes(legacy.device_data) or config
