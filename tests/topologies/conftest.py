"""Fixtures shared by tests of networks."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture(scope="module", params=["softswitch", "bmv2"])
def switch(request: pytest.FixtureRequest) -> str:
    """Each kind of switch in turn."""
    if request.param == "bmv2" and not shutil.which("simple_switch_grpc"):
        pytest.skip("no simple_switch_grpc on PATH")
    return str(request.param)
