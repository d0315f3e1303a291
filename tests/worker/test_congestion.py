"""Workers' reaction to marks and to their absence, over virtual and real links with rates and queues."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dropzero.protocol.lanes.window import (
    MIN_LANES,
    SMOOTHING,
    Window,
    begin_call,
    begin_round_trip,
    count_result,
    new_window,
    update_certain_rate,
    update_min_rtt,
)
from dropzero.protocol.tensor.arrays import Tensor
from dropzero.protocol.wire import MAX_PAYLOAD, OUTER_BYTES
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.racks import Racks
from dropzero.topologies.processes.process import wait
from tests.support.links import Job, Port, World
from tests.support.on_hosts import running

SHARING = Path(__file__).parent / "programs" / "sharing.py"
RATE = 20e6 / 8
"""20 Mbit/s, in bytes per second."""


def dense(workers: int, elements: int) -> list[Tensor]:
    return [np.ones(elements, np.int32) for _ in range(workers)]


def jain(shares: Sequence[float]) -> float:
    """Jain's index: 1 if all shares are equal, 1/n if one has everything (Jain, Chiu and Hawe, 1984)."""
    return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))


@pytest.mark.parametrize(("mark_from", "fair"), [(16, True), (0, False)])
def test_marks_make_two_jobs_share_a_bottleneck_although_one_has_more_lanes(mark_from: int, fair: bool) -> None:
    """The bottleneck is the link to a host with a worker of each job. Without marks, its queue is long."""
    bottleneck = Port(RATE, delay=0.006, depth=10**6, mark_from=mark_from)
    world = World([bottleneck, Port()])
    jobs = [Job(world, number, lanes, dense(2, 1 << 18)) for number, lanes in enumerate((128, 32))]
    world.run(1.0)
    before, bottleneck.longest = [job.bytes_received for job in jobs], 0
    world.run(4.0)
    shares = [job.bytes_received - had for job, had in zip(jobs, before, strict=True)]
    assert sum(shares) >= 0.95 * 3 * RATE
    assert not fair or jain(shares) >= 0.95
    assert (bottleneck.longest < 64) is fair
    assert all((lanes.statistics["congested"] > 0) is fair for job in jobs for lanes in job.lanes)


def test_the_workers_of_a_job_have_similar_windows() -> None:
    """Although only one of them is behind the bottleneck."""
    world = World([Port(RATE, mark_from=8), Port(), Port()])
    job = Job(world, 1, 32, dense(3, 1 << 15))
    for tenth in range(5, 15):
        world.run(tenth / 10)
        sizes = [float(lanes._state.window["size"][0]) for lanes in job.lanes]
        assert max(sizes) <= 16
        assert max(sizes) <= 2 * min(sizes)


@pytest.mark.parametrize("delay", [0.0002, 0.02])
def test_without_marks_the_link_is_full_and_its_queue_is_not(delay: float) -> None:
    """On a short link, more than half of many lanes are inactive; a long one has room for all."""
    world = World([Port(RATE, delay, depth=10**6)], [Port(RATE, delay, depth=10**6)])
    job = Job(world, 1, 128, dense(1, 1 << 19), calls=1)
    world.run(60.0, lambda: job.done)
    assert world.now <= 1.05 * job.bytes_received / RATE + 12 * delay
    counts = job.lanes[0].statistics
    assert (counts["window"] == 128) if delay > 0.01 else (counts["window"] <= 4 * MIN_LANES)
    assert (counts["retransmissions"], counts["congested"]) == (0, 0)


def opened(size: int) -> Window:
    window = new_window()
    window["size"] = size
    return window


def round_trip(window: Window, congested: int, seconds: float, now: float, lanes: int = 64) -> float:
    """A round trip of `seconds`, with as many results as the window has lanes, `congested` of them congested."""
    begin_round_trip(window, window["size"][0], now)
    update_min_rtt(window, seconds)
    window["received"] = (OUTER_BYTES + MAX_PAYLOAD) * int(window["size"][0])
    for i in range(int(window["size"][0])):
        count_result(window, i < congested, lanes, lanes, now + seconds)
    return float(window["size"][0])


