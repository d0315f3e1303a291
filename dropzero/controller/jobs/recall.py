"""Collects the latest events of all workers of a job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress

from dropzero.membership.event import Event

RECALL_TIMEOUT = 2.0
"""Seconds within which workers must answer, whatever they are doing."""


class Recalls:
    """Collects the workers' latest events, for one operator at a time."""

    def __init__(self, ask: Callable[[int, int], Collection[int]]) -> None:
        """ask: (job, last) -> the ranks of the job's workers, after it asked each for its last events."""
        self._ask = ask
        self._turn = asyncio.Lock()
        self._job = -1
        self._said: dict[int, list[Event]] = {}
        self._heard = asyncio.Event()

    async def collect(self, job: int, last: int) -> dict[int, list[Event] | None]:
        """Returns the last `last` events of each worker, by rank; None for a worker that does not answer in time.
        Raises as `ask`."""
        async with self._turn:
            self._job, self._said = job, {}
            asked = self._ask(job, last)
            with suppress(TimeoutError):
                async with asyncio.timeout(RECALL_TIMEOUT):
                    while not self._said.keys() >= set(asked):
                        self._heard.clear()
                        await self._heard.wait()
            return {rank: self._said.get(rank) for rank in sorted(asked)}

    def add(self, job: int, rank: int, events: list[Event]) -> None:
        """Adds a worker's answer."""
        if job == self._job:
            self._said[rank] = events
            self._heard.set()
