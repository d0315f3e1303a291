"""A lock that a thread which takes it again and again does not keep from others."""

from __future__ import annotations

import threading
from types import TracebackType


class FairLock:
    """A reentrant lock, whose next owner is whoever waits already."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Whoever is to be the next owner; others wait for this first.
        self._next = threading.Lock()
        self._owner = 0
        self._depth = 0

    @property
    def wanted(self) -> bool:
        """Whether a thread waits for it."""
        return self._next.locked()

    def __enter__(self) -> None:
        thread = threading.get_ident()
        if self._owner != thread:
            with self._next:
                self._lock.acquire()
            self._owner = thread
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = 0
            self._lock.release()
