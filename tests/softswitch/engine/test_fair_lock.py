"""The lock shared by P4Runtime's threads and the packets' thread."""

from __future__ import annotations

import threading

from dropzero.softswitch.engine.fair_lock import FairLock
from tests.support.namespace import SECONDS


def test_a_waiting_thread_goes_before_the_last_owner() -> None:
    lock, waits = FairLock(), threading.Event()
    lock.on_wait = waits.set
    order: list[str] = []

    def acquire() -> None:
        with lock:
            order.append("other")

    for _ in range(100):
        with lock:
            other = threading.Thread(target=acquire)
            other.start()
            assert waits.wait(SECONDS)
        with lock:
            order.append("again")
        other.join()
        waits.clear()
    assert order == ["other", "again"] * 100


def test_its_owner_may_take_it_again_while_others_wait() -> None:
    lock, waits, has = FairLock(), threading.Event(), threading.Event()
    lock.on_wait = waits.set

    def acquire() -> None:
        with lock:
            has.set()

    with lock:
        other = threading.Thread(target=acquire)
        other.start()
        assert waits.wait(SECONDS)
        with lock:
            pass
        assert not has.is_set()
    other.join()
    assert has.is_set()
