"""Threads that make sockets in another network namespace."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from dropzero.linux.namespace import enter_new, inside
from tests.support.namespace import Namespace

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


def interfaces() -> set[str]:
    """The interfaces that a new socket sees."""
    return {name for _, name in socket.if_nameindex()}


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    made = Namespace(f"dzn{os.getpid()}", 1)
    yield made
    made.close()


def test_a_thread_is_inside_for_the_block_only(namespace: Namespace) -> None:
    home = interfaces()
    with namespace.inside():
        assert interfaces() == {"lo", "sw1", "h1"}
    assert interfaces() == home


def test_a_process_stands_for_its_namespace() -> None:
    home = interfaces()
    with inside(os.getpid()):
        assert interfaces() == home


def test_what_cannot_be_entered_is_an_error() -> None:
    for absent in ("/run/netns/dropzero-has-none-of-this-name", 0):
        with pytest.raises(FileNotFoundError), inside(absent):
            pass
    with pytest.raises(OSError, match="Invalid argument"), inside(__file__):
        pass


def test_a_new_namespace_has_only_the_loopback() -> None:
    seen: list[set[str]] = []

    def look() -> None:
        enter_new()
        seen.append(interfaces())

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [{"lo"}]
