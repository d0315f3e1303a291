"""Ctrl-C while a run must not be disturbed."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from dropzero.topologies.processes.errors import Interruption
from dropzero.topologies.processes.signals import ENDING, interruptible, undisturbed


def block(wanted: signal.Signals, thread: int, done: list[str]) -> None:
    with undisturbed():
        signal.pthread_kill(thread, wanted)
        time.sleep(0.05)
        done.append("the rest of the block")


@pytest.mark.parametrize("wanted", ENDING)
def test_a_signal_waits_until_the_block_is_over_whatever_thread_gets_it(wanted: signal.Signals) -> None:
    over, done = threading.Event(), list[str]()
    other = threading.Thread(target=over.wait)
    other.start()
    assert other.ident is not None
    with interruptible():
        with pytest.raises(Interruption) as raised:
            block(wanted, other.ident, done)
        # Only the first one counts.
        os.kill(os.getpid(), wanted)
    over.set()
    assert raised.value.signal == wanted
    assert done == ["the rest of the block"]


def test_without_a_signal_nothing_changes() -> None:
    before = [signal.getsignal(each) for each in ENDING]
    with undisturbed():
        pass
    assert [signal.getsignal(each) for each in ENDING] == before
