"""Run the solutions of p4lang's tutorials with their own `make run`, and Mininet's pingall between the hosts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from conformance.harness.scorecard import Outcome
from conformance.suites.launcher import launch, shims

SECONDS = 180.0


def exercises(checkout: Path) -> list[Path]:
    """Return the exercises whose solution is a P4 program."""
    return sorted(folder.parent for folder in checkout.glob("exercises/*/solution") if list(folder.glob("*.p4")))


def run(checkout: Path, binaries: Path, build: Path, *, only: str, embedded: bool) -> Iterator[Outcome]:
    """Yield one outcome for each exercise: "pings-a/b", with a answers to b pings, or "fail". binaries: the folder of a
    python3 with Mininet and the tutorials' dependencies."""
    first = shims(build / "bin", embedded=embedded)
    copy = build / "tutorials"
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("exercises", "utils"):
        shutil.copytree(checkout / part, copy / part, symlinks=True)
    for exercise in exercises(copy):
        if only not in exercise.name:
            continue
        for file in (exercise / "solution").iterdir():
            shutil.copy(file, exercise)
        output = launch("make run", folder=exercise, path=(first, binaries), text="pingall\nexit\n", seconds=SECONDS)
        (build / f"{exercise.name}.log").write_text(output)
        yield outcome(exercise.name, output)


def outcome(name: str, output: str) -> Outcome:
    """Parse Mininet's output: "*** Results: 0% dropped (12/12 received)"."""
    pings = re.search(r"Results: \d+% dropped \((\d+/\d+) received\)", output)
    if pings is None:
        last = next((line for line in reversed(output.splitlines()) if line.strip()), "no output")
        return Outcome(name, "fail", last)
    return Outcome(name, f"pings-{pings[1]}")
