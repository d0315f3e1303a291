from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

ALL_GATHER: CollectiveType
ALL_REDUCE: CollectiveType
ALL_TO_ALL: CollectiveType
BARRIER: CollectiveType
BATCH_NODE: NodeType
BROADCAST: CollectiveType
CHECKPOINT_NODE: NodeType
COMM_COLL_NODE: NodeType
COMM_RECV_NODE: NodeType
COMM_SEND_NODE: NodeType
COMP_NODE: NodeType
DESCRIPTOR: _descriptor.FileDescriptor
GATHER: CollectiveType
INVALID_NODE: NodeType
MEM_LOAD_NODE: NodeType
MEM_STORE_NODE: NodeType
METADATA_NODE: NodeType
REDUCE: CollectiveType
REDUCE_SCATTER: CollectiveType
REDUCE_SCATTER_BLOCK: CollectiveType
SCATTER: CollectiveType
STORAGE_NODE: NodeType

class Attribute(_message.Message):
    __slots__ = ["bool_val", "double_val", "fixed32_val", "fixed64_val", "float_val", "int32_val", "int64_val", "name", "sfixed32_val", "sfixed64_val", "sint32_val", "sint64_val", "string_val", "uint32_val", "uint64_val"]
    BOOL_VAL_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_VAL_FIELD_NUMBER: _ClassVar[int]
    FIXED32_VAL_FIELD_NUMBER: _ClassVar[int]
    FIXED64_VAL_FIELD_NUMBER: _ClassVar[int]
    FLOAT_VAL_FIELD_NUMBER: _ClassVar[int]
    INT32_VAL_FIELD_NUMBER: _ClassVar[int]
    INT64_VAL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SFIXED32_VAL_FIELD_NUMBER: _ClassVar[int]
    SFIXED64_VAL_FIELD_NUMBER: _ClassVar[int]
    SINT32_VAL_FIELD_NUMBER: _ClassVar[int]
    SINT64_VAL_FIELD_NUMBER: _ClassVar[int]
    STRING_VAL_FIELD_NUMBER: _ClassVar[int]
    UINT32_VAL_FIELD_NUMBER: _ClassVar[int]
    UINT64_VAL_FIELD_NUMBER: _ClassVar[int]
    bool_val: bool
    double_val: float
    fixed32_val: int
    fixed64_val: int
    float_val: float
    int32_val: int
    int64_val: int
    name: str
    sfixed32_val: int
    sfixed64_val: int
    sint32_val: int
    sint64_val: int
    string_val: str
    uint32_val: int
    uint64_val: int
    def __init__(self, name: _Optional[str] = ..., double_val: _Optional[float] = ..., float_val: _Optional[float] = ..., int32_val: _Optional[int] = ..., int64_val: _Optional[int] = ..., uint32_val: _Optional[int] = ..., uint64_val: _Optional[int] = ..., sint32_val: _Optional[int] = ..., sint64_val: _Optional[int] = ..., fixed32_val: _Optional[int] = ..., fixed64_val: _Optional[int] = ..., sfixed32_val: _Optional[int] = ..., sfixed64_val: _Optional[int] = ..., bool_val: bool = ..., string_val: _Optional[str] = ...) -> None: ...

class Metadata(_message.Message):
    __slots__ = ["attr", "version"]
    ATTR_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    attr: _containers.RepeatedCompositeFieldContainer[Attribute]
    version: str
    def __init__(self, version: _Optional[str] = ..., attr: _Optional[_Iterable[_Union[Attribute, _Mapping]]] = ...) -> None: ...

class Node(_message.Message):
    __slots__ = ["attr", "ctrl_deps", "data_deps", "duration_micros", "id", "name", "start_time_micros", "type"]
    ATTR_FIELD_NUMBER: _ClassVar[int]
    CTRL_DEPS_FIELD_NUMBER: _ClassVar[int]
    DATA_DEPS_FIELD_NUMBER: _ClassVar[int]
    DURATION_MICROS_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    START_TIME_MICROS_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    attr: _containers.RepeatedCompositeFieldContainer[Attribute]
    ctrl_deps: _containers.RepeatedScalarFieldContainer[int]
    data_deps: _containers.RepeatedScalarFieldContainer[int]
    duration_micros: int
    id: int
    name: str
    start_time_micros: int
    type: NodeType
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., type: _Optional[_Union[NodeType, str]] = ..., ctrl_deps: _Optional[_Iterable[int]] = ..., data_deps: _Optional[_Iterable[int]] = ..., start_time_micros: _Optional[int] = ..., duration_micros: _Optional[int] = ..., attr: _Optional[_Iterable[_Union[Attribute, _Mapping]]] = ...) -> None: ...

class NodeType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class CollectiveType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
