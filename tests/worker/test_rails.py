"""A tensor split over two switches, each with its own controller; and jobs that take slots from each other."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest

import dropzero
from dropzero.membership.operator_client import Operator
from tests.support.loopback import HOST, at_once, loopback

Array = np.ndarray[tuple[int], np.dtype[np.int32]]


def test_each_switch_adds_up_its_share(tmp_path: Path) -> None:
    arrays = np.random.default_rng(0).integers(-1000, 1000, (2, 5000)).astype(np.int32)
    for name in "ab":
        (tmp_path / name).mkdir()
    with loopback(tmp_path / "a") as one, loopback(tmp_path / "b") as other:

        def work(rank: int) -> list[Array]:
            networks = [dropzero.connect(address, 1, 2, rank=rank, ip=HOST) for address in (one, other)]
            with dropzero.Rails(networks) as rails:
                long, short = rails.all_reduce(arrays[rank]), rails.all_reduce(arrays[rank][:10])
                # A short tensor needs one switch only.
                sent = [each.statistics["bytes_sent"] for each in networks]
                assert 0.8 < sent[1] / sent[0] < 1.1
                return [long, short]

        for long, short in at_once(lambda: work(0), lambda: work(1)):
            np.testing.assert_array_equal(long, arrays.sum(axis=0))
            np.testing.assert_array_equal(short, arrays[:, :10].sum(axis=0))


def test_a_worker_has_one_rank_on_all_rails(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one rank"):
        dropzero.Rails([])


def test_a_job_with_a_priority_takes_slots_from_one_that_runs(tmp_path: Path) -> None:
    """It continues with what is left, and has all slots again when the other is over."""
    arrays = np.random.default_rng(0).integers(-1000, 1000, (2, 20_000)).astype(np.int32)
    total = arrays.sum(axis=0)
    over = Event()
    with (
        loopback(tmp_path, "--policy", "priority", "--slots", "64") as controller,
        Operator(controller) as operator,
    ):

        def lanes(job: int) -> int:
            return next(each.lanes for each in operator.jobs() if each.job == job)

        def work(rank: int) -> tuple[int, ...]:
            with dropzero.connect(controller, 1, 2, rank=rank, ip=HOST, lanes=64) as network:
                # All workers end after the same call.
                while network.all_reduce(np.array([over.is_set()], np.int32))[0] < 2:
                    np.testing.assert_array_equal(network.all_reduce(arrays[rank]), total)
                return ()

        def intrude() -> tuple[int, ...]:
            while not any(each.job == 1 and each.state == "running" for each in operator.jobs()):
                pass
            with dropzero.connect(controller, 2, 1, ip=HOST, lanes=48, priority=5) as network:
                during = lanes(1), lanes(2)
                np.testing.assert_array_equal(network.all_reduce(arrays[0]), arrays[0])
            while (after := lanes(1)) < 64:
                pass
            over.set()
            return *during, after

        assert at_once(lambda: work(0), lambda: work(1), intrude)[2] == (16, 48, 64)
