"""Compares the members' calls after they did not match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress

COMPARE_TIMEOUT = 5.0
"""Seconds for which a member waits for the calls of the others."""


class Comparison:
    """Collects the members' calls, as text for people."""

    def __init__(self, members: Callable[[int], Collection[int]]) -> None:
        """members: returns the ranks of a job that make calls."""
        self._members = members
        self._said: dict[tuple[int, int], dict[int, str]] = {}
        self._heard = asyncio.Condition()

    async def compare(self, job: int, epoch: int, rank: int, call: str) -> dict[int, str]:
        """Adds a member's call. Returns the epoch's calls, by rank, that arrive within COMPARE_TIMEOUT seconds."""
        said = self._said.setdefault((job, epoch), {})
        async with self._heard:
            said[rank] = call
            self._heard.notify_all()
            with suppress(TimeoutError):
                async with asyncio.timeout(COMPARE_TIMEOUT):
                    await self._heard.wait_for(lambda: said.keys() >= set(self._members(job)))
        # Later reports are about another call.
        self._said.pop((job, epoch), None)
        return dict(said)
