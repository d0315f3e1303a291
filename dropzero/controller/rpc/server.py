"""The gRPC server of the controller's services."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from hmac import compare_digest
from pathlib import Path
from typing import Any

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


class ListenError(AccessError):
    """The address to listen on is taken or invalid."""


@asynccontextmanager
async def serving(
    members: grpc.GenericRpcHandler,
    operators: grpc.GenericRpcHandler,
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
    if socket_of(listen) is None:
        both = (members, Guarded(operators, credentials.operator_token))
        async with _served(both, listen, heartbeat, tls) as address:
            yield address
    else:
        async with (
            _served([members], listen, heartbeat, tls) as address,
            _served([operators], operator_address(listen), heartbeat, None, private=True),
        ):
            yield address


class Guarded(grpc.GenericRpcHandler):  # type: ignore[misc]
    """A service that requires a token. With an empty `token`, it refuses all calls."""

    def __init__(self, service: grpc.GenericRpcHandler, token: str) -> None:
        self._service, self._token = service, token

    def service(self, details: Any) -> Any:
        """The handler of a call, or None if the service has no such method."""
        answer = self._service.service(details)
        shown = next((value for key, value in details.invocation_metadata or () if key == OPERATOR_TOKEN), "")
        if answer is None or (self._token and compare_digest(shown.encode(), self._token.encode())):
            return answer
        return grpc.unary_unary_rpc_method_handler(self._refuse)

    async def _refuse(self, _: bytes, context: grpc.aio.ServicerContext) -> None:
        text = "wrong operator token: give the right one with --operator-token"
        if not self._token:
            text = "over TCP, operators need a token: start the controller with --operator-token"
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, text)


@asynccontextmanager
async def _served(
    handlers: Sequence[grpc.GenericRpcHandler], listen: str, heartbeat: float, tls: Tls | None, *, private: bool = False
) -> AsyncIterator[str]:
    """Serves `handlers` at `listen`, and yields the address. private: only this user may open the socket."""
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
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers(tuple(handlers))
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
