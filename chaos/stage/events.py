"""What happens in a run, and when: a line each in a log."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path


class Events:
    """The log of a run; `latest` is its last line, for those who watch. A line begins with the seconds since the run
    began, and what the clock of the workers' records says."""

    def __init__(self, path: Path, faults: Counter[str]) -> None:
        """faults: where they are counted."""
        self._file = path.open("w", buffering=1)
        self._began = time.monotonic()
        self.latest = ""
        self._faults = faults

    def add(self, text: str) -> None:
        self.latest = text
        at = time.monotonic()
        self._file.write(f"{at - self._began:9.3f} {at:.3f} {text}\n")

    def fault(self, kind: str, text: str) -> None:
        """One that has struck."""
        self._faults[kind] += 1
        self.add(f"{kind}: {text}")

    def close(self) -> None:
        self._file.close()
