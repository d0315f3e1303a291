from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
HOST: WhenFull
REFUSE: WhenFull
WAIT: WhenFull

class AddressRequest(_message.Message):
    __slots__ = ["ip", "mac"]
    IP_FIELD_NUMBER: _ClassVar[int]
    MAC_FIELD_NUMBER: _ClassVar[int]
    ip: str
    mac: str
    def __init__(self, ip: _Optional[str] = ..., mac: _Optional[str] = ...) -> None: ...

class Admission(_message.Message):
    __slots__ = ["benched", "endings", "epoch", "hold", "hosted", "job", "lanes", "leaf", "leaving", "members", "newcomer", "number", "rank", "ranks", "recall", "roll_call", "secret", "size", "switch_ip", "switch_port", "waiting", "why"]
    class RanksEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: int
        def __init__(self, key: _Optional[int] = ..., value: _Optional[int] = ...) -> None: ...
    BENCHED_FIELD_NUMBER: _ClassVar[int]
    ENDINGS_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    HOSTED_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    LEAF_FIELD_NUMBER: _ClassVar[int]
    LEAVING_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    NEWCOMER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    RECALL_FIELD_NUMBER: _ClassVar[int]
    ROLL_CALL_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SWITCH_IP_FIELD_NUMBER: _ClassVar[int]
    SWITCH_PORT_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    benched: _containers.RepeatedScalarFieldContainer[int]
    endings: _containers.RepeatedCompositeFieldContainer[Ending]
    epoch: int
    hold: int
    hosted: bool
    job: int
    lanes: int
    leaf: bool
    leaving: _containers.RepeatedScalarFieldContainer[int]
    members: _containers.RepeatedScalarFieldContainer[int]
    newcomer: bool
    number: int
    rank: int
    ranks: _containers.ScalarMap[int, int]
    recall: int
    roll_call: int
    secret: int
    size: int
    switch_ip: str
    switch_port: int
    waiting: int
    why: str
    def __init__(self, job: _Optional[int] = ..., size: _Optional[int] = ..., rank: _Optional[int] = ..., epoch: _Optional[int] = ..., lanes: _Optional[int] = ..., switch_ip: _Optional[str] = ..., switch_port: _Optional[int] = ..., members: _Optional[_Iterable[int]] = ..., hosted: bool = ..., why: _Optional[str] = ..., leaf: bool = ..., leaving: _Optional[_Iterable[int]] = ..., benched: _Optional[_Iterable[int]] = ..., waiting: _Optional[int] = ..., newcomer: bool = ..., roll_call: _Optional[int] = ..., secret: _Optional[int] = ..., hold: _Optional[int] = ..., endings: _Optional[_Iterable[_Union[Ending, _Mapping]]] = ..., number: _Optional[int] = ..., ranks: _Optional[_Mapping[int, int]] = ..., recall: _Optional[int] = ...) -> None: ...

class AdmitReply(_message.Message):
    __slots__ = ["epoch"]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    def __init__(self, epoch: _Optional[int] = ...) -> None: ...

class AdmitRequest(_message.Message):
    __slots__ = ["calls", "member"]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    calls: int
    member: Member
    def __init__(self, member: _Optional[_Union[Member, _Mapping]] = ..., calls: _Optional[int] = ...) -> None: ...

class CallReport(_message.Message):
    __slots__ = ["call", "member"]
    CALL_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    call: str
    member: Member
    def __init__(self, member: _Optional[_Union[Member, _Mapping]] = ..., call: _Optional[str] = ...) -> None: ...

