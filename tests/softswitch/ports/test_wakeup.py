"""What wakes the switch's loop."""

from __future__ import annotations

import select
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from dropzero.linux.wakeup_pipe import MOST, Bell
from dropzero.softswitch.engine.switch import Switch
from dropzero.softswitch.ports.loop import Loop
from dropzero.softswitch.ports.ports import Ports
from tests.namespace import SECONDS


@pytest.fixture
def bell() -> Iterator[Bell]:
    bell = Bell()
    yield bell
    bell.close()


def rings(bell: Bell) -> bool:
    return bool(select.select([bell], [], [], 0)[0])


@pytest.mark.parametrize("times", [1, 2, MOST + 1])
def test_it_rings_until_it_is_hushed_however_often_it_was_rung(bell: Bell, times: int) -> None:
    assert not rings(bell)
    for _ in range(times):
        bell.ring()
    assert rings(bell)
    bell.hush()
    assert not rings(bell)


def test_a_signal_stops_a_loop_whose_own_thread_does_not_get_it() -> None:
    """As when it comes just before the thread begins to sleep: the sleep is not interrupted, and Python's handler has
    to wait for its end."""

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
