"""A host's timers, and a worker's window of packets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dropzero.ina.fallback import RESULT, Fallback
from dropzero.ina.protocol import Claim, Host, Place, Protocol, Rows, Tensor, Worker
from dropzero.ina.window import CHUNK, WindowWorker

SETTINGS = st.lists(st.tuples(st.integers(0, 4), st.none() | st.integers(0, 50), st.integers(0, 30)))
"""A timer; in how long it goes off, or None: it is stopped; and how much later the next setting is."""


class Clock(Host):
    """Notes which timers go off."""

    def __init__(self) -> None:
        super().__init__()
        self.rung: list[tuple[int, Hashable]] = []

    def receive(self, payload: bytes) -> None:
        raise NotImplementedError

    def expire(self, timer: Hashable) -> None:
        self.rung.append((self.now, timer))


@given(SETTINGS)
def test_a_timer_goes_off_once_when_it_was_last_set_to(settings: list[tuple[int, int | None, int]]) -> None:
    clock = Clock()
    due: dict[int, int] = {}
    expected: list[tuple[int, int]] = []

    def wait(until: int) -> None:
        while (deadline := clock.deadline) is not None and deadline <= until:
            clock.tick(deadline)
        for timer in [timer for timer, at in due.items() if at <= until]:
            expected.append((due.pop(timer), timer))
        clock.tick(until)

    for timer, after, later in settings:
        if after is None:
            clock.stop_timer(timer)
            due.pop(timer, None)
        else:
            clock.set_timer(timer, after)
            due[timer] = clock.now + after
        assert clock.deadline == min(due.values(), default=None)
        wait(clock.now + later)
    wait(clock.now + 100)
    assert sorted(clock.rung, key=str) == sorted(expected, key=str)


@dataclass(frozen=True)
class Plain(Protocol):
    """A packet is a chunk's number."""

    port = 1

    def rows(self, places: Sequence[Place]) -> Rows:
        return Rows()

    def worker(self, rank: int, tensor: Tensor) -> Worker:
        return PlainWorker(self, rank, tensor, 3, 10)

    def claim(self, payload: bytes) -> Claim:
        return Claim(1, CHUNK * payload[0], np.zeros(CHUNK, np.int32))


class PlainWorker(WindowWorker):
    def packet(self, number: int, tries: int) -> bytes:
        return bytes([number, tries])


def numbers(sent: list[bytes]) -> list[int]:
    return [payload[0] for payload in sent]


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 10 * CHUNK))
def test_a_window_sends_every_chunk_whatever_sums_come_when_and_however_often(sums: list[int], elements: int) -> None:
    worker = Plain(1).worker(0, np.zeros(elements, np.int32))
    chunks = -(-elements // CHUNK)
    known = set(sums[:3])
    for number in known:
        # Before it starts, as to a worker that is late.
        worker.take(0, bytes([number]))
    sent = numbers(worker.begin(0))
    for number in [*sums[3:], *range(10)]:
        sent += numbers(worker.take(0, bytes([number])))
        known.add(number)
    assert worker.finished
    assert worker.deadline is None
    assert len(sent) == len(set(sent)) <= chunks
    assert set(sent) | known >= set(range(chunks))


def test_a_chunk_without_a_sum_is_sent_again_after_twice_the_time() -> None:
    worker = Plain(1).worker(0, np.zeros(5 * CHUNK, np.int32))
    assert numbers(worker.begin(0)) == [0, 1, 2]
    assert numbers(worker.take(5, bytes([1]))) == [4]
    assert worker.tick(9) == []
    assert [payload[:2] for payload in worker.tick(10)] == [bytes([0, 1]), bytes([2, 1])]
    assert worker.deadline == 15
    assert numbers(worker.tick(29)) == [4]
    assert [payload[:2] for payload in worker.tick(30)] == [bytes([0, 2]), bytes([2, 2])]


def test_a_sum_fills_only_the_elements_that_have_none() -> None:
    worker = Plain(1).worker(0, np.zeros(4, np.int32))
    assert worker.keep(Claim(1, 1, np.array([7, 8], np.int32)))
    assert not worker.keep(Claim(3, 2, np.array([9], np.int32)))
    assert worker.keep(Claim(3, 0, np.array([1, 2, 3, 4, 5], np.int32)))
    assert worker.total.tolist() == [1, 7, 8, 4]
    assert worker.contributors.tolist() == [3, 1, 1, 3]
    assert worker.finished
    assert not worker.keep(Claim(1, 9, np.array([1], np.int32)))


@dataclass(frozen=True)
class Hashed(Fallback):
    """ATP, without a program."""

    port = 1


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 10 * CHUNK))
def test_a_window_that_slides_sends_nothing_a_window_ahead_of_a_chunk_without_a_sum(
    sums: list[int], elements: int
) -> None:
    protocol = Hashed(1, window=3)
    worker = protocol.worker(0, np.zeros(elements, np.int32))
    chunks = -(-elements // CHUNK)
    sent = [protocol.claim(payload).start // CHUNK for payload in worker.begin(0)]
    for number in [*sums, *range(10)]:
        new = worker.take(0, protocol.header(1, number, RESULT) + bytes(4 * CHUNK))
        sent += [protocol.claim(payload).start // CHUNK for payload in new]
        oldest = next((chunk for chunk in range(chunks) if not worker.knows(CHUNK * chunk)), chunks)
        assert all(chunk < oldest + 3 for chunk in sent)
    assert worker.finished
    assert worker.deadline is None
    assert len(sent) == len(set(sent)) <= chunks
