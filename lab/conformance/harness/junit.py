"""Runs pytest, and reads its report in JUnit's XML."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from lab.conformance.harness.scorecard import Outcome


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], build: Path, seconds: float | None = None
) -> list[Outcome]:
    """Run the tests, and leave their log and report in `build`. Raises FileNotFoundError if there is no report."""
    results, log = build / "results.xml", build / "pytest.log"
    results.unlink(missing_ok=True)
    with log.open("w") as output:
        subprocess.run(
            [*command, "-o", "addopts=", "--junitxml", str(results)],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    if not results.exists():
        raise FileNotFoundError(f"pytest left no results: see {log}")
    return outcomes(results.read_text())


def outcomes(junit: str) -> list[Outcome]:
    """Parse a report: "pass", "fail" or "skip" for each test, with the message's first line."""
    found = []
    for case in ElementTree.fromstring(junit).iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
        ended = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        if ended is None:
            found.append(Outcome(name, "pass"))
        else:
            message = (ended.get("message") or "").splitlines()
            result = "skip" if ended.tag == "skipped" else "fail"
            found.append(Outcome(name, result, message[0] if message else ""))
    return found
