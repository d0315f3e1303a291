"""gRPC stubs and handlers of the services in membership.proto, typed by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from dropzero.membership import membership_pb2 as pb

_MEMBERSHIP = "dropzero.Membership"
_OPERATOR = "dropzero.Operator"


def _unary(channel: grpc.Channel, service: str, method: str, request: Any, answer: Any) -> Any:
    return channel.unary_unary(f"/{service}/{method}", request.SerializeToString, answer.FromString)


def _stream(channel: grpc.Channel, service: str, method: str, request: Any, answer: Any) -> Any:
    return channel.unary_stream(f"/{service}/{method}", request.SerializeToString, answer.FromString)


class MembershipStub:
    """The worker's side."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.join = _stream(channel, _MEMBERSHIP, "Join", pb.JoinRequest, pb.Admission)
        self.resume = _stream(channel, _MEMBERSHIP, "Resume", pb.Member, pb.Admission)
        self.leave = _unary(channel, _MEMBERSHIP, "Leave", pb.LeaveRequest, pb.LeaveReply)
        self.compare = _unary(channel, _MEMBERSHIP, "Compare", pb.CallReport, pb.CallReports)
        self.give_up = _unary(channel, _MEMBERSHIP, "GiveUp", pb.GiveUpRequest, pb.GiveUpReply)
        self.hold = _unary(channel, _MEMBERSHIP, "Hold", pb.Progress, pb.HoldReply)
        self.waiting = _unary(channel, _MEMBERSHIP, "Waiting", pb.Progress, pb.WaitingReply)
        self.present = _unary(channel, _MEMBERSHIP, "Present", pb.Progress, pb.PresentReply)
        self.come_back = _unary(channel, _MEMBERSHIP, "Return", pb.Member, pb.ReturnReply)
        self.admit = _unary(channel, _MEMBERSHIP, "Admit", pb.AdmitRequest, pb.AdmitReply)
        self.recall = _unary(channel, _MEMBERSHIP, "Recall", pb.Recollection, pb.RecallReply)


class OperatorStub:
    """The operator's side."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.jobs = _unary(channel, _OPERATOR, "Jobs", pb.JobsRequest, pb.JobsReply)
        self.evict = _unary(channel, _OPERATOR, "Evict", pb.EvictRequest, pb.Done)
        self.resize = _unary(channel, _OPERATOR, "Resize", pb.ResizeRequest, pb.Done)
        self.reset = _unary(channel, _OPERATOR, "Reset", pb.ResetRequest, pb.Done)
        self.set_loss = _unary(channel, _OPERATOR, "SetLoss", pb.LossRequest, pb.Done)
        self.set_address = _unary(channel, _OPERATOR, "SetAddress", pb.AddressRequest, pb.Done)
        self.set_marking = _unary(channel, _OPERATOR, "SetMarking", pb.MarkingRequest, pb.Done)
        self.watch = _stream(channel, _OPERATOR, "Watch", pb.WatchRequest, pb.Line)
        self.trace = _stream(channel, _OPERATOR, "Trace", pb.TraceRequest, pb.WorkerTrace)


def _answers(kind: Callable[..., Any], method: Any, request: Any, answer: Any) -> Any:
    return kind(method, request.FromString, answer.SerializeToString)


def membership_handler(service: Any) -> grpc.GenericRpcHandler:
    """The server's side: `service` has the methods of MembershipStub."""
    unary, stream = grpc.unary_unary_rpc_method_handler, grpc.unary_stream_rpc_method_handler
    methods = {
        "Join": _answers(stream, service.join, pb.JoinRequest, pb.Admission),
        "Resume": _answers(stream, service.resume, pb.Member, pb.Admission),
        "Leave": _answers(unary, service.leave, pb.LeaveRequest, pb.LeaveReply),
        "Compare": _answers(unary, service.compare, pb.CallReport, pb.CallReports),
        "GiveUp": _answers(unary, service.give_up, pb.GiveUpRequest, pb.GiveUpReply),
        "Hold": _answers(unary, service.hold, pb.Progress, pb.HoldReply),
        "Waiting": _answers(unary, service.waiting, pb.Progress, pb.WaitingReply),
        "Present": _answers(unary, service.present, pb.Progress, pb.PresentReply),
        "Return": _answers(unary, service.come_back, pb.Member, pb.ReturnReply),
        "Admit": _answers(unary, service.admit, pb.AdmitRequest, pb.AdmitReply),
        "Recall": _answers(unary, service.recall, pb.Recollection, pb.RecallReply),
    }
    return grpc.method_handlers_generic_handler(_MEMBERSHIP, methods)


def operator_handler(service: Any) -> grpc.GenericRpcHandler:
    """The server's side: `service` has the methods of OperatorStub."""
    unary, stream = grpc.unary_unary_rpc_method_handler, grpc.unary_stream_rpc_method_handler
    methods = {
        "Jobs": _answers(unary, service.jobs, pb.JobsRequest, pb.JobsReply),
        "Evict": _answers(unary, service.evict, pb.EvictRequest, pb.Done),
        "Resize": _answers(unary, service.resize, pb.ResizeRequest, pb.Done),
        "Reset": _answers(unary, service.reset, pb.ResetRequest, pb.Done),
        "SetLoss": _answers(unary, service.set_loss, pb.LossRequest, pb.Done),
        "SetAddress": _answers(unary, service.set_address, pb.AddressRequest, pb.Done),
        "SetMarking": _answers(unary, service.set_marking, pb.MarkingRequest, pb.Done),
        "Watch": _answers(stream, service.watch, pb.WatchRequest, pb.Line),
        "Trace": _answers(stream, service.trace, pb.TraceRequest, pb.WorkerTrace),
    }
    return grpc.method_handlers_generic_handler(_OPERATOR, methods)
