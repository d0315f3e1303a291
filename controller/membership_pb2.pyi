from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Admission(_message.Message):
    __slots__ = ["epoch", "job", "lanes", "rank", "size", "switch_ip", "switch_port"]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SWITCH_IP_FIELD_NUMBER: _ClassVar[int]
    SWITCH_PORT_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    job: int
    lanes: int
    rank: int
    size: int
    switch_ip: str
    switch_port: int
    def __init__(self, job: _Optional[int] = ..., size: _Optional[int] = ..., rank: _Optional[int] = ..., epoch: _Optional[int] = ..., lanes: _Optional[int] = ..., switch_ip: _Optional[str] = ..., switch_port: _Optional[int] = ...) -> None: ...

class JoinRequest(_message.Message):
    __slots__ = ["ip", "job", "lanes", "mac", "rank", "size", "udp_port"]
    IP_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    MAC_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    UDP_PORT_FIELD_NUMBER: _ClassVar[int]
    ip: str
    job: int
    lanes: int
    mac: str
    rank: int
    size: int
    udp_port: int
    def __init__(self, job: _Optional[int] = ..., size: _Optional[int] = ..., rank: _Optional[int] = ..., ip: _Optional[str] = ..., mac: _Optional[str] = ..., udp_port: _Optional[int] = ..., lanes: _Optional[int] = ...) -> None: ...

class LeaveReply(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class LeaveRequest(_message.Message):
    __slots__ = ["epoch", "job", "rank"]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    job: int
    rank: int
    def __init__(self, job: _Optional[int] = ..., epoch: _Optional[int] = ..., rank: _Optional[int] = ...) -> None: ...
