"""Several collectives of a group are under way at once, and none waits for a later one."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import torch

import dropzero
from dropzero.torch.options import Options
from dropzero.torch.process_group import Group
from tests.support.loopback import HOST
from tests.torch.groups import JOBS, in_group

SOON = timedelta(seconds=20)


def options(controller: str, channels: int) -> Options:
    return Options(controller, next(JOBS), HOST, channels=channels)


def test_a_call_is_over_while_the_one_before_it_is_under_way(controller: str) -> None:
    def work(group: Group) -> None:
        hold = threading.Event()
        first = group.line.add(hold.wait)
        mine = torch.ones(1000)
        group.allreduce([mine]).wait(SOON)
        assert mine.eq(3).all()
        assert not first.is_completed()
        # The third one is on the first one's channel.
        third = group.allreduce([mine])
        with pytest.raises(TimeoutError):
            third.wait(timedelta(seconds=0.2))
        hold.set()
        third.wait(SOON)
        assert mine.eq(9).all()

    in_group(controller, work, options=options(controller, 2))


def test_what_follows_a_call_may_wait_for_another(controller: str) -> None:
    """As PowerSGD's hook does."""

    def work(group: Group) -> None:
        mine = torch.ones(8)
        again = group.allreduce([mine]).get_future().then(lambda done: group.allreduce(done.value()).wait(SOON))
        assert again.wait()
        assert mine.tolist() == [4.0] * 8

    in_group(controller, work, 2, options=options(controller, 1))


def test_one_channel_makes_calls_one_after_the_other(controller: str) -> None:
    def work(group: Group) -> None:
        hold = threading.Event()
        group.line.add(hold.wait)
        second = group.allreduce([torch.ones(8)])
        with pytest.raises(TimeoutError):
            second.wait(timedelta(seconds=0.2))
        hold.set()
        second.wait(SOON)

    in_group(controller, work, 2, options=options(controller, 1))


def test_the_first_rank_decides_how_many_channels_there_are(controller: str) -> None:
    job = next(JOBS)

    def work(group: Group) -> tuple[int, int | None, list[int]]:
        return group.options.channels, group.options.job, group.jobs

    first, second = in_group(controller, work, 2, options=[Options(controller, job, HOST, channels=n) for n in (3, 1)])
    assert first == second
    channels, own, jobs = first
    assert channels == len(set(jobs)) == 3
    assert own == jobs[0] == job


@pytest.mark.parametrize("channels", [1, 3])
def test_calls_between_hosts_keep_their_order_among_sums(controller: str, channels: int) -> None:
    """Gloo tells its calls apart by their order alone: here ranks reach them at other times."""

    def work(group: Group) -> None:
        me, calls, expected = group.rank(), [], []
        draw = random.Random(me)
        for number in range(24):
            group.line.add(lambda: time.sleep(draw.random() / 100))
            whole = torch.zeros(3, dtype=torch.int64)
            calls.append(group.all_to_all_single(whole, torch.full((3,), 10 * number + me), [], []))
            expected.append((whole, [10 * number + rank for rank in range(3)]))
            total = torch.full((2,), float(number))
            calls.append(group.allreduce([total]))
            expected.append((total, [3 * number] * 2))
        group._end_coalescing(torch.device("cpu")).wait(SOON)
        assert all(call.is_success() for call in calls)
        assert all(found.tolist() == right for found, right in expected)

    in_group(controller, work, options=options(controller, channels))


def test_barriers_and_calls_between_hosts_wait_for_calls_on_other_channels(controller: str) -> None:
    def work(group: Group) -> None:
        for barrier in (True, False):
            hold = threading.Event()
            first = group.line.add(hold.wait)
            later = group.barrier() if barrier else group.all_to_all_single(torch.zeros(3), torch.ones(3), [], [])
            try:
                with pytest.raises(TimeoutError):
                    later.wait(timedelta(seconds=0.5))
            finally:
                hold.set()
            later.wait(SOON)
            assert first.is_completed()

    in_group(controller, work, options=options(controller, 2))


def test_groups_whose_calls_come_in_other_orders_do_not_wait_for_each_other(controller: str) -> None:
    """Two groups of the same ranks; each rank makes its calls of both in an order of its own, and waits for them in
    another."""
    names, rounds, size = ("first", "second"), 6, 3
    groups: dict[tuple[str, int], Group] = {}
    ready, over = threading.Barrier(2 * size + 1), threading.Event()

    def keep(name: str, group: Group) -> None:
        groups[name, group.rank()] = group
        ready.wait(600)
        over.wait(600)

    def calls(rank: int) -> bool:
        draw = random.Random(rank)
        works, left = [], dict.fromkeys(names, rounds)
        while any(left.values()):
            name = draw.choice([name for name in names if left[name]])
            left[name] -= 1
            group = groups[name, rank]
            mine = torch.full((5000,), float(left[name]))
            works.append((group.allreduce([mine]), mine, size * left[name]))
            rows = torch.zeros(size)
            works.append((group.all_gather_single(rows, torch.tensor([1.0])), rows, 1))
        draw.shuffle(works)
        for call, _, _ in works:
            call.wait(SOON)
        return all(found.eq(right).all() for _, found, right in works)

    with ThreadPoolExecutor() as threads:
        kept = [
            threads.submit(in_group, controller, lambda group, name=name: keep(name, group), size) for name in names
        ]
        try:
            ready.wait(600)
            right = [threads.submit(calls, rank) for rank in range(size)]
            assert all(each.result(600) for each in right)
        finally:
            over.set()
        for each in kept:
            each.result(600)


def test_a_group_that_is_closed_on_one_channel_is_closed_on_all(controller: str) -> None:
    def work(group: Group) -> list[str]:
        group.barrier().wait(SOON)
        if group.rank() == 1:
            # The controller no longer counts this worker among those of the second channel.
            group._end_coalescing(torch.device("cpu")).wait(SOON)
            group.line.add(lambda: group.communicator.abort()).wait(SOON)
        else:
            group.line.add(lambda: None).wait(SOON)
        said = []
        for _ in range(4):
            try:
                group.allreduce([torch.ones(4)]).wait(SOON)
                said.append("no error")
            except dropzero.ProtocolError as error:
                said.append(type(error).__name__)
        return said

    first, aborted, third = in_group(controller, work, options=options(controller, 2))
    assert "no error" not in aborted[1:]
    assert set(aborted[1:]) <= {"Closed", "WorkerLost"}
    for each in (first, third):
        assert each[1:] == ["WorkerLost"] * 3
