"""What the controller reports: a line for each thing that happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress


class Journal:
    """Passes each line on to `out`, and to those who follow.

    A line that `out` cannot write, because nobody reads it or the disk is full, is lost: it is no reason not to do what
    it reports.
    """

    def __init__(self, out: Callable[[str], None]) -> None:
        self._out = out
        self._followers: set[asyncio.Queue[str]] = set()

    def __call__(self, line: str) -> None:
        with suppress(OSError):
            self._out(line)
        for queue in self._followers:
            queue.put_nowait(line)

    async def follow(self) -> AsyncIterator[str]:
        """The lines from now on."""
        queue: asyncio.Queue[str] = asyncio.Queue()
        self._followers.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._followers.discard(queue)
