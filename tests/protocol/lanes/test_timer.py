"""The retransmission timer: what is measured, what follows from it, and what losses cost."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.protocol.lanes.call import Call
from dropzero.protocol.lanes.lanes import Lanes
from dropzero.protocol.lanes.timer import (
    DRAIN_MARGIN,
    INITIAL_DRAIN,
    INITIAL_MIN_TIMEOUT,
    INITIAL_TIMEOUT,
    LENGTHENING,
    MAX_TIMEOUT,
    MAX_UNMEASURED,
    ROUND_TRIPS,
    SHORTENING,
    backed_off,
    count_unmeasured,
    lengthen,
    new_timer,
    observe,
    shorten,
)
from dropzero.protocol.tensor.arrays import Source, Target, Tensor
from dropzero.protocol.wire import MAX_PAYLOAD
from dropzero.simulator.tree import EPOCH, JOB
from tests.support.links import Job, Port, World
from tests.support.network import model

TENSOR = np.ones(20 * 8 * 32, np.int32)
"""Takes many rounds on one lane."""


def between(drain: float) -> float:
    """The drain time after a first retransmission that this drain time would have avoided (seconds)."""
    return INITIAL_DRAIN + LENGTHENING * (drain - INITIAL_DRAIN)


class Pair:
    """Two workers with one lane, and their switch. The first worker's rounds take as long as the tests want."""

    def __init__(self, *, leaf: bool = False) -> None:
        """leaf: as in a job over several switches."""
        self.workers = [Lanes(job=JOB, worker=i, workers=2, epoch=EPOCH, lanes=1, leaf=leaf) for i in range(2)]
        self._switch = model(2, 1).switches["switch"]
        for worker in self.workers:
            worker.begin(Call.of(TENSOR), Source.of(TENSOR), Target.new(len(TENSOR)), 0.0)
        # The opening round.
        self.complete(0.0)

    @property
    def timer(self) -> np.void:
        return self.workers[0]._state.timer[0]  # type: ignore[no-any-return]

    def send(self, worker: int) -> list[tuple[int, bytes]]:
        """Sends what the worker has to send, and returns the switch's answers with their receivers."""
        payloads, rows, lengths = self.workers[worker].outgoing()
        return [
            (int(to), answer)
            for row, length in zip(rows, lengths, strict=True)
            for to, answer in self._switch(worker, payloads[row, :length].tobytes())
        ]

    def complete(self, now: float) -> None:
        """The round's results arrive."""
        for to, answer in [*self.send(0), *self.send(1)]:
            self.deliver(to, answer, now)

    def repeat(self) -> float:
        """The first worker retransmits its contribution as soon as its timer lets it. Returns the time."""
        self.workers[0]._state.call["next_probe"] = np.inf
        now = self.workers[0].deadline
        self.workers[0].expire(now)
        return now

    def deliver(self, worker: int, answer: bytes, now: float) -> None:
        row = np.zeros((1, MAX_PAYLOAD), np.uint8)
        row[0, : len(answer)] = np.frombuffer(answer, np.uint8)
        self.workers[worker].receive(row, np.array([len(answer)], np.int32), now)


def test_a_round_whose_contribution_was_sent_once_is_measured() -> None:
    pair = Pair()
    pair.complete(0.03)
    assert pair.timer["median"] == 0.03
    assert pair.timer["timeout"] == ROUND_TRIPS * 0.03


def test_an_opening_round_is_not_measured() -> None:
    """It includes the time until the others made the call."""
    pair = Pair()
    assert pair.timer["measured"] == 0
    assert pair.timer["timeout"] == INITIAL_TIMEOUT


def test_a_result_right_after_a_retransmission_measures_the_first_packet() -> None:
    """It answers the first packet. Otherwise it is ambiguous."""
    pair = Pair()
    pair.complete(0.03)
    again = pair.repeat()
    pair.complete(again + 0.02)
    assert pair.timer["measured"] == 2
    assert pair.timer["median"] > 0.03
    again = pair.repeat()
    pair.complete(again + 0.04)
    assert pair.timer["measured"] == 2
    assert pair.timer["unmeasured"] == 1


@pytest.mark.parametrize(("answered", "median"), [(0.05, 0.05), (0.001, 0.03)])
def test_an_answer_that_names_missing_workers_measures_the_round_trip(answered: float, median: float) -> None:
    """A round that waits for others cannot be measured, but the switch answers a retransmission at once. An answer
    faster than any round may be to an earlier retransmission, or the others are farther from the switch: it measures a
    round."""
    pair = Pair()
    pair.complete(0.03)
    pair.send(0)
    for _ in range(50):
        again = pair.repeat()
        ((to, missing),) = pair.send(0)
        pair.deliver(to, missing, again + answered)
    assert pair.timer["median"] == pytest.approx(median, rel=0.1)


