"""A bounded queue to another thread, which is woken once and takes all items together."""

from __future__ import annotations

import threading

import pytest

from dropzero.softswitch.engine.handoff import ROOM, Handoff


def test_all_items_are_taken_together_after_one_wakeup() -> None:
    woken: list[int] = []
    handoff: Handoff[int] = Handoff("numbers", lambda: woken.append(1))
    for number in range(5):
        assert handoff.put(number)
    assert len(woken) == 1
    assert handoff.take() == [0, 1, 2, 3, 4]
    assert handoff.take() == []
    handoff.put(5)
    assert len(woken) == 2


def test_items_beyond_the_limit_are_dropped_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    handoff: Handoff[int] = Handoff("numbers", lambda: None)
    assert [handoff.put(number) for number in range(ROOM + 5)].count(False) == 5
    assert handoff.drops.count == 5
    assert caplog.messages == [f"Dropped so far: {count} numbers" for count in (1, 2, 4)]
    assert handoff.take() == list(range(ROOM))
    assert handoff.put(0)


def test_nothing_is_lost_between_threads() -> None:
    taken: list[int] = []
    woken = threading.Semaphore(0)
    handoff: Handoff[int] = Handoff("numbers", woken.release)

    def take() -> None:
        while len(taken) < 20_000:
            woken.acquire()
            taken.extend(handoff.take())

    thread = threading.Thread(target=take)
    thread.start()
    for number in range(20_000):
        while not handoff.put(number):
            pass
    thread.join()
    assert taken == list(range(20_000))
