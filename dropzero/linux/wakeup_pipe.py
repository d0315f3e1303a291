"""Wakes an event loop: from other threads, and when a signal arrives."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CAPACITY = 1 << 16
"""Bytes that a pipe holds; each wakeup is one."""


class WakeupPipe:
    """A pipe to wait for in `select` or `epoll`."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

    def fileno(self) -> int:
        """Readable from the first wake() until drain()."""
        return self._read_end

    def wake(self) -> None:
        """Wakes the loop. Call it from any thread."""
        # A full pipe already wakes the loop.
        with suppress(BlockingIOError):
            os.write(self._write_end, b"\0")

    def drain(self) -> None:
        """Empties the pipe, which must be readable."""
        os.read(self._read_end, CAPACITY)

    @contextmanager
    def woken_by_signals(self) -> Iterator[None]:
        """In the block, signals with a handler wake the loop, too. Only for the main thread.

        Python runs handlers only between bytecodes. Without this, a signal that arrives during native code, or just
        before the thread sleeps, would wait for the next packet.
        """
        before = signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)

    def close(self) -> None:
        os.close(self._read_end)
        os.close(self._write_end)
