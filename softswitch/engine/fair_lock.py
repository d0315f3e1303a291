"""A lock that a thread which takes it again and again, or for long, does not keep from others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType


def nobody() -> None:
    """Has the lock for long."""


class FairLock:
    """A reentrant lock, whose next owner is whoever waits already.

    Attributes:
        ring: called by whoever has to wait, once: whoever has it for long lets it go then.
    """

    def __init__(self) -> None:
        self.ring: Callable[[], None] = nobody
        self._lock = threading.Lock()
        # Whoever is to be the next owner; others wait for this first.
        self._next = threading.Lock()
        self._owner = 0
        self._depth = 0

    def __enter__(self) -> None:
        thread = threading.get_ident()
        if self._owner != thread:
            with self._next:
                if not self._lock.acquire(blocking=False):
                    self.ring()
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
