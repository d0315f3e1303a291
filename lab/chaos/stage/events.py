"""The log of a run: a line for each event."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path


class Events:
    """Writes the log of a run. `latest` is its last event.

    Each line begins with the seconds since the start, and the time on the clock of the workers' records.
    """

    def __init__(self, path: Path, faults: Counter[str]) -> None:
        """faults: counts them by kind."""
        self._file = path.open("w", buffering=1)
        self._began = time.monotonic()
        self.latest = ""
        self._faults = faults

    def add(self, text: str) -> None:
        self.latest = text
        at = time.monotonic()
        self._file.write(f"{at - self._began:9.3f} {at:.3f} {text}\n")

    def fault(self, kind: str, text: str) -> None:
        self._faults[kind] += 1
        self.add(f"{kind}: {text}")

    def close(self) -> None:
        self._file.close()
