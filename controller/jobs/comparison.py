"""What the workers of a job call when they do not all call the same, put side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress

COMPARE_TIMEOUT = 5.0
"""Seconds for which the first to ask waits for the others."""


class Comparison:
    """Collects the members' calls, for people."""

    def __init__(self, members: Callable[[int], Collection[int]]) -> None:
        """`members`: those of a job that have something to say."""
        self._members = members
        self._said: dict[tuple[int, int], dict[int, str]] = {}
        self._heard = asyncio.Condition()

    async def compare(self, job: int, epoch: int, rank: int, call: str) -> dict[int, str]:
        """The calls of all members of a job in an epoch, by rank; not of those that say nothing for COMPARE_TIMEOUT."""
        said = self._said.setdefault((job, epoch), {})
        async with self._heard:
            said[rank] = call
            self._heard.notify_all()
            with suppress(TimeoutError):
                async with asyncio.timeout(COMPARE_TIMEOUT):
                    await self._heard.wait_for(lambda: said.keys() >= set(self._members(job)))
        # Whoever says something now is at another call.
        self._said.pop((job, epoch), None)
        return dict(said)