class CallReports(_message.Message):
    __slots__ = ["calls"]
    class CallsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: str
        def __init__(self, key: _Optional[int] = ..., value: _Optional[str] = ...) -> None: ...
    CALLS_FIELD_NUMBER: _ClassVar[int]
    calls: _containers.ScalarMap[int, str]
    def __init__(self, calls: _Optional[_Mapping[int, str]] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = ["text"]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class Ending(_message.Message):
    __slots__ = ["call", "calls", "cause", "epoch", "kind", "rank"]
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CALLS_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    DISAGREEMENT: Ending.Kind
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    GAVE_UP: Ending.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    LOST: Ending.Kind
    RANK_FIELD_NUMBER: _ClassVar[int]
    call: int
    calls: int
    cause: str
    epoch: int
    kind: Ending.Kind
    rank: int
    def __init__(self, call: _Optional[int] = ..., rank: _Optional[int] = ..., cause: _Optional[str] = ..., kind: _Optional[_Union[Ending.Kind, str]] = ..., epoch: _Optional[int] = ..., calls: _Optional[int] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ["call", "time", "what"]
    CALL_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    call: int
    time: float
    what: str
    def __init__(self, time: _Optional[float] = ..., call: _Optional[int] = ..., what: _Optional[str] = ...) -> None: ...

class EvictRequest(_message.Message):
    __slots__ = ["job", "rank"]
    JOB_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    job: int
    rank: int
    def __init__(self, job: _Optional[int] = ..., rank: _Optional[int] = ...) -> None: ...

class GiveUpReply(_message.Message):
    __slots__ = ["ending"]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    ending: Ending
    def __init__(self, ending: _Optional[_Union[Ending, _Mapping]] = ...) -> None: ...

class GiveUpRequest(_message.Message):
    __slots__ = ["ending", "member"]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    ending: Ending
    member: Member
    def __init__(self, member: _Optional[_Union[Member, _Mapping]] = ..., ending: _Optional[_Union[Ending, _Mapping]] = ...) -> None: ...

class HoldReply(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class JobStatus(_message.Message):
    __slots__ = ["elastic", "epoch", "first_slots", "job", "lanes", "size", "state", "workers"]
    class FirstSlotsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    ELASTIC_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    FIRST_SLOTS_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    elastic: bool
    epoch: int
    first_slots: _containers.ScalarMap[str, int]
    job: int
    lanes: int
    size: int
    state: str
    workers: _containers.RepeatedCompositeFieldContainer[WorkerStatus]
    def __init__(self, job: _Optional[int] = ..., state: _Optional[str] = ..., size: _Optional[int] = ..., epoch: _Optional[int] = ..., lanes: _Optional[int] = ..., first_slots: _Optional[_Mapping[str, int]] = ..., elastic: bool = ..., workers: _Optional[_Iterable[_Union[WorkerStatus, _Mapping]]] = ...) -> None: ...

class JobsReply(_message.Message):
    __slots__ = ["jobs"]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[JobStatus]
    def __init__(self, jobs: _Optional[_Iterable[_Union[JobStatus, _Mapping]]] = ...) -> None: ...

class JobsRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class JoinRequest(_message.Message):
    __slots__ = ["elastic", "ip", "job", "lanes", "mac", "priority", "quorum", "raise_on_loss", "rank", "size", "token", "udp_port", "when_full"]
    ELASTIC_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    MAC_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    QUORUM_FIELD_NUMBER: _ClassVar[int]
    RAISE_ON_LOSS_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    UDP_PORT_FIELD_NUMBER: _ClassVar[int]
    WHEN_FULL_FIELD_NUMBER: _ClassVar[int]
    elastic: bool
    ip: str
    job: int
    lanes: int
    mac: str
    priority: int
    quorum: int
    raise_on_loss: bool
    rank: int
    size: int
    token: str
    udp_port: int
    when_full: WhenFull
    def __init__(self, job: _Optional[int] = ..., size: _Optional[int] = ..., rank: _Optional[int] = ..., ip: _Optional[str] = ..., mac: _Optional[str] = ..., udp_port: _Optional[int] = ..., lanes: _Optional[int] = ..., elastic: bool = ..., quorum: _Optional[int] = ..., token: _Optional[str] = ..., when_full: _Optional[_Union[WhenFull, str]] = ..., raise_on_loss: bool = ..., priority: _Optional[int] = ...) -> None: ...

class LeaveReply(_message.Message):
    __slots__ = ["stays"]
    STAYS_FIELD_NUMBER: _ClassVar[int]
    stays: bool
    def __init__(self, stays: bool = ...) -> None: ...

class LeaveRequest(_message.Message):
    __slots__ = ["calls", "epoch", "linger", "lost", "member"]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    LINGER_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    calls: int
    epoch: int
    linger: float
    lost: bool
    member: Member
    def __init__(self, member: _Optional[_Union[Member, _Mapping]] = ..., linger: _Optional[float] = ..., calls: _Optional[int] = ..., epoch: _Optional[int] = ..., lost: bool = ...) -> None: ...

class Line(_message.Message):
    __slots__ = ["text"]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class LossRequest(_message.Message):
    __slots__ = ["downlink", "uplink"]
    DOWNLINK_FIELD_NUMBER: _ClassVar[int]
    UPLINK_FIELD_NUMBER: _ClassVar[int]
    downlink: float
    uplink: float
    def __init__(self, uplink: _Optional[float] = ..., downlink: _Optional[float] = ...) -> None: ...

class MarkingRequest(_message.Message):
    __slots__ = ["packets"]
    PACKETS_FIELD_NUMBER: _ClassVar[int]
    packets: int
    def __init__(self, packets: _Optional[int] = ...) -> None: ...

class Member(_message.Message):
    __slots__ = ["epoch", "ip", "job", "rank", "secret", "token", "udp_port"]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    UDP_PORT_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    ip: str
    job: int
    rank: int
    secret: int
    token: str
    udp_port: int
    def __init__(self, job: _Optional[int] = ..., rank: _Optional[int] = ..., epoch: _Optional[int] = ..., token: _Optional[str] = ..., ip: _Optional[str] = ..., udp_port: _Optional[int] = ..., secret: _Optional[int] = ...) -> None: ...

class PresentReply(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Progress(_message.Message):
    __slots__ = ["calling", "calls", "impatient", "member", "unheard"]
    CALLING_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    IMPATIENT_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    UNHEARD_FIELD_NUMBER: _ClassVar[int]
    calling: bool
    calls: int
    impatient: bool
    member: Member
    unheard: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, member: _Optional[_Union[Member, _Mapping]] = ..., calls: _Optional[int] = ..., calling: bool = ..., impatient: bool = ..., unheard: _Optional[_Iterable[int]] = ...) -> None: ...

class RecallReply(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Recollection(_message.Message):
    __slots__ = ["events", "member"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    MEMBER_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    member: Member
    def __init__(self, member: _Optional[_Union[Member, _Mapping]] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class ResetRequest(_message.Message):
    __slots__ = ["counters", "job"]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    counters: bool
    job: int
    def __init__(self, job: _Optional[int] = ..., counters: bool = ...) -> None: ...

class ResizeRequest(_message.Message):
    __slots__ = ["job", "lanes"]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LANES_FIELD_NUMBER: _ClassVar[int]
    job: int
    lanes: int
    def __init__(self, job: _Optional[int] = ..., lanes: _Optional[int] = ...) -> None: ...

class ReturnReply(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class TraceRequest(_message.Message):
    __slots__ = ["job", "last"]
    JOB_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    job: int
    last: int
    def __init__(self, job: _Optional[int] = ..., last: _Optional[int] = ...) -> None: ...

class WaitingReply(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class WorkerStatus(_message.Message):
    __slots__ = ["connected", "ip", "port", "rank", "udp_port"]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    PORT_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    UDP_PORT_FIELD_NUMBER: _ClassVar[int]
    connected: bool
    ip: str
    port: int
    rank: int
    udp_port: int
    def __init__(self, rank: _Optional[int] = ..., ip: _Optional[str] = ..., udp_port: _Optional[int] = ..., port: _Optional[int] = ..., connected: bool = ...) -> None: ...

class WorkerTrace(_message.Message):
    __slots__ = ["events", "rank", "silent"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SILENT_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    rank: int
    silent: bool
    def __init__(self, rank: _Optional[int] = ..., silent: bool = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class WhenFull(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
