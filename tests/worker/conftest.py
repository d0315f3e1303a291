"""What several modules' tests run on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.worker.loopback import loopback


@pytest.fixture(scope="session")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A network on the loopback that loses packets. Every test has jobs of its own."""
    with loopback(tmp_path_factory.mktemp("loopback"), "--uplink-loss", "0.01", "--downlink-loss", "0.01") as address:
        yield address
