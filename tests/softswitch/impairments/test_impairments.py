"""The impaired ports and directions, and the timer for packets in transit."""

from __future__ import annotations

import select
import time

import numpy as np
import pytest

from dropzero.linux.timerfd import TimerFd
from dropzero.softswitch.engine.frames import Frames
from dropzero.softswitch.engine.queues import Queues
from dropzero.softswitch.engine.wire import SECOND
from dropzero.softswitch.impairments.impairments import Direction, Impairments
from tests.support.plain_queues import enter, served

MS = SECOND // 1000


def packet(port: int) -> tuple[int, bytes]:
    return port, bytes([port]) * 60


def test_packets_of_other_ports_are_unchanged() -> None:
    impairments = Impairments(["1:delay=1ms"])
    frames = Frames.of([packet(2), packet(3)])
    assert impairments.carry(Direction.OUT, frames, 0) is frames
    assert impairments.next is None


def test_packets_of_an_impaired_port_arrive_later() -> None:
    impairments = Impairments(["1:delay=1ms"])
    frames = Frames.of([packet(1), packet(2), packet(1)])
    assert list(impairments.carry(Direction.OUT, frames, 0)) == [packet(2)]
    assert impairments.next == MS
    assert list(impairments.release(Direction.OUT, MS - 1)) == []
    assert list(impairments.release(Direction.OUT, MS)) == [packet(1), packet(1)]
    assert impairments.next is None


def test_each_direction_has_its_own_impairment_and_the_default_is_out() -> None:
    impairments = Impairments(["1:delay=1ms", "1/in:delay=2ms"])
    for direction, due in ((Direction.OUT, MS), (Direction.IN, 2 * MS)):
        impairments.carry(direction, Frames.of([packet(1)]), 0)
        assert impairments.next == due
        assert list(impairments.release(direction, due)) == [packet(1)]


def test_a_star_means_all_ports_that_are_not_named() -> None:
    impairments = Impairments(["*/out:loss=1", "2:delay=1ms"])
    frames = Frames.of([packet(1), packet(2), packet(3)])
    assert list(impairments.carry(Direction.OUT, frames, 0)) == []
    assert list(impairments.release(Direction.OUT, MS)) == [packet(2)]
    assert {(port, link.counts.lost) for port, _, link in impairments} == {(1, 1), (2, 0), (3, 1)}


def test_an_outgoing_rate_is_that_of_the_ports_queues() -> None:
    queues = Queues()
    Impairments(["2:rate=480kbit,limit=1", "*:rate=48kbit", "3/in:rate=1mbit,loss=1"]).slow(queues)
    for port in (1, 2, 2, 3):
        enter(queues, port, 0, port, 0, written=60)
    assert [queues.depth(port, 0, 0) for port in (1, 2, 3)] == [1, 1, 1]
    assert [(sent.port, sent.end) for sent in served(queues, 0)] == [(1, 10 * MS), (2, MS), (3, 10 * MS)]


def test_packets_released_by_a_queue_arrive_after_the_delay() -> None:
    impairments = Impairments(["1:rate=480kbit,delay=2ms"])
    impairments.follow(Frames.of([packet(1), packet(2), packet(1)]), np.array([MS, 2 * MS, 2 * MS]))
    assert [list(impairments.release(Direction.OUT, time * MS)) for time in (1, 2, 3, 4)] == [
        [],
        [packet(2)],
        [packet(1)],
        [packet(1)],
    ]


def test_a_port_meets_the_same_fate_with_the_same_seed_whatever_other_ports_do() -> None:
    alone, beside = Impairments(["*:loss=0.5"], 3), Impairments(["*:loss=0.5"], 3)
    frames = Frames.of([packet(1)] * 50)
    beside.carry(Direction.OUT, Frames.of([packet(2)] * 10), 0)
    fates = []
    for impairments in (alone, beside):
        impairments.carry(Direction.OUT, frames, 0)
        arrived = list(impairments.release(Direction.OUT, 0))
        fates.append([port for port, _ in arrived].count(1))
    assert fates[0] == fates[1]


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (["loss=1"], "--impair takes PORT[/in|/out]:rate=...,delay=...,loss=...; PORT may be *; not 'loss=1'"),
        (["70000:loss=1"], "--impair takes PORT"),
        (["1/up:loss=1"], "--impair takes PORT"),
        (["1:loss=x"], "--impair 1:loss=x: loss: 'x' is not a probability such as 0.01 or 1%"),
        (["1:loss=1", "1/out:delay=1ms"], "--impair 1/out:delay=1ms: there is another for the same port and direction"),
    ],
)
def test_a_wrong_specification_is_refused_with_the_reason(texts: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        Impairments(texts)
    assert str(refused.value).startswith(reason)


def test_a_timer_fires_at_its_time_and_not_before() -> None:
    timer = TimerFd()
    due = time.monotonic_ns() + 2 * MS
    timer.set(due)
    ready, _, _ = select.select([timer], [], [], 10)
    assert ready == [timer]
    assert time.monotonic_ns() >= due
    timer.set(None)
    assert select.select([timer], [], [], 0)[0] == []
    timer.set(1)
    assert select.select([timer], [], [], 10)[0] == [timer]
    timer.close()
