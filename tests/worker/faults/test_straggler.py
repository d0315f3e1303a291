"""Collectives continue without workers that are late."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from threading import Barrier
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import dropzero
from tests.support.loopback import at_once
from tests.worker.places import Places

WORKERS, CALLS, DEADLINE = 3, 12, 0.15
Report = list[tuple[tuple[int, ...], bool, bytes]]
"""For each call: the contributors, whether the worker was left out, and the result."""


def contribution(rank: int, call: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    draw = np.random.default_rng((rank, call))
    return np.where(draw.random(2000) < 0.2, draw.integers(-(2**31), 2**31, 2000), 0).astype(np.int32)


Compute = Callable[[int, dropzero.Communicator], object]
"""What a worker does before a call, whose number it gets."""


def work(places: Places, job: int, rank: int, compute: Compute, deadline: float = DEADLINE) -> Report:
    """A worker that computes before each of its calls."""
    report: Report = []
    with (
        places.at(rank) as ip,
        dropzero.connect(places.controller, job, WORKERS, rank=rank, ip=ip, straggler=deadline) as network,
    ):
        for call in range(CALLS):
            compute(call, network)
            result = network.all_reduce(contribution(rank, call), block=32)
            report.append((network.contributors, network.left_out, result.tobytes()))
            result[:] = -1  # the program may change its result
    return report


def check(reports: list[Report]) -> None:
    """Checks that all have the same results, each the sum of its contributors."""
    for call, rows in enumerate(zip(*reports, strict=True)):
        members, _, _ = rows[0]
        total = np.sum([contribution(rank, call) for rank in members], 0, dtype=np.int32)
        for rank, row in enumerate(rows):
            assert row == (members, rank not in members, total.tobytes()), (call, rank)


def test_a_late_worker_gets_the_results_of_the_others_and_is_a_member_again(network: Places) -> None:
    """It misses calls 3 and 4, and returns when the others compute for call 5."""
    passed = Barrier(WORKERS, timeout=600)

    def compute(rank: int, call: int, network: dropzero.Communicator) -> None:
        if call == (3 if rank == 2 else 5):
            passed.wait()
            while rank < 2 and network._caller._membership.place.benched:
                time.sleep(0.01)

    reports = at_once(*(partial(work, network, 21, rank, partial(compute, rank), 3.0) for rank in range(WORKERS)))
    check(reports)
    assert [row[1] for row in reports[2]] == [False] * 3 + [True] * 2 + [False] * (CALLS - 5)


@pytest.mark.parametrize("seed", range(4))
def test_no_contribution_is_counted_twice_when_random_workers_are_late(network: Places, seed: int) -> None:
    draw = np.random.default_rng(seed)
    pauses = np.where(draw.random((WORKERS, CALLS)) < 0.12, draw.uniform(0, 5 * DEADLINE, (WORKERS, CALLS)), 0.002)

    def compute(rank: int, call: int, network: dropzero.Communicator) -> None:
        time.sleep(pauses[rank, call])
        # The others are only kept waiting if one of them was late before, and needs this one's results.
        until = time.monotonic() + (5 if (rank, call) == (seed % WORKERS, 1) else 0)
        while time.monotonic() < until and rank not in network._caller._membership.place.benched:
            time.sleep(0.01)

    reports = at_once(*(partial(work, network, 22 + seed, rank, partial(compute, rank)) for rank in range(WORKERS)))
    check(reports)
    assert any(left_out for report in reports for _, left_out, _ in report), "nobody was late"


def test_a_worker_that_is_late_with_its_indices_is_left_out_of_the_sparse_sum(network: Places) -> None:
    """Though it says in time how many there are, and is a member again when the rows are added up."""
    passed = Barrier(WORKERS, timeout=600)

    def member(rank: int) -> tuple[list[int], list[float], tuple[int, ...], bool]:
        with (
            network.at(rank) as ip,
            dropzero.connect(network.controller, 23, WORKERS, rank=rank, ip=ip, straggler=1.0) as job,
        ):
            run, add = job._run, job._all_reduce

            def exchange(array: Any, name: str) -> Any:
                if rank == 2 and name.startswith("indices"):
                    passed.wait()
                return run(array, name)

            def sum_rows(*given: Any, **named: Any) -> Any:
                if rank < 2:
                    passed.wait()
                    while job._caller._membership.place.benched:
                        time.sleep(0.01)
                return add(*given, **named)

            with patch.multiple(job, _run=exchange, _all_reduce=sum_rows):
                found, rows = job.sparse_all_reduce(np.array([rank, 5]), np.full((2, 1), 10.0**rank, np.float32))
            return found.tolist(), rows.ravel().tolist(), job.contributors, job.left_out

    reports = at_once(*(partial(member, rank) for rank in range(WORKERS)))
    assert reports == [([0, 1, 5], [1, 10, 11], (0, 1), rank == 2) for rank in range(WORKERS)]


def test_who_is_gone_broadcasts_nothing(network: Places) -> None:
    """And not zeros."""

    def member(rank: int) -> None:
        with network.at(rank) as ip, dropzero.connect(network.controller, 24, WORKERS, rank=rank, ip=ip) as job:
            job.barrier()
            if rank < 2:
                with pytest.raises(dropzero.WorkerLost, match="worker 2 left the job before its array was sent"):
                    job.broadcast(np.ones(3), root=2)
                assert job.all_reduce(np.ones(1, np.int32)).tolist() == [2]

    at_once(*(partial(member, rank) for rank in range(WORKERS)))


def test_without_a_deadline_all_wait(network: Places) -> None:
    def patient(rank: int) -> tuple[int, ...]:
        with network.at(rank) as ip, dropzero.connect(network.controller, 29, 2, rank=rank, ip=ip) as worker:
            time.sleep(0.5 * rank)
            worker.barrier()
            return worker.contributors

    assert at_once(lambda: patient(0), lambda: patient(1)) == [(0, 1)] * 2
