"""What a gRPC plug-in would generate from the service in membership.proto: method names with their messages."""

from __future__ import annotations

from typing import Any

import grpc

from .membership_pb2 import Admission, JoinRequest, LeaveReply, LeaveRequest

_SERVICE = "dropzero.Membership"


class MembershipStub:
    """The client's side."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.join = channel.unary_stream(f"/{_SERVICE}/Join", JoinRequest.SerializeToString, Admission.FromString)
        self.leave = channel.unary_unary(f"/{_SERVICE}/Leave", LeaveRequest.SerializeToString, LeaveReply.FromString)


def membership_handler(service: Any) -> grpc.GenericRpcHandler:
    """The server's side: `service` has methods `join` and `leave`."""
    methods = {
        "Join": grpc.unary_stream_rpc_method_handler(service.join, JoinRequest.FromString, Admission.SerializeToString),
        "Leave": grpc.unary_unary_rpc_method_handler(
            service.leave, LeaveRequest.FromString, LeaveReply.SerializeToString
        ),
    }
    return grpc.method_handlers_generic_handler(_SERVICE, methods)
