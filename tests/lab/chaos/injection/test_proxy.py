"""A cut connection, seen from both sides."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from lab.chaos.injection.proxy import Proxy


@contextmanager
def connected(path: Path) -> Iterator[tuple[Proxy, socket.socket]]:
    """A client of an echo server, behind a proxy."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path / "server"))
        server.listen()

        def serve() -> None:
            peer, _ = server.accept()
            with peer:
                while data := peer.recv(100):
                    peer.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        with closing(Proxy(str(path / "server"), str(path / "door"))) as proxy, socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path / "door"))
            client.settimeout(10)
            client.sendall(b"one")
            assert client.recv(100) == b"one"
            yield proxy, client


def test_what_is_held_back_arrives_when_the_cut_heals(tmp_path: Path) -> None:
    with connected(tmp_path) as (proxy, client):
        proxy.cut(hang_up=False)
        client.sendall(b"two")
        client.settimeout(0.2)
        with pytest.raises(TimeoutError):
            client.recv(100)
        proxy.heal()
        client.settimeout(10)
        assert client.recv(100) == b"two"


def test_a_proxy_that_hangs_up_refuses_new_connections(tmp_path: Path) -> None:
    with connected(tmp_path) as (proxy, client):
        proxy.cut(hang_up=True)
        assert client.recv(100) == b""
        with socket.socket(socket.AF_UNIX) as another:
            another.connect(str(tmp_path / "door"))
            another.settimeout(10)
            assert another.recv(100) == b""


def test_a_closed_proxy_leaves_nothing_behind(tmp_path: Path) -> None:
    with connected(tmp_path) as (_, client):
        pass
    assert not (tmp_path / "door").exists()
    assert client.fileno() == -1
