"""The schemes that Dropzero is compared with compute right sums."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.simulator.collectives.schemes import (
    SCHEMES,
    Bytes,
    Collective,
    Steps,
    Vector,
    all_to_all,
    gather,
    scatter,
)
from dropzero.simulator.formulas import Overlap, Scheme, efficiency, seconds, union
from dropzero.simulator.workload import gradient, total


class Local:
    """A mesh in this process."""

    def __init__(self, rank: int, size: int, racks: int) -> None:
        self.rank, self.size, self.racks = rank, size, racks
        self.sent: dict[int, deque[Bytes]] = {peer: deque() for peer in range(size)}
        self.bytes = np.zeros(size, int)

    def send(self, peer: int, content: NDArray[np.generic]) -> None:
        assert peer != self.rank
        self.bytes[peer] += content.nbytes
        self.sent[peer].append(content.reshape(-1).view(np.uint8).copy())

    def flush(self) -> None:
        pass


def run(ends: Sequence[Local], steps: Sequence[Steps]) -> list[Vector]:
    """Runs all hosts in turn, each as far as it gets."""
    results: dict[int, Vector] = {}
    awaited: dict[int, int] = {}
    for rank, each in enumerate(steps):
        try:
            awaited[rank] = next(each)
        except StopIteration as done:
            results[rank] = done.value
    while awaited:
        going = [rank for rank, peer in awaited.items() if ends[peer].sent[rank]]
        assert going, "they all wait"
        for rank in going:
            try:
                awaited[rank] = steps[rank].send(ends[awaited[rank]].sent[rank].popleft())
            except StopIteration as done:
                results[rank] = done.value
                del awaited[rank]
    return [results[rank] for rank in range(len(steps))]


@pytest.mark.parametrize("overlap", Overlap)
@pytest.mark.parametrize(
    ("scheme", "workers", "racks"),
    [
        *((scheme, workers, 1) for scheme in SCHEMES for workers in (2, 4, 8)),
        *((scheme, workers, 1) for scheme in SCHEMES if scheme != "halving-doubling" for workers in (3, 5, 13)),
        *((Scheme.HIERARCHICAL_RING, workers, racks) for workers, racks in ((6, 2), (6, 3), (4, 4))),
    ],
)
def test_a_scheme_gives_every_worker_the_sum(scheme: Scheme, overlap: Overlap, workers: int, racks: int) -> None:
    elements = 3000
    hosts = workers + (scheme is Scheme.PARAMETER_SERVER)
    ends = [Local(rank, hosts, racks) for rank in range(hosts)]
    own = [gradient(elements, 0.25, overlap, rank, workers) for rank in range(workers)]
    vectors = [*own, np.zeros(elements, np.float32)]
    results = run(ends, [SCHEMES[scheme](end, vectors[end.rank]) for end in ends])
    expected = total(elements, 0.25, overlap, workers)
    assert expected.any()
    for rank in range(workers):
        np.testing.assert_array_equal(results[rank], expected)
    assert not any(waiting for end in ends for waiting in end.sent.values())


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_hosts_exchange_gather_and_scatter_parts(workers: int) -> None:
    """Worker r's vector has r + 1 everywhere, and 10 times as much in part r."""
    vectors = [np.full(10, rank + 1, np.float32) for rank in range(workers)]
    for rank, vector in enumerate(vectors):
        np.array_split(vector, workers)[rank][:] *= 10

    def results(collective: Collective) -> list[list[float]]:
        ends = [Local(rank, workers, 1) for rank in range(workers)]
        found = run(ends, [collective(end, vectors[end.rank]) for end in ends])
        return [[float(part[0]) for part in np.array_split(vector, workers)] for vector in found]

    parts = [
        [10.0 * (rank + 1) if rank == place else rank + 1.0 for rank in range(workers)] for place in range(workers)
    ]
    assert results(all_to_all) == parts
    assert results(gather)[0] == [10.0 * (rank + 1) for rank in range(workers)]
    assert [own[rank] for rank, own in enumerate(results(scatter))] == [10.0, *[1.0] * (workers - 1)]


@pytest.mark.parametrize(
    ("scheme", "workers", "racks", "message"),
    [
        (Scheme.HALVING_DOUBLING, 6, 1, "2, 4, 8, ... workers, not 6"),
        (Scheme.HIERARCHICAL_RING, 6, 4, "4 cannot share 6 workers"),
    ],
)
def test_a_scheme_refuses_hosts_that_it_is_not_for(scheme: Scheme, workers: int, racks: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        next(SCHEMES[scheme](Local(0, workers, racks), np.zeros(100, np.float32)))


@pytest.mark.parametrize("workers", [4, 7, 8, 33])
def test_no_host_is_inside_both_trees(workers: int) -> None:
    """The bytes that a host receives are then at most twice the vector's."""
    ends = [Local(rank, workers, 1) for rank in range(workers)]
    vector = np.zeros(2000, np.float32)
    run(ends, [SCHEMES[Scheme.DOUBLE_BINARY_TREE](end, vector) for end in ends])
    received = np.sum([end.bytes for end in ends], axis=0)
    assert received.max() <= 2 * vector.nbytes


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
