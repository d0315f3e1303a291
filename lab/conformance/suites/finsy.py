"""Run finsy's own tests of its P4Runtime client."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lab.conformance.harness.junit import run as run_tests
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.harness.switches import EMBEDDED, running

# test_benchmarks.py inserts the same entries three times, which only finsy's mock server accepts.
FILES = ("tests/test_p4client.py", "tests/test_switch.py", "tests/test_controller.py")
OPTIONS = ("--no-primary-status",)
"""A test expects a primary's update without a status. By default the status is OK, as in BMv2."""
SECONDS = 600
DEVICE = 1


def run(checkout: Path, python: Path, build: Path, switch: str | None) -> list[Outcome]:
    """Return one outcome for each test. python: an interpreter with finsy, pytest and pytest-asyncio."""
    build.mkdir(parents=True, exist_ok=True)
    command: Sequence[str] = (switch,) if switch else (*EMBEDDED, *OPTIONS)
    with running([*command, "--device-id", str(DEVICE)], build / "switch.log") as started:
        environment = {**os.environ, "FINSY_TEST_P4RUNTIME_TARGET": started.address, "PYTHONPATH": str(checkout)}
        return run_tests([str(python), "-m", "pytest", "-q", *FILES], checkout, environment, build, SECONDS)
