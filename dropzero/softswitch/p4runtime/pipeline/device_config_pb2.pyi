from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class P4DeviceConfig(_message.Message):
    __slots__ = ["device_data"]
    DEVICE_DATA_FIELD_NUMBER: _ClassVar[int]
    device_data: bytes
    def __init__(self, device_data: _Optional[bytes] = ...) -> None: ...
