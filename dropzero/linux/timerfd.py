"""A timer that an event loop can wait for, exact to less than a millisecond."""

from __future__ import annotations

import ctypes
import os
import time

from dropzero.linux.libc import checked_call, libc

TFD_NONBLOCK = os.O_NONBLOCK
TFD_CLOEXEC = os.O_CLOEXEC
TFD_TIMER_ABSTIME = 1

libc.timerfd_settime.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]


class TimerFd:
    """A timerfd on the clock of time.monotonic_ns()."""

    def __init__(self) -> None:
        self._fd = checked_call(libc.timerfd_create, time.CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)
        self._time = 0

    def fileno(self) -> int:
        """Readable from the time that is set."""
        return self._fd

    def set(self, nanoseconds: int | None) -> None:
        """Sets the time to fire, at once if it is past; None: never. Replaces the previous time."""
        wanted = 0 if nanoseconds is None else max(1, nanoseconds)
        if wanted == self._time:
            return
        self._time = wanted
        # struct itimerspec: no interval, then the time.
        specification = (ctypes.c_int64 * 4)(0, 0, *divmod(wanted, 10**9))
        checked_call(libc.timerfd_settime, self._fd, TFD_TIMER_ABSTIME, specification, None)

    def close(self) -> None:
        os.close(self._fd)
