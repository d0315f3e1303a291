"""Collectives over racks with a single worker each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dropzero.topologies.networks.kind import SwitchKind
from dropzero.topologies.networks.racks import Racks
from tests.worker.on_hosts import Hosts, running

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def two_racks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with running(Racks(2, 1, tmp_path_factory.mktemp("racks") / "net", kind=SwitchKind.SOFTSWITCH)) as hosts:
        yield hosts


def test_workers_that_disagree_all_learn_who_called_what(two_racks: Hosts) -> None:
    calls = [f"worker {rank} at call 1: all_reduce (sum) of float32[{n}], sum" for rank, n in ((0, 999), (1, 1000))]
    for line in two_racks.run(PROGRAMS / "disagreement.py"):
        assert calls[0] in line
        assert calls[1] in line


def test_a_job_over_racks_continues_without_a_straggler(two_racks: Hosts, tmp_path: Path) -> None:
    punctual, late = two_racks.run(PROGRAMS / "late.py", str(tmp_path))
    assert punctual == "(0, 1) False {3}\n(0,) False {1}\n"
    assert late == "(0, 1) False {3}\n(0,) True {1}\n"