@pytest.mark.parametrize("late", [0.002, 0.004, 0.5], ids="{} s".format)
def test_a_spurious_retransmission_lengthens_the_drain_time_and_at_most_doubles_it(late: float) -> None:
    """There are two results: the first packet was only late. A wait of half a second was hardly for a queue, for
    example if it was for an answer to an ARP request."""
    pair = Pair()
    pair.complete(0.03)
    results = [*pair.send(0), *pair.send(1)]
    pair.repeat()
    results += pair.send(0)
    for to, result in results:
        pair.deliver(to, result, 0.03 + ROUND_TRIPS * 0.03 + late)
    assert pair.timer["drain"] == pytest.approx(min(between(late), 2 * INITIAL_DRAIN))
    pair.complete(0.9)
    assert pair.timer["drain"] == pytest.approx(min(between(late), 2 * INITIAL_DRAIN))


def test_a_retransmission_while_others_are_missing_leaves_the_drain_time() -> None:
    """Waiting for other workers says nothing about queues."""
    pair = Pair()
    pair.complete(0.03)
    results = pair.send(0)
    pair.repeat()
    results += pair.send(0)
    results += pair.send(1)
    for to, answer in results:
        pair.deliver(to, answer, 0.3)
    pair.complete(0.6)
    assert pair.timer["drain"] == INITIAL_DRAIN


def test_over_several_switches_a_retransmission_without_a_second_answer_says_nothing() -> None:
    """A leaf sends it up, without an answer to this worker."""
    pair = Pair(leaf=True)
    pair.complete(0.03)
    lengthen(pair.workers[0]._state.timer, 0.0, 2 * INITIAL_DRAIN)
    pair.workers[0].outgoing()
    # First it asks.
    pair.repeat()
    pair.workers[0].outgoing()
    pair.repeat()
    pair.complete(0.9)
    pair.complete(0.93)
    assert pair.timer["drain"] == pytest.approx(between(2 * INITIAL_DRAIN))


@pytest.mark.parametrize("lost", ["contribution", "result"])
def test_a_necessary_retransmission_shortens_the_drain_time(lost: str) -> None:
    pair = Pair()
    pair.complete(0.03)
    lengthen(pair.workers[0]._state.timer, 0.0, 2 * INITIAL_DRAIN)
    if lost == "contribution":
        pair.workers[0].outgoing()
    else:
        pair.send(0)
        ((_, _), (to, result)) = sorted(pair.send(1))
        pair.deliver(to, result, 0.04)
    pair.repeat()
    pair.complete(0.9)
    pair.complete(0.93)
    assert pair.timer["drain"] == pytest.approx(between(2 * INITIAL_DRAIN) * (1 - SHORTENING))


def test_an_outlier_as_the_first_measurement_is_soon_forgotten() -> None:
    timer = new_timer()
    observe(timer, 0.3)
    for _ in range(16):
        observe(timer, 0.01)
    assert timer["median"][0] == pytest.approx(0.01, rel=1)


def test_reports_soon_correct_a_median_that_includes_the_timeouts_of_others() -> None:
    """Rounds that wait for others are many, reports few."""
    timer = new_timer()
    for _ in range(1000):
        observe(timer, 0.5, 8)
    for _ in range(10):
        observe(timer, 0.001)
    assert timer["median"][0] == pytest.approx(0.001, rel=1)


@given(true=st.floats(0.002, 0.2), seed=st.integers(0, 1000))
def test_the_timeout_follows_the_median_round_trip(true: float, seed: int) -> None:
    """A third of the rounds waits for packets of others; these do not raise it much."""
    draw = np.random.default_rng(seed)
    timer = new_timer()
    for _ in range(300):
        waits = draw.random() < 1 / 3
        observe(timer, true * draw.uniform(0.9, 1.1) + (draw.uniform(0, float(timer["timeout"][0])) if waits else 0.0))
    assert max(INITIAL_MIN_TIMEOUT, 2 * true) <= timer["timeout"][0] <= max(INITIAL_MIN_TIMEOUT, 5 * true)


def test_a_timeout_that_is_too_short_grows() -> None:
    """If all packets are sent twice, none is measured, so the timeout must grow."""
    timer = new_timer()
    observe(timer, INITIAL_MIN_TIMEOUT)
    assert timer["timeout"][0] == ROUND_TRIPS * INITIAL_MIN_TIMEOUT
    for _ in range(MAX_UNMEASURED - 1):
        count_unmeasured(timer)
    assert timer["timeout"][0] == ROUND_TRIPS * INITIAL_MIN_TIMEOUT
    for _ in range(MAX_UNMEASURED + 1):
        count_unmeasured(timer)
    assert timer["timeout"][0] == 4 * ROUND_TRIPS * INITIAL_MIN_TIMEOUT


