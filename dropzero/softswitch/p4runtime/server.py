"""gRPC servers, on an event loop in a separate thread."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import re
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

log = logging.getLogger(__name__)

# Two servers must not silently share a port, and pipelines may exceed the default limit of 4 MiB.
OPTIONS = [("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", 256 << 20)]
STOP_SECONDS = 0.5
LISTENING = "0A"


@dataclass(frozen=True)
class Listener:
    """An address, "host:port" or "unix:path", and the services there.

    attach:      adds the services to the server; called in the event loop, where it may start tasks
    credentials: for TLS; None for none
    """

    address: str
    attach: Callable[[Any], None]
    credentials: grpc.ServerCredentials | None = None


class Server:
    """Serves until close(). Raises OSError if it cannot listen on an address."""

    def __init__(self, *listeners: Listener) -> None:
        for listener in listeners:
            _check_free(listener.address)
        self._listeners = listeners
        self._started: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="grpc", daemon=True)
        self._thread.start()
        self._started.result()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:
            if self._started.done():
                log.exception("The gRPC server ended")
            else:
                self._started.set_exception(error)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        servers = [self._listen(listener) for listener in self._listeners]
        for server in servers:
            await server.start()
        self._started.set_result(None)
        await self._stopping.wait()
        for server in servers:
            await server.stop(STOP_SECONDS)

    def _listen(self, listener: Listener) -> Any:
        server = grpc.aio.server(options=OPTIONS)
        listener.attach(server)
        try:
            port = (
                server.add_insecure_port(listener.address)
                if listener.credentials is None
                else server.add_secure_port(listener.address, listener.credentials)
            )
        except RuntimeError:
            port = 0
        if not port:
            raise OSError(errno.EADDRNOTAVAIL, f"cannot listen on {listener.address}")
        return server


def _check_free(address: str) -> None:
    """Raises OSError if an address is in use, with the process if known. gRPC itself reports no reason."""
    if address.startswith("unix:"):
        path = address.removeprefix("unix:")
        with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(ConnectionRefusedError, FileNotFoundError):
            probe.connect(path)
            raise OSError(errno.EADDRINUSE, f"{address} is in use")
        return
    match = re.fullmatch(r"(?:ipv[46]:)?\[?([^\[\]]*)\]?:(\d+)", address)
    if match is None or int(match[2]) > 65535:
        raise OSError(errno.EINVAL, f"{address!r} is no HOST:PORT and no unix:PATH")
    host, port = match[1], int(match[2])
    for family, kind, protocol, _, name in socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    ):
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(name)
                probe.listen()
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    holder = _holder(port)
                    raise OSError(errno.EADDRINUSE, f"port {port} is in use{holder and f' by {holder}'}") from None
                raise OSError(error.errno, f"cannot listen on {address}: {error.strerror}") from None


def _holder(port: int) -> str:
    """The process that listens on a TCP port, if /proc shows it; otherwise the empty string."""
    inodes = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
                columns = line.split()
                if columns[3] == LISTENING and int(columns[1].rpartition(":")[2], 16) == port:
                    inodes.add(f"socket:[{columns[9]}]")
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(os.readlink(fd) in inodes for fd in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()} (pid {process.name})"
    return ""
