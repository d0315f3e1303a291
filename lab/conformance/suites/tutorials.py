"""Run the solutions of p4lang's tutorials with their own `make run`, and Mininet's pingall between the hosts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from lab.conformance.harness.commands import last_line
from lab.conformance.harness.scorecard import Outcome
from lab.conformance.suites.launcher import launch, shims

SECONDS = 180.0
QUEUES = {"ecn": r"tos\s*= (0x\d)", "mri": r"qdepth\s*= (\d+)"}
"""The exercises about the queue of a slow link, and what their receiver prints for each packet."""
LOAD = """\
h2 python3 receive.py >received.txt 2>&1 &
h22 iperf -s -u >/dev/null 2>&1 &
h1 sleep 6
h1 python3 send.py 10.0.2.2 test 24 >/dev/null 2>&1 &
h11 sleep 8
h11 iperf -c 10.0.2.22 -t 8 -u >/dev/null 2>&1
h1 sleep 9
"""
"""Sends a packet per second, and for eight seconds twice as much as the link carries, as the exercises say."""
LONG = 58
"""Packets in a queue of 64 that counts as nearly full."""


def exercises(checkout: Path) -> list[Path]:
    """Return the exercises whose solution is a P4 program."""
    return sorted(folder.parent for folder in checkout.glob("exercises/*/solution") if list(folder.glob("*.p4")))


def run(checkout: Path, binaries: Path, build: Path, *, only: str, embedded: bool) -> Iterator[Outcome]:
    """Yield one outcome for each exercise: "pings-a/b" for a answers to b pings, or "fail". If iperf is installed,
    yield one more for each of QUEUES. binaries: the folder of a python3 with Mininet and the tutorials'
    dependencies."""
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
        loaded = exercise.name in QUEUES and shutil.which("iperf") is not None
        text = f"pingall\n{LOAD if loaded else ''}exit\n"
        log = build / f"{exercise.name}.log"
        output = launch("make run", log, folder=exercise, path=(first, binaries), text=text, seconds=SECONDS)
        yield outcome(exercise.name, output)
        if loaded:
            received = exercise / "received.txt"
            yield queue(exercise.name, received.read_text() if received.exists() else "")


def queue(exercise: str, received: str) -> Outcome:
    """Return "pass" if some packets met an empty queue and some a nearly full one (for "ecn": a long one)."""
    values = [int(value, 0) for value in re.findall(QUEUES[exercise], received)]
    seen = {1, 3} <= set(values) if exercise == "ecn" else bool(values) and min(values) == 0 and max(values) >= LONG
    return Outcome(f"{exercise}/queue", "pass" if seen else "fail", f"packets met {values}")


def outcome(name: str, output: str) -> Outcome:
    """Parse Mininet's output: "*** Results: 0% dropped (12/12 received)"."""
    pings = re.search(r"Results: \d+% dropped \((\d+/\d+) received\)", output)
    if pings is None:
        return Outcome(name, "fail", last_line(output))
    return Outcome(name, f"pings-{pings[1]}")
