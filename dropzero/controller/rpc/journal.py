"""The controller's reports: one line for each event."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

KEPT = 1000
"""Lines kept for a slow follower."""


class Follower:
    """A queue of lines for a reader that may be slow. Drops the oldest lines if there are too many."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()
        self._left_out = 0
        self._fresh = asyncio.Event()

    def put(self, line: str) -> None:
        self._lines.append(line)
        if len(self._lines) > KEPT:
            self._lines.popleft()
            self._left_out += 1
        self._fresh.set()

    async def next(self) -> str:
        """Waits for the next line. A line that gives their number stands for those that were dropped."""
        await self._fresh.wait()
        if self._left_out:
            left_out, self._left_out = self._left_out, 0
            return f"({left_out} lines were dropped because they were not read in time)"
        line = self._lines.popleft()
        if not self._lines:
            self._fresh.clear()
        return line


class Journal:
    """Passes each line to `out` and to all followers.

    If `out` cannot write a line, because its reader is gone or the disk is full, the line is lost without an error.
    """

    def __init__(self, out: Callable[[str], None]) -> None:
        self._out = out
        self._followers: set[Follower] = set()

    def __call__(self, line: str) -> None:
        with suppress(OSError):
            self._out(line)
        for follower in self._followers:
            follower.put(line)

    async def follow(self) -> AsyncIterator[str]:
        """Yields the lines from now on."""
        follower = Follower()
        self._followers.add(follower)
        try:
            while True:
                yield await follower.next()
        finally:
            self._followers.discard(follower)
