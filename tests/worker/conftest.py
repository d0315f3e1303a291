"""Fixtures of several modules' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.worker.places import Places, places


@pytest.fixture(scope="session", params=["loopback", "bmv2"])
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """A network that loses packets. Every test has its own jobs."""
    with places(request.param, tmp_path_factory.mktemp(request.param)) as ready:
        yield ready
