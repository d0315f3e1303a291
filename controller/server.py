"""Where the controller's services listen."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import grpc

from .access import AccessError, Tls, refuse_exposed


class ListenError(AccessError):
    """The address to listen on is taken, or is none."""


@asynccontextmanager
async def serving(
    handlers: Sequence[grpc.GenericRpcHandler], listen: str, heartbeat: float, tls: Tls | None = None
) -> AsyncIterator[str]:
    """Serves at `unix:/path` or `host:port` (port 0: any), which the yielded address tells.

    A client that does not answer for `heartbeat` to 2 `heartbeat` seconds, though its connection stands, is cut off.

    Raises:
        AccessError: the address cannot be had (ListenError), or is open to all, or a certificate cannot be read.
    """
    refuse_exposed(listen, tls)
    path = Path(listen.removeprefix("unix:").removeprefix("//")) if listen.startswith("unix:") else None
    if path is not None:
        _refuse_taken(path)
    elif (port_text := listen.rpartition(":")[2]) and not (port_text.isdecimal() and int(port_text) < 1 << 16):
        # gRPC would take the rest of the division by 65536.
        raise ListenError(f"cannot listen on {listen}: {port_text} is no TCP port")
    patience = round(heartbeat * 1000)
    options = [
        ("grpc.so_reuseport", 0),
        ("grpc.keepalive_time_ms", patience),
        # How long an answer may take: which of these two gRPC heeds depends on its version.
        ("grpc.keepalive_timeout_ms", patience),
        ("grpc.http2.ping_timeout_ms", patience),
        ("grpc.http2.max_pings_without_data", 0),
    ]
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers(tuple(handlers))
    try:
        port = server.add_insecure_port(listen) if tls is None else server.add_secure_port(listen, tls.server())
    except RuntimeError:
        port = 0
    if port == 0:
        raise ListenError(f"cannot listen on {listen}: is the address taken, or not this machine's?")
    await server.start()
    try:
        yield listen if path is not None else f"{listen.rpartition(':')[0]}:{port}"
    finally:
        await server.stop(grace=None)
        if path is not None:
            with suppress(FileNotFoundError):
                os.unlink(path)


def _refuse_taken(path: Path) -> None:
    """gRPC silently takes a socket file over from whoever listens on it."""
    if len(os.fsencode(path)) > 107:
        raise ListenError(f"the path of a Unix socket has at most 107 characters: {path}")
    if not path.parent.is_dir():
        raise ListenError(f"cannot listen on {path}: there is no directory {path.parent}")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return
    raise ListenError(f"cannot listen on {path}: another controller does")
