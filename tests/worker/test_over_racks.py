"""Collectives over two racks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

import dropzero
from dropzero.linux.namespace import inside
from dropzero.membership.operator_client import Operator
from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.racks import Racks
from tests.support.on_hosts import Hosts, running

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def two_racks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with running(Racks(2, 1, tmp_path_factory.mktemp("racks") / "net", kind=SwitchKind.SOFTSWITCH)) as hosts:
        yield hosts


def test_workers_that_disagree_all_learn_who_called_what(two_racks: Hosts) -> None:
    calls = [f"worker {rank} at call 1: all_reduce (sum) of float32[{n}], sum" for rank, n in ((0, 999), (1, 1000))]
    found = two_racks.run(PROGRAMS / "disagreement.py")
    assert found
    for line in found:
        assert calls[0] in line
        assert calls[1] in line


def test_a_job_over_racks_continues_without_a_straggler(two_racks: Hosts, tmp_path: Path) -> None:
    punctual, late = two_racks.run(PROGRAMS / "late.py", str(tmp_path))
    assert punctual == "(0, 1) False {3}\n(0,) False {1}\n"
    assert late == "(0, 1) False {3}\n(0,) True {1}\n"


def test_a_job_has_the_slots_that_are_free_on_each_of_its_switches_also_with_the_next_controller(
    two_racks: Hosts,
) -> None:
    def first_slots() -> dict[str, int]:
        with Operator(two_racks.controller) as operator:
            return next(dict(each.first_slots) for each in operator.jobs() if each.job == 2)

    def work(rank: int) -> np.ndarray:
        host = two_racks.rack.hosts[rank]
        with (
            inside(host.pid),
            dropzero.connect(two_racks.controller, job=2, size=2, rank=rank, ip=host.IP(), lanes=16) as network,
        ):
            total = network.all_reduce(np.full(10_000, 1 + rank, np.int32))
            called.wait(600)
            succeeded.wait(600)
            return network.all_reduce(total)

    called, succeeded = Barrier(3), Barrier(3)
    host = two_racks.rack.hosts[0]
    with inside(host.pid):
        other = dropzero.connect(two_racks.controller, job=1, size=1, ip=host.IP(), lanes=64)
    with other, ThreadPoolExecutor(2) as threads:
        totals = threads.map(work, range(2))
        called.wait(600)
        assert first_slots() == {"s1": 64, "s2": 0, "s3": 0}
        two_racks.restart_controller()
        assert first_slots() == {"s1": 64, "s2": 0, "s3": 0}
        succeeded.wait(600)
        for total in totals:
            assert np.array_equal(total, np.full(10_000, 6))


def test_a_job_over_racks_may_have_more_workers_than_a_switch_serves(tmp_path: Path) -> None:
    size = 34
    with running(Racks(2, size // 2, tmp_path / "net", kind=SwitchKind.SOFTSWITCH)) as hosts:

        def work(rank: int) -> tuple[np.ndarray, tuple[int, ...], str]:
            host = hosts.rack.hosts[rank]
            with (
                inside(host.pid),
                dropzero.connect(hosts.controller, job=1, size=size, rank=rank, ip=host.IP()) as network,
            ):
                total = network.all_reduce(np.full(10_000, 1 << rank % 17, np.int32))
                contributors = network.contributors
                with pytest.raises(dropzero.Disagreement) as error:
                    network.all_reduce(np.zeros(1 + rank // 33, np.float32))
                return total, contributors, str(error.value)

        with ThreadPoolExecutor(size) as threads:
            for total, contributors, error in threads.map(work, range(size)):
                assert np.array_equal(total, np.full(10_000, 2 * (2**17 - 1)))
                assert contributors == tuple(range(size))
                assert "worker 33 at call 1: all_reduce (sum) of float32[2]" in error
