"""How long a group's calls took together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from dropzero.lock import Lock


class Busy:
    """The seconds in which at least one call was under way."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls = 0
        self._since = self._seconds = self._when_added = 0.0

    @contextmanager
    def during(self) -> Iterator[None]:
        """A context: a call is under way."""
        with self._lock:
            if self._calls == 0:
                self._since = monotonic()
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                if self._calls == 0:
                    self._seconds += monotonic() - self._since

    def added(self) -> None:
        """Notes that the program has added a call."""
        with self._lock:
            self._when_added = self._now()

    @property
    def seconds(self) -> tuple[float, float]:
        """All seconds so far, and those since the program added its last call."""
        with self._lock:
            now = self._now()
            return now, now - self._when_added

    def _now(self) -> float:
        return self._seconds + (monotonic() - self._since if self._calls else 0.0)
