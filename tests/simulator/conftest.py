from __future__ import annotations

import pytest

from dropzero.protocol.lanes.lanes import Lanes


@pytest.fixture(autouse=True, scope="session")
def _code() -> None:
    """Compiles or loads the workers' code."""
    Lanes.rehearse()