@given(true=st.floats(1e-6, 1e-3), margin=st.floats(0.0, 3.0))
def test_the_first_drain_time_follows_the_round_trips_of_the_packets_in_flight(true: float, margin: float) -> None:
    """Before any retransmission, and up to what is assumed without a measurement."""
    timer = new_timer()
    for number in range(200):
        in_flight = 1 + number % 64
        observe(timer, true * (in_flight + margin), in_flight)
    assert min(true, INITIAL_DRAIN) <= timer["drain"][0] <= min(DRAIN_MARGIN * true * (1 + margin), INITIAL_DRAIN)
    lengthen(timer, 0.0, 1.0)
    known = timer["drain"][0]
    observe(timer, true, 1)
    assert timer["drain"][0] == known


def test_retransmissions_move_the_minimum_timeout() -> None:
    """Necessary ones move it towards a few times the time until they were answered, spurious ones towards what would
    have avoided them; its first value is also its largest."""
    timer = new_timer()
    for _ in range(100):
        shorten(timer, 2e-4)
    assert timer["min_timeout"][0] == pytest.approx(ROUND_TRIPS * 2e-4, rel=0.01)
    observe(timer, 1e-4)
    assert timer["timeout"][0] == timer["min_timeout"][0]
    for _ in range(100):
        lengthen(timer, 2e-3, 0.0)
    assert timer["min_timeout"][0] == pytest.approx(2e-3, rel=0.01)
    for _ in range(100):
        shorten(timer, 1.0)
        lengthen(timer, 1.0, 0.0)
    assert timer["min_timeout"][0] <= INITIAL_MIN_TIMEOUT


def test_the_timeout_grows_with_the_packets_in_flight_up_to_its_maximum() -> None:
    timer = new_timer()
    assert backed_off(timer, 1, 0) == pytest.approx(INITIAL_TIMEOUT + INITIAL_DRAIN)
    assert backed_off(timer, 64, 0) == pytest.approx(INITIAL_TIMEOUT + 64 * INITIAL_DRAIN)
    assert backed_off(timer, 2000, 0) == MAX_TIMEOUT


def test_a_worker_keeps_retransmitting_under_heavy_loss() -> None:
    """Two lanes and small packets: almost all of the time is spent waiting for lost ones."""
    ports = [[Port(1e9, 1e-3, loss=0.3, draw=random.Random(2 * i + way)) for i in range(4)] for way in (0, 1)]
    world = World(*ports)
    job = Job(world, 1, 2, [np.ones(600, np.int32)] * 4, calls=6)

    def done() -> bool:
        assert all(lanes.deadline <= world.now + MAX_TIMEOUT for lanes in job.lanes if not lanes.done)
        return job.done

    world.run(300.0, done)
    assert job.done


@pytest.mark.parametrize("rate", [20e6, 100e6, 1e9])
@pytest.mark.parametrize("lanes", [12, 64, 256])
def test_without_loss_nothing_is_retransmitted(rate: float, lanes: int) -> None:
    """Links of this rate, in bit/s, whose queues delay packets by a multiple of the first round trips."""
    world = World(*[[Port(rate / 8, 1e-4, depth=10**6) for _ in range(2)] for _ in range(2)])
    job = Job(world, 1, lanes, [np.ones(200 * lanes, np.float32)] * 2, calls=3)
    world.run(100.0, lambda: job.done)
    assert job.done
    assert [each.statistics["retransmissions"] for each in job.lanes] == [0, 0]


@pytest.mark.parametrize("loss", [0.001, 0.01])
def test_a_few_losses_cost_little_behind_token_buckets(loss: float) -> None:
    """20 Mbit/s behind token buckets: a call's first round trips take a hundredth of what they take when the buckets
    are empty."""
    draw = np.random.default_rng(1)
    sources: list[Tensor] = [np.repeat(draw.random(2048) < 0.1, 256).astype(np.float32) for _ in range(2)]
    times = []
    for each in (0.0, loss):
        ports = [
            [Port(2.5e6, 2e-5, 10**6, loss=each, burst=16_000, draw=random.Random(2 * i + way)) for i in range(2)]
            for way in (0, 1)
        ]
        world = World(*ports)
        job = Job(world, 1, 64, sources, calls=3)
        world.run(100.0, lambda job=job: job.done)  # type: ignore[misc]
        assert job.done
        times.append(world.now)
    assert times[1] <= 2 * times[0]


@pytest.mark.parametrize(("loss", "most"), [(0.01, 6), (0.05, 12), (0.1, 40)])
def test_lost_packets_cost_a_few_round_trips(loss: float, most: float) -> None:
    """Eight workers, and calls of one round on each of twelve lanes: at 5 %, half of all rounds lose a packet."""
    times = []
    for each in (0.0, loss):
        ports = [[Port(1e9, 1e-3, loss=each, draw=random.Random(2 * i + way)) for i in range(8)] for way in (0, 1)]
        world = World(*ports)
        job = Job(world, 1, 64, [np.ones(3000, np.float32)] * 8, calls=20)
        world.run(100.0, lambda job=job: job.done)  # type: ignore[misc]
        assert job.done
        times.append(world.now)
    assert times[1] <= most * times[0]
