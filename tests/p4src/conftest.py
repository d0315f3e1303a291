from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.p4src.bench import Bench


@pytest.fixture(scope="session", params=["softswitch", "bmv2"])
def switch_on_bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The program on the embedded switch, and on the real BMv2 if that is installed."""
    if request.param == "bmv2" and not shutil.which("simple_switch_grpc"):
        pytest.skip("simple_switch_grpc is not on PATH: the packet tests ran on the embedded switch only")
    bench = Bench(request.param, tmp_path_factory.mktemp(request.param))
    yield bench
    bench.close()


@pytest.fixture
def bench(switch_on_bench: Bench) -> Bench:
    """The bench with empty slots."""
    switch_on_bench.fresh()
    return switch_on_bench
