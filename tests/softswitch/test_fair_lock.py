"""The lock that P4Runtime's threads share with the packets' thread."""

from __future__ import annotations

import threading
import time

from softswitch.fair_lock import FairLock


def test_who_waits_gets_it_before_who_has_just_had_it() -> None:
    lock = FairLock()
    order: list[str] = []

    def take() -> None:
        with lock:
            order.append("other")

    for _ in range(100):
        with lock:
            other = threading.Thread(target=take)
            other.start()
            while not lock.wanted:
                time.sleep(0)
        with lock:
            order.append("again")
        other.join()
    assert order == ["other", "again"] * 100


def test_its_owner_may_take_it_again_while_others_wait() -> None:
    lock = FairLock()
    with lock:
        other = threading.Thread(target=lock.__enter__)
        other.start()
        while not lock.wanted:
            time.sleep(0)
        with lock:
            assert lock.wanted
        assert lock.wanted
    other.join()