def test_the_first_mark_halves_the_window_and_later_ones_shrink_it_by_their_share() -> None:
    window = opened(64)
    assert round_trip(window, 1, 0.01, 0.0) == 32
    assert round_trip(window, 0, 0.01, 0.1) == 33
    share = float(window["congestion"][0])
    assert share < 1
    share += (3 / 33 - share) * SMOOTHING
    assert round_trip(window, 3, 0.01, 0.2) == pytest.approx(33 * (1 - share / 2))


@pytest.mark.parametrize(("seconds", "used", "size"), [(0.0, 64, 64), (1.7e-5, 64, 64), (1.7e-5, 1, 4), (2e-5, 64, 4)])
def test_a_call_of_several_lanes_opens_the_window_if_a_packet_of_an_earlier_one_was_quick(
    seconds: float, used: int, size: int
) -> None:
    window = new_window()
    begin_call(window, 64, 64, False, 0.0)
    update_certain_rate(window, OUTER_BYTES + MAX_PAYLOAD, seconds)
    begin_call(window, used, 64, False, 1.0)
    assert float(window["size"][0]) == size


@pytest.mark.parametrize(("used", "early", "size"), [(32, True, 32), (2, True, 4), (33, True, 4), (32, False, 4)])
def test_a_short_call_that_begins_with_data_opens_the_window(used: int, early: bool, size: int) -> None:
    """Such as a job's first one, in which the workers find the union of their blocks."""
    window = new_window()
    begin_call(window, used, 64, early, 0.0)
    assert float(window["size"][0]) == size


def test_after_a_mark_quick_packets_do_not_open_the_window() -> None:
    window = opened(64)
    begin_call(window, 64, 64, False, 0.0)
    window["size"] = 64
    size = round_trip(window, 1, 1e-6, 0.0)
    update_certain_rate(window, OUTER_BYTES + MAX_PAYLOAD, 1e-6)
    begin_call(window, 64, 64, False, 1.0)
    assert float(window["size"][0]) == size == 32


def test_a_window_is_never_less_than_one_lane() -> None:
    window = opened(8)
    for turn in range(100):
        size = round_trip(window, int(window["size"][0]), 0.01, turn * 0.1)
    assert size == 1


def test_long_after_the_last_mark_the_window_doubles_again() -> None:
    window = opened(64)
    for turn in range(20):
        round_trip(window, int(window["size"][0]), 0.01, turn * 0.1)
    sizes = [round_trip(window, 0, 0.01, 10 + turn * 0.1) for turn in range(60)]
    assert sizes[:40] == [1.0 + turn for turn in range(1, 41)]
    assert sizes[-1] == 64


def test_two_jobs_share_a_trunk_although_one_has_more_lanes(tmp_path: Path) -> None:
    """With real processes, by marks or by the window's limit; the tests above cover marks alone. The trunk is slow, so
    that 16 lanes suffice for half of it even if the processes are descheduled for some milliseconds."""
    with running(Racks(2, 2, tmp_path / "net", kind=SwitchKind.SOFTSWITCH, trunk_rate=5)) as hosts:
        workers = []
        for job, lanes in enumerate((16, 64)):
            for rank, rack in enumerate(hosts.rack.racks):
                words = [sys.executable, str(SHARING), hosts.controller, str(job), "2", str(rank), str(lanes), "6"]
                words += [str(tmp_path), "4"]
                log = tmp_path / f"{job}-{rank}"
                workers.append(hosts.rack.adopt(rack[job].launch(log.name, words, log)))
        for worker in workers:
            assert wait([worker], 100), worker.name
            assert worker.status == 0, worker.failure_report()
        # The log may also say that the process waits for another one's compiled code.
        logs = [(tmp_path / f"{job}-0").read_text() for job in (0, 1)]
    ends = [np.array([float(line) for line in log.splitlines() if line[0].isdigit()]) for log in logs]
    # While both were running, after their windows had opened.
    first, last = max(times[0] for times in ends) + 1, min(times[-1] for times in ends)
    calls = [float(np.diff(np.interp([first, last], times, range(len(times))))[0]) for times in ends]
    # That of 2 to 1; without marks and the limit, it would be 4 to 1.
    assert jain(calls) >= 0.9
