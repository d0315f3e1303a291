from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
OPER_STATUS_DOWN: PortOperStatus
OPER_STATUS_UNKNOWN: PortOperStatus
OPER_STATUS_UP: PortOperStatus

class PacketStreamRequest(_message.Message):
    __slots__ = ["device_id", "id", "packet", "port"]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    PACKET_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    device_id: int
    id: int
    packet: bytes
    port: int
    def __init__(self, id: _Optional[int] = ..., device_id: _Optional[int] = ..., port: _Optional[int] = ..., packet: _Optional[bytes] = ...) -> None: ...

class PacketStreamResponse(_message.Message):
    __slots__ = ["device_id", "id", "packet", "port"]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    PACKET_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    device_id: int
    id: int
    packet: bytes
    port: int
    def __init__(self, id: _Optional[int] = ..., device_id: _Optional[int] = ..., port: _Optional[int] = ..., packet: _Optional[bytes] = ...) -> None: ...

class SetPortOperStatusRequest(_message.Message):
    __slots__ = ["device_id", "oper_status", "port"]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    OPER_STATUS_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    device_id: int
    oper_status: PortOperStatus
    port: int
    def __init__(self, device_id: _Optional[int] = ..., port: _Optional[int] = ..., oper_status: _Optional[_Union[PortOperStatus, str]] = ...) -> None: ...

class SetPortOperStatusResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class PortOperStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
