"""Collectives between real processes on an emulated rack."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.on_hosts import Hosts, hosts

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module", params=["softswitch", "shm", "bmv2"])
def three_hosts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    if request.param == "bmv2" and not shutil.which("simple_switch_grpc"):
        pytest.skip("simple_switch_grpc is not on PATH: collectives ran on the embedded switch only")
    with hosts(tmp_path_factory.mktemp(request.param) / "net", 3, request.param) as running:
        yield running


def test_every_collective_equals_numpys_result(three_hosts: Hosts) -> None:
    assert three_hosts.run(PROGRAMS / "collectives.py") == ["ok\n"] * 3


def test_workers_that_disagree_all_learn_who_called_what(three_hosts: Hosts) -> None:
    heard = three_hosts.run(PROGRAMS / "disagreement.py")
    assert heard
    for line in heard:
        assert re.fullmatch(
            r"the workers do not all make the same call: "
            r"worker 2 at call 1: all_reduce \(sum\) of float32\[1000\], .*; "
            r"workers 0, 1 at call 1: all_reduce \(sum\) of float32\[999\], .*\n",
            line.splitlines(keepends=True)[-1],
        )


def test_one_worker_alone_is_its_own_sum(tmp_path: Path) -> None:
    with hosts(tmp_path / "net", 1) as alone:
        assert alone.run(PROGRAMS / "collectives.py") == ["ok\n"]


def test_loss_changes_no_result(tmp_path: Path) -> None:
    with hosts(tmp_path / "net", 2, loss=0.02) as lossy:
        assert lossy.run(PROGRAMS / "collectives.py") == ["ok\n"] * 2
