"""Ctrl-C while a run must not be interrupted."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import threading
from collections.abc import Iterator

import pytest

from dropzero.topologies.processes.errors import Interruption
from dropzero.topologies.processes.signals import ENDING, interruptible, undisturbed


@pytest.fixture
def arrived() -> Iterator[socket.socket]:
    """Gets a byte when the process has received a signal."""
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)
        before = signal.set_wakeup_fd(writer.fileno())
        yield reader
        signal.set_wakeup_fd(before)


def block(wanted: signal.Signals, thread: int, arrived: socket.socket, done: list[str]) -> None:
    with undisturbed():
        signal.pthread_kill(thread, wanted)
        assert arrived.recv(1) == bytes([wanted])
        done.append("the rest of the block")


@pytest.mark.parametrize("wanted", ENDING)
def test_a_signal_is_deferred_to_the_end_of_the_block_in_any_thread(
    wanted: signal.Signals, arrived: socket.socket
) -> None:
    over, done = threading.Event(), list[str]()
    other = threading.Thread(target=over.wait)
    other.start()
    assert other.ident is not None
    with interruptible():
        with pytest.raises(Interruption) as raised:
            block(wanted, other.ident, arrived, done)
        # Only the first one counts.
        os.kill(os.getpid(), wanted)
    over.set()
    assert raised.value.signal == wanted
    assert done == ["the rest of the block"]


@pytest.mark.parametrize("wanted", ENDING)
def test_no_callback_of_c_code_swallows_a_signal(wanted: signal.Signals) -> None:
    """The exception that it raises there cannot be passed on."""
    callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(wanted))

    def run() -> None:
        callback()
        # Until it comes again.
        signal.pause()

    with interruptible(), pytest.raises(Interruption) as raised:
        run()
    assert raised.value.signal == wanted


def test_without_a_signal_nothing_changes() -> None:
    before = [signal.getsignal(each) for each in ENDING]
    with undisturbed():
        pass
    assert [signal.getsignal(each) for each in ENDING] == before
