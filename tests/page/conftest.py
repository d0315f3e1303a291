"""One browser for each module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser.chromium() as started:
        yield started
