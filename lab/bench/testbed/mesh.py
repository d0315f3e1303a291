"""TCP connections between all pairs of hosts, for schemes that need no switch program.

Messages go directly from and to numpy arrays, so that only the links limit the speed.
"""

from __future__ import annotations

import queue
import socket
import struct
import threading
import time
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from dropzero.simulator.collectives.schemes import Bytes, Collective, Vector

PORT = 7000
CONNECT_TIMEOUT = 30.0
"""Seconds within which the other hosts must come up."""
LENGTH = struct.Struct("!Q")


class Mesh(AbstractContextManager["Mesh"]):
    """Connections to all other hosts, in one rack. Sending does not block, so that two hosts may send to each other."""

    def __init__(self, rank: int, size: int, job: int = 1) -> None:
        """job: from 1: others may have their own connections at the same time."""
        port = PORT + 10 * job
        self.rank, self.size, self.racks = rank, size, 1
        self._peers: dict[int, socket.socket] = {}
        self._outgoing: queue.Queue[tuple[int, Bytes] | None] = queue.Queue()
        with socket.create_server((_address(rank), port), backlog=size) as server:
            server.settimeout(CONNECT_TIMEOUT)
            for peer in range(rank):
                self._peers[peer] = _connect(_address(peer), port)
                self._peers[peer].sendall(LENGTH.pack(rank))
            for _ in range(rank + 1, size):
                connection, _ = server.accept()
                self._peers[LENGTH.unpack(_exactly(connection, LENGTH.size).data)[0]] = connection
        for connection in self._peers.values():
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sender = threading.Thread(target=self._send_all, daemon=True)
        self._sender.start()

    def send(self, peer: int, content: NDArray[np.generic]) -> None:
        """Send an array, which must not change until `flush`."""
        self._outgoing.put((peer, content.reshape(-1).view(np.uint8)))

    def receive(self, peer: int) -> Bytes:
        """Return the next message of a peer, as bytes."""
        size = LENGTH.unpack(_exactly(self._peers[peer], LENGTH.size).data)[0]
        return _exactly(self._peers[peer], size)

    def flush(self) -> None:
        """Wait until the kernel has taken all sent bytes."""
        self._outgoing.join()

    def run(self, collective: Collective, vector: Vector) -> Vector:
        """Run this host's part in a call. Return the result."""
        steps = collective(self, vector)
        try:
            peer = next(steps)
            while True:
                peer = steps.send(self.receive(peer))
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]

    def barrier(self) -> None:
        """Wait until all hosts have called it (a dissemination barrier)."""
        step = 1
        while step < self.size:
            self.send((self.rank + step) % self.size, np.zeros(1, np.uint8))
            self.receive((self.rank - step) % self.size)
            step *= 2
        self.flush()

    def __exit__(self, *_: object) -> None:
        self._outgoing.put(None)
        self._sender.join(CONNECT_TIMEOUT)
        for connection in self._peers.values():
            connection.close()

    def _send_all(self) -> None:
        while (message := self._outgoing.get()) is not None:
            peer, content = message
            self._peers[peer].sendall(LENGTH.pack(content.size))
            self._peers[peer].sendall(content.data)
            self._outgoing.task_done()


def _address(rank: int) -> str:
    return f"10.0.0.{rank + 1}"


def _connect(host: str, port: int) -> socket.socket:
    deadline = time.monotonic() + CONNECT_TIMEOUT
    while True:
        try:
            return socket.create_connection((host, port), timeout=CONNECT_TIMEOUT)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _exactly(connection: socket.socket, size: int) -> Bytes:
    content = np.empty(size, np.uint8)
    view = content.data
    while view:
        count = connection.recv_into(view)
        if not count:
            raise ConnectionError("a peer has gone")
        view = view[count:]
    return content
