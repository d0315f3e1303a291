"""Records each suite's last complete run in record.json, which the documentation quotes."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from lab.conformance.harness import commands
from lab.conformance.harness.scorecard import Outcome

RECORD = Path(__file__).parents[1] / "record.json"
COMPARED = {"BMv2": "simple_switch_grpc", "p4c": "p4c-bm2-ss"}
"""The programs that suites use, and their executables."""


def write(
    suite: str, outcomes: Iterable[Outcome], path: Path = RECORD, *, versions: Mapping[str, str | None] | None = None
) -> None:
    """Replace a suite's entry: the date, the versions (of the switch's programs, or those given), and the number of
    tests by result."""
    known = json.loads(path.read_text()) if path.exists() else {}
    known[suite] = {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        **(versions or {name: version(executable) for name, executable in COMPARED.items()}),
        "results": dict(sorted(Counter(outcome.result for outcome in outcomes).items())),
    }
    path.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")


def commit() -> str:
    """Return this project's commit, with "-dirty" if other files than the record have changed since."""
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":/", f":(exclude){RECORD.name}")
    return _git("rev-parse", "--short", "HEAD") + ("-dirty" if changed else "")


def version(executable: str) -> str | None:
    """Return an executable's version, or None if it is not on PATH."""
    if shutil.which(executable) is None:
        return None
    found = re.search(r"\d+(\.\d+)+", commands.output([executable, "--version"])[1])
    return found and found[0]


def _git(*arguments: str) -> str:
    return commands.output(["git", *arguments], folder=RECORD.parent)[1].strip()
