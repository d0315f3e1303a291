"""A job in this process whose workers enter, leave and are late. Each has its own Compression."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from threading import Barrier
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dropzero.compressors.compression import Aggregate, Compression
from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.network import Scaled
from dropzero.compressors.rules import Parameter

Collective = Callable[[NDArray[Any]], NDArray[Any]]


class Job:
    """A job of `size` ranks, which are all present at first.

    Attributes:
        workers: the compressions by rank.
    """

    def __init__(self, spec: str, size: int, elements: int | Sequence[Parameter], seed: int = 0) -> None:
        self.spec, self.size, self.elements, self.seed = spec, size, elements, seed
        self.network = InProcessNetwork(size)
        self.workers: dict[int, Compression] = {}
        self.exponents = np.zeros(0, np.uint8)
        for rank in range(size):
            self.workers[rank] = self.made(rank)

    def made(self, rank: int) -> Compression:
        return Compression(self.spec, Member(self, rank), self.elements, seed=self.seed)

    def enter(self, rank: int) -> None:
        """Admits a worker with the state that the others share, as training does."""
        newcomer = self.made(rank)
        newcomer.restore(next(iter(self.workers.values())).state(shared=True))
        self.workers[rank] = newcomer

    def step(
        self, gradients: Mapping[int, NDArray[Any]], late: Iterable[Collection[int]] = (), rate: float = 1.0
    ) -> dict[int, Aggregate]:
        """All workers' next sum, of a gradient (d,) each. late: who is late for the first call, the second, ..."""
        self.late = chain(late, repeat(()))
        self.barrier = Barrier(len(self.workers), timeout=600)
        self.rows: dict[int, NDArray[Any]] = {}

        def work(rank: int) -> Aggregate:
            return self.workers[rank].aggregate(gradients[rank][np.newaxis], rate=rate)

        with ThreadPoolExecutor(len(self.workers)) as threads:
            return dict(zip(self.workers, threads.map(work, self.workers), strict=True))

    def together(self, rank: int, row: NDArray[Any], collective: Collective) -> NDArray[Any]:
        """What everybody gets of a collective that one of them makes for all; those who are late get it, too."""
        self.rows[rank] = row
        if self.barrier.wait() == 0:
            late = set(next(self.late))
            # At least one worker must be on time.
            self.contributors = tuple(sorted(self.workers.keys() - late)) or (min(self.workers),)
            rows = [self.rows[each] if each in self.contributors else np.zeros_like(row) for each in range(self.size)]
            self.result = collective(np.stack(rows))
        self.barrier.wait()
        return self.result


class Member:
    """A worker's network."""

    def __init__(self, job: Job, rank: int) -> None:
        self.job, self.rank, self.size = job, rank, job.size

    @property
    def contributors(self) -> tuple[int, ...]:
        return self.job.contributors

    @property
    def statistics(self) -> dict[str, int]:
        return self.job.network.statistics

    def all_reduce(self, array: NDArray[Any], /, **options: Any) -> NDArray[Any]:
        return self.job.together(self.rank, array, lambda rows: self.job.network.all_reduce(rows, **options))

    def all_reduce_scaled(self, array: NDArray[np.float32], /, *, block: int, width: int, few_bits: bool) -> Scaled:
        job = self.job

        def summed(rows: NDArray[Any]) -> NDArray[Any]:
            # As many bits as there are contributors have room for.
            network = InProcessNetwork(len(job.contributors))
            total, job.exponents = network.all_reduce_scaled(
                rows[list(job.contributors)], block=block, width=width, few_bits=few_bits
            )
            return total

        return job.together(self.rank, array, summed), job.exponents

    def all_gather(self, array: NDArray[Any], /) -> NDArray[Any]:
        return self.job.together(self.rank, array, self.job.network.all_gather)
