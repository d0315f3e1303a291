"""Compares the members' calls after they did not match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress

from dropzero.controller.jobs.jobs import Worker

COMPARE_TIMEOUT = 5.0
"""Seconds for which a member waits for the calls of the others."""


class Comparison:
    """Collects the members' calls, as text for people."""

    def __init__(self, members: Callable[[int, Worker], Collection[int]]) -> None:
        """members: (job, worker) -> the ranks of this worker's job that make calls; none if it is over."""
        self._members = members
        self._said: dict[tuple[int, int], dict[int, str]] = {}
        self._heard = asyncio.Condition()

    async def compare(self, job: int, worker: Worker, epoch: int, rank: int, call: str) -> dict[int, str]:
        """Adds the call of a member, which has this rank. Returns the epoch's calls, by rank, that arrive within
        COMPARE_TIMEOUT seconds."""
        said = self._said.setdefault((job, epoch), {})
        async with self._heard:
            said[rank] = call
            self._heard.notify_all()
            with suppress(TimeoutError):
                async with asyncio.timeout(COMPARE_TIMEOUT):
                    await self._heard.wait_for(lambda: said.keys() >= set(self._members(job, worker)))
        # Later reports are about another call.
        self._said.pop((job, epoch), None)
        return dict(said)
