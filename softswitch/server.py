"""The gRPC server: an event loop in a thread of its own."""

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
from pathlib import Path

import grpc
import grpc.aio
from p4.v1 import p4runtime_pb2_grpc

from softswitch.service import Service
from softswitch.switch import Switch

log = logging.getLogger(__name__)

# So that two servers cannot share a port without knowing; and pipelines are bigger than the usual 4 MiB.
OPTIONS = [("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", 256 << 20)]
STOP_SECONDS = 0.5
LISTENING = "0A"


class Server:
    """P4Runtime for `switch` at `address`, "host:port" or "unix:path", from when it is made until close().

    inject: takes packet-outs, in the server's thread. Raises OSError when the address cannot be listened on.
    """

    def __init__(self, switch: Switch, address: str, inject: Callable[[bytes], None]) -> None:
        _check_free(address)
        self._switch = switch
        self._address = address
        self._inject = inject
        self._started: Future[int] = Future()
        self._thread = threading.Thread(target=self._run, name="p4runtime", daemon=True)
        self._thread.start()
        self.port = self._started.result()
        """The TCP port; 1 for a Unix socket."""

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:
            if self._started.done():
                log.exception("The P4Runtime server ended")
            else:
                self._started.set_exception(error)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        server = grpc.aio.server(options=OPTIONS)
        service = Service(self._switch, self._inject)
        p4runtime_pb2_grpc.add_P4RuntimeServicer_to_server(service, server)
        try:
            port = server.add_insecure_port(self._address)
        except RuntimeError:
            port = 0
        if not port:
            raise OSError(errno.EADDRNOTAVAIL, f"cannot listen on {self._address}")
        self._switch.packet_in = lambda packet: self._hand_over(service, packet)
        await server.start()
        self._started.set_result(port)
        await self._stopping.wait()
        await server.stop(STOP_SECONDS)

    def _hand_over(self, service: Service, packet: bytes) -> None:
        # Packets may still come while the server goes.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(service.packet_in, packet)


def _check_free(address: str) -> None:
    """Raises OSError, which says who holds the port if that can be known. gRPC itself reports no reason."""
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
    """The process that listens on a TCP port, as far as /proc tells; otherwise the empty string."""
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
