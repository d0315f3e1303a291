"""A fair lock: a thread cannot starve others by retaking it, or by holding it for long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType


def ignore_waiters() -> None:
    """The default of FairLock.on_wait."""


class FairLock:
    """A reentrant lock that passes to a waiting thread before its last owner can take it again.

    Attributes:
        on_wait: called by each thread that has to wait. An owner that holds the lock for long sets it, and releases the
            lock when it is called.
    """

    def __init__(self) -> None:
        self.on_wait: Callable[[], None] = ignore_waiters
        self._lock = threading.Lock()
        # The next owner holds this one while it waits; all others block here.
        self._next = threading.Lock()
        self._owner = 0
        self._depth = 0

    def __enter__(self) -> None:
        thread = threading.get_ident()
        if self._owner != thread:
            with self._next:
                if not self._lock.acquire(blocking=False):
                    self.on_wait()
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
