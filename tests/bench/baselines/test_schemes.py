"""The schemes that Dropzero is compared with compute right sums."""

from __future__ import annotations

import threading
from typing import cast

import numpy as np
import pytest

from bench.baselines.mesh import Bytes, Mesh
from bench.baselines.schemes import SCHEMES, Vector
from dropzero.simulator.formulas import Overlap, Scheme, efficiency, seconds, union
from dropzero.simulator.workload import gradient, total


class Exchange:
    """Passes messages between threads, in order."""

    def __init__(self, size: int) -> None:
        self.condition = threading.Condition()
        self.messages: dict[tuple[int, int], list[Bytes]] = {
            (source, target): [] for source in range(size) for target in range(size)
        }


class Local:
    """A mesh in this process."""

    def __init__(self, exchange: Exchange, rank: int, size: int) -> None:
        self.exchange, self.rank, self.size = exchange, rank, size

    def send(self, peer: int, content: Vector) -> None:
        with self.exchange.condition:
            self.exchange.messages[self.rank, peer].append(content.reshape(-1).view(np.uint8).copy())
            self.exchange.condition.notify_all()

    def receive(self, peer: int) -> Bytes:
        waiting = self.exchange.messages[peer, self.rank]
        with self.exchange.condition:
            assert self.exchange.condition.wait_for(lambda: bool(waiting), 30)
            return waiting.pop(0)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("overlap", Overlap)
@pytest.mark.parametrize(
    ("scheme", "workers"),
    [
        (scheme, workers)
        for scheme in SCHEMES
        for workers in (2, 3, 4, 8)
        if (scheme, workers) != ("halving-doubling", 3)
    ],
)
def test_a_scheme_gives_every_worker_the_sum(scheme: Scheme, overlap: Overlap, workers: int) -> None:
    elements = 1000
    hosts = workers + (scheme is Scheme.PARAMETER_SERVER)
    exchange = Exchange(hosts)
    results: dict[int, Vector] = {}

    def run(rank: int) -> None:
        own = gradient(elements, 0.25, overlap, rank, workers) if rank < workers else np.zeros(elements, np.float32)
        results[rank] = SCHEMES[scheme](cast("Mesh", Local(exchange, rank, hosts)), own)

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(hosts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    expected = total(elements, 0.25, overlap, workers)
    assert expected.any()
    for rank in range(workers):
        np.testing.assert_array_equal(results[rank], expected)


@pytest.mark.parametrize("overlap", Overlap)
def test_the_workload_has_the_density_and_the_union_that_the_formulas_assume(overlap: Overlap) -> None:
    elements, workers, density = 32 * 4000, 4, 0.1
    blocks = [
        gradient(elements, density, overlap, rank, workers).reshape(-1, 32).any(axis=1) for rank in range(workers)
    ]
    assert all(each.mean() == pytest.approx(density) for each in blocks)
    assert np.any(blocks, axis=0).mean() == pytest.approx(union(density, overlap, workers), rel=0.05)


def test_the_ring_needs_twice_the_share_of_the_others_and_the_switch_the_gradient_once() -> None:
    size, rate = 1 << 24, 100e6
    assert seconds(Scheme.DROPZERO, size, 8, rate) == pytest.approx(size * 8 / rate / efficiency(256))
    ratio = seconds(Scheme.RING, size, 8, rate) / seconds(Scheme.RING, size, 2, rate)
    assert ratio == pytest.approx((2 * 7 / 8) / (2 * 1 / 2))
