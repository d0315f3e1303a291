"""Debian's Chromium, driven by Playwright, if both are there and start."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PATIENCE = 300_000
"""Milliseconds that a test waits for what the browser is to show: the machine may have much else to do."""


@contextmanager
def chromium() -> Iterator[Any]:
    """The running browser. Skips the test, with the reason, where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright for Python")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium on PATH")
    driver = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True)
    if driver.returncode:
        # Its Node.js needs libatomic1, for example.
        pytest.skip(f"Playwright does not start here: {driver.stderr.strip()}")
    with playwright.sync_playwright() as started:
        # Chromium has no sandbox for root.
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def tab(browser: Any, **options: Any) -> Iterator[Any]:
    """An empty page in a context of its own, with Playwright's options."""
    with browser.new_context(**options) as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()
