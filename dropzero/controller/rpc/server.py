"""The gRPC server of the controller's services."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from hmac import compare_digest
from pathlib import Path
from typing import Any, TypeAlias

import grpc

from dropzero.membership.access import (
    OPERATOR_TOKEN,
    AccessError,
    Credentials,
    Tls,
    keep_to_self,
    operator_address,
    refuse_exposed,
    socket_of,
)
from dropzero.membership.membership_pb2 import DESCRIPTOR
from dropzero.membership.membership_pb2_grpc import (
    MembershipServicer,
    OperatorServicer,
    add_MembershipServicer_to_server,
    add_OperatorServicer_to_server,
)

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"

_OPERATOR = DESCRIPTOR.services_by_name["Operator"].full_name


class ListenError(AccessError):
    """The address to listen on is taken or invalid."""


@asynccontextmanager
async def serving(
    members: MembershipServicer,
    operators: OperatorServicer,
    listen: str,
    heartbeat: float,
    credentials: Credentials,
) -> AsyncIterator[str]:
    """Serves workers at `listen`, `unix:/path` or `host:port` (port 0: any free one), and yields that address. Serves
    operators at a second socket, which only this user can open, or at the same port, where they need the token.

    Disconnects clients that have not answered for `heartbeat` to 2 * `heartbeat` seconds.

    Raises:
        AccessError: other machines could reach the address without TLS, or a certificate cannot be read.
        ListenError: it cannot listen on the address.
    """
    tls = credentials.tls
    refuse_exposed(listen, tls)
    add_members = partial(add_MembershipServicer_to_server, members)
    add_operators = partial(add_OperatorServicer_to_server, operators)
    if socket_of(listen) is None:
        guard = OperatorGuard(credentials.operator_token)
        async with _served([add_members, add_operators], listen, heartbeat, tls, guard=guard) as address:
            yield address
    else:
        async with (
            _served([add_members], listen, heartbeat, tls) as address,
            _served([add_operators], operator_address(listen), heartbeat, None, private=True),
        ):
            yield address


class OperatorGuard(grpc.aio.ServerInterceptor):
    """Requires a token for calls of the operator's service. With an empty `token`, it refuses all of them."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def intercept_service(
        self, continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]], details: grpc.HandlerCallDetails
    ) -> Handler:
        """The handler of a call, or None if there is no such method."""
        handler = await continuation(details)
        if handler is None or not details.method.startswith(f"/{_OPERATOR}/"):
            return handler
        shown = dict(details.invocation_metadata or ()).get(OPERATOR_TOKEN, "")
        if self._token and isinstance(shown, str) and compare_digest(shown.encode(), self._token.encode()):
            return handler
        return grpc.unary_unary_rpc_method_handler(self._refuse)

    async def _refuse(self, _: bytes, context: grpc.aio.ServicerContext[bytes, None]) -> None:
        text = "wrong operator token: give the right one with --operator-token"
        if not self._token:
            text = "over TCP, operators need a token: start the controller with --operator-token"
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, text)


@asynccontextmanager
async def _served(
    services: Sequence[Callable[[grpc.aio.Server], None]],
    listen: str,
    heartbeat: float,
    tls: Tls | None,
    *,
    guard: OperatorGuard | None = None,
    private: bool = False,
) -> AsyncIterator[str]:
    """Adds `services` to a server at `listen`, and yields the address. private: only this user may open the socket."""
    path = socket_of(listen)
    if path is not None:
        _refuse_taken(path)
    elif (port_text := listen.rpartition(":")[2]) and not (port_text.isdecimal() and int(port_text) < 1 << 16):
        # gRPC would take it modulo 65536.
        raise ListenError(f"cannot listen on {listen}: {port_text} is not a TCP port")
    interval = round(heartbeat * 1000)
    options = [
        ("grpc.so_reuseport", 0),
        ("grpc.keepalive_time_ms", interval),
        # The time limit for an answer; which of the two counts depends on gRPC's version.
        ("grpc.keepalive_timeout_ms", interval),
        ("grpc.http2.ping_timeout_ms", interval),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    server = grpc.aio.server(options=options, interceptors=[] if guard is None else [guard])
    for add in services:
        add(server)
    try:
        with _only_mine() if private else nullcontext():
            port = server.add_insecure_port(listen) if tls is None else server.add_secure_port(listen, tls.server())
    except RuntimeError:
        port = 0
    if port == 0:
        raise ListenError(f"cannot listen on {listen}: is the address taken, or does it belong to another machine?")
    await server.start()
    try:
        yield listen if path is not None else f"{listen.rpartition(':')[0]}:{port}"
    finally:
        await server.stop(grace=None)
        if path is not None:
            with suppress(FileNotFoundError):
                os.unlink(path)


@contextmanager
def _only_mine() -> Iterator[None]:
    """Makes files that are created in this context accessible to this user only."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)


def _refuse_taken(path: Path) -> None:
    """Raises ListenError if another process listens on the socket: gRPC would silently replace its file."""
    if len(os.fsencode(path)) > 107:
        raise ListenError(f"the path of a Unix socket may have at most 107 characters: {path}")
    keep_to_self(path)
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return
    raise ListenError(f"cannot listen on {path}: another controller already does")
