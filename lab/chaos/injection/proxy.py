"""Connections that can be cut: a proxy in front of a server, which forwards bytes or holds them back."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

BYTES = 1 << 16
Address = tuple[str, int] | str
"""The address of a TCP server, or the path of a Unix socket."""


class Proxy:
    """Forwards connections to a server, in threads, until it is closed. While cut, it either holds all bytes back, like
    a network that drops all packets, or hangs up and refuses connections, like a host that is gone."""

    def __init__(self, server: Address, listen: Address) -> None:
        """listen: its own address; TCP port 0 for any free one."""
        self._server = server
        family = socket.AF_UNIX if isinstance(listen, str) else socket.AF_INET
        self._family = socket.AF_UNIX if isinstance(server, str) else socket.AF_INET
        self._listener = socket.socket(family)
        self._listener.bind(listen)
        self._listener.listen(64)
        self._path = Path(listen) if isinstance(listen, str) else None
        self._open = threading.Event()
        self._open.set()
        self._refusing = False
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """The TCP port at which it listens."""
        return int(self._listener.getsockname()[1])

    def cut(self, *, hang_up: bool) -> None:
        """Forward nothing until `heal`."""
        self._open.clear()
        if hang_up:
            self._refusing = True
            self._hang_up()

    def heal(self) -> None:
        """Forward again, beginning with the bytes held back."""
        self._refusing = False
        self._open.set()

    def close(self) -> None:
        """End all connections and refuse new ones."""
        self._refusing = True
        self._open.set()
        # A thread in accept() keeps the socket open until it is woken.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._hang_up()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _hang_up(self) -> None:
        with self._lock:
            for each in self._sockets:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(self._family)
            try:
                if self._refusing:
                    raise ConnectionRefusedError
                server.connect(self._server)
            except OSError:
                client.close()
                server.close()
                continue
            with self._lock:
                self._sockets |= {client, server}
            ends = threading.Semaphore(0)
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(one, other, ends), daemon=True).start()
            threading.Thread(target=self._close_both, args=(client, server, ends), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, ends: threading.Semaphore) -> None:
        with suppress(OSError):
            while data := source.recv(BYTES):
                self._open.wait()
                sink.sendall(data)
        for each in (source, sink):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        ends.release()

    def _close_both(self, client: socket.socket, server: socket.socket, ends: threading.Semaphore) -> None:
        ends.acquire()
        ends.acquire()
        with self._lock:
            self._sockets -= {client, server}
        client.close()
        server.close()
