"""`python -m lab.lines`: the lines of Python outside the tests, by room, held to a budget (`make check`)."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUDGET = {"dropzero": 66_689, "lab": 13_000}
"""Lines without generated code. Lower it when a change removes code; raise it only with a reason."""


def count() -> dict[str, Counter[str]]:
    """The lines of each room of each package."""
    found = {package: Counter[str]() for package in BUDGET}
    for package, rooms in found.items():
        for path in (ROOT / package).rglob("*.py"):
            if not path.stem.endswith(("_pb2", "_pb2_grpc")):
                room, *inside = path.relative_to(ROOT / package).parts
                rooms[room if inside else "."] += len(path.read_bytes().splitlines())
    return found


def main() -> None:
    over = False
    for package, rooms in count().items():
        over |= rooms.total() > BUDGET[package]
        listed = ", ".join(f"{room} {lines:,}" for room, lines in rooms.most_common())
        print(f"{package}: {rooms.total():,} of {BUDGET[package]:,} lines ({listed})")
    if over:
        sys.exit("Over the budget of lab/lines.py: make the change smaller, or say there why it is worth its lines.")


if __name__ == "__main__":
    main()
