"""What wakes an event loop: other threads, and signals."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

MOST = 1 << 16
"""Rings that a pipe holds."""


class Bell:
    """A pipe that something was written to."""

    def __init__(self) -> None:
        self._heard, self._rung = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def fileno(self) -> int:
        """Readable from the first ring until hush()."""
        return self._heard

    def ring(self) -> None:
        """From any thread."""
        # Otherwise it is full of rings already.
        with suppress(BlockingIOError):
            os.write(self._rung, b"\0")

    def hush(self) -> None:
        """Once it has rung."""
        os.read(self._heard, MOST)

    @contextmanager
    def rung_by_signals(self) -> Iterator[None]:
        """In the block, signals for which there is a handler ring, too. In the main thread only.

        Their handlers run there between two steps of Python: without the bell, a signal that comes while native code
        is under way, or just before the thread begins to sleep, would wait for the next packet.
        """
        before = signal.set_wakeup_fd(self._rung, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)

    def close(self) -> None:
        os.close(self._heard)
        os.close(self._rung)
