"""Collects the latest events of all workers of a job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

from dropzero.controller.jobs.jobs import Worker
from dropzero.membership.event import Event

RECALL_TIMEOUT = 2.0
"""Seconds within which workers must answer, whatever they are doing."""


class Recalls:
    """Collects the workers' latest events, for one operator at a time."""

    def __init__(self, ask: Callable[[int, int], Mapping[int, Worker]]) -> None:
        """ask: (job, last) -> the job's workers by rank, after it asked each for its last events."""
        self._ask = ask
        self._turn = asyncio.Lock()
        self._said: dict[Worker, list[Event]] = {}
        self._heard = asyncio.Event()

    async def collect(self, job: int, last: int) -> dict[int, list[Event] | None]:
        """Returns the last `last` events of each worker, by rank; None for a worker that does not answer in time.
        Raises as `ask`."""
        async with self._turn:
            self._said = {}
            asked = self._ask(job, last)
            with suppress(TimeoutError):
                async with asyncio.timeout(RECALL_TIMEOUT):
                    while not self._said.keys() >= set(asked.values()):
                        self._heard.clear()
                        await self._heard.wait()
            return {rank: self._said.get(worker) for rank, worker in sorted(asked.items())}

    def add(self, worker: Worker, events: list[Event]) -> None:
        """Adds a worker's answer."""
        self._said[worker] = events
        self._heard.set()
