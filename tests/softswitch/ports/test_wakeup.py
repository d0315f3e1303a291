"""Waking the switch's loop."""

from __future__ import annotations

import select
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from dropzero.linux.wakeup_pipe import CAPACITY, WakeupPipe
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.ports import Ports
from tests.support.namespace import SECONDS


@pytest.fixture
def pipe() -> Iterator[WakeupPipe]:
    pipe = WakeupPipe()
    yield pipe
    pipe.close()


def readable(pipe: WakeupPipe) -> bool:
    return bool(select.select([pipe], [], [], 0)[0])


@pytest.mark.parametrize("times", [1, 2, CAPACITY + 1])
def test_it_is_readable_until_drained_however_often_it_was_woken(pipe: WakeupPipe, times: int) -> None:
    assert not readable(pipe)
    for _ in range(times):
        pipe.wake()
    assert readable(pipe)
    pipe.drain()
    assert not readable(pipe)


def test_a_signal_stops_a_loop_whose_own_thread_does_not_get_it() -> None:
    """As a signal just before the thread sleeps: it does not interrupt the sleep, so Python's handler would wait for
    its end."""

    def interrupt() -> None:
        time.sleep(0.2)
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    ports = Ports()
    loop = Loop(Switch(), ports)
    late = threading.Timer(SECONDS, loop.stop)
    late.start()
    before = signal.getsignal(signal.SIGTERM)
    with loop.stopped_by_signals():
        threading.Thread(target=interrupt).start()
        loop.run()
    assert late.is_alive()
    assert signal.getsignal(signal.SIGTERM) is before
    late.cancel()
    loop.close()
    ports.close()
