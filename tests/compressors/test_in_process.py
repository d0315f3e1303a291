from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dropzero.compressors.in_process import InProcessNetwork
from dropzero.compressors.sparsifiers import RandK
from dropzero.topologies.orchestration.run import dense_uplink_bytes
from tests.compressors.vectors import draws, gaussian

HEADERS = 42 + 24 + 72
"""Bytes of a packet with eight blocks' descriptors and no data."""


@pytest.mark.parametrize("block", [32, 64, 128, 256])
@pytest.mark.parametrize("elements", [1, 100, 17226])
def test_dense_traffic_equals_the_dense_formula(block: int, elements: int) -> None:
    network = InProcessNetwork(3)
    network.all_reduce(np.ones((3, elements), np.float32), block=block)

    assert network.statistics["bytes_sent"] == 3 * dense_uplink_bytes(elements, 16, block)
    assert network.statistics["bytes_sent"] == network.statistics["bytes_received"]


@pytest.mark.parametrize(("workers", "union"), [(2, 0.19), (4, 0.344), (8, 0.57), (16, 0.815)])
def test_a_worker_sends_its_own_blocks_and_gets_those_of_the_union(workers: int, union: float) -> None:
    """The union of random tenths is 1 - 0.9^n."""
    rows = np.stack(
        [RandK(0.1, 32, unscaled=True).compress(np.ones(64_000, np.float32), draws(rank)) for rank in range(workers)]
    )
    network = InProcessNetwork(workers)
    network.all_reduce(rows, block=32)

    counts = network.statistics
    up, down = (counts[name] * HEADERS for name in ("packets_sent", "packets_received"))
    assert counts["bytes_sent"] - up == workers * 200 * 128
    assert (counts["bytes_received"] - down) / (workers * 2000 * 128) == pytest.approx(union, abs=0.03)


def test_zeros_cost_the_announcements_alone() -> None:
    network = InProcessNetwork(4)
    network.all_reduce(np.zeros((4, 10_000), np.float32))

    assert network.statistics["packets_sent"] == 4 * 16
    assert network.statistics["bytes_sent"] == 4 * 16 * HEADERS


def test_time_is_rounds_and_the_bytes_of_the_busiest_link() -> None:
    """8192 blocks take 64 packets with data on each of 16 lanes, and one without."""
    network = InProcessNetwork(2, rate=8e6, latency=0.5)
    rows = np.zeros((2, 8192 * 32), np.float32)
    rows[0] = 1
    network.all_reduce(rows)

    assert network.seconds == pytest.approx(65 * 0.5 + (8192 * 128 + 65 * 16 * HEADERS) / 1e6)


def test_sums_mean_and_extremes_are_numpys() -> None:
    rows = np.random.default_rng(1).integers(-(2**20), 2**20, (5, 300)).astype(np.float32)
    network = InProcessNetwork(5)

    np.testing.assert_array_equal(network.all_reduce(rows), rows.sum(axis=0))
    np.testing.assert_allclose(network.all_reduce(rows, operation="mean"), rows.mean(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(network.all_reduce(rows, operation="max"), rows.max(axis=0))
    np.testing.assert_array_equal(network.all_reduce(rows, operation="min"), rows.min(axis=0))
    np.testing.assert_array_equal(network.all_gather(rows), rows)
    np.testing.assert_array_equal(network.broadcast(rows, 3), rows[3])
    wild = np.full((5, 3), 2**30, np.int32)
    np.testing.assert_array_equal(network.all_reduce(wild), np.int32(2**30))


def test_maxima_send_all_workers_blocks() -> None:
    network = InProcessNetwork(2)
    rows = np.zeros((2, 320), np.float32)
    rows[0, :32] = 1
    network.all_reduce(rows, operation="max")

    headers = network.statistics["packets_sent"] * HEADERS
    assert network.statistics["bytes_sent"] - headers == 2 * 128


def test_gathered_and_broadcast_data_are_sent_once() -> None:
    for collective, rows_up in ((InProcessNetwork.all_gather, 4), (InProcessNetwork.broadcast, 1)):
        network = InProcessNetwork(4)
        collective(network, gaussian(1, 4, 320))
        headers = network.statistics["packets_sent"] * HEADERS
        assert network.statistics["bytes_sent"] - headers == rows_up * 1280


def test_an_all_gather_takes_a_workers_share_and_at_most_8_percent_of_the_whole() -> None:
    """A worker only acknowledges the blocks of others."""
    network, rows = InProcessNetwork(4), gaussian(1, 4, 2**16)
    network.all_gather(rows)
    assert network.statistics["bytes_sent"] / 4 <= rows.nbytes / 4 + 0.08 * rows.nbytes


@pytest.mark.parametrize(
    ("rows", "options", "complaint"),
    [
        (np.zeros((3, 4), np.float32), {}, "2 workers need 2 rows"),
        (np.zeros((2, 4)), {}, "float32 or int32"),
        (np.zeros((2, 4), np.float32), {"width": 24}, "32, 16 or 8 bits, not 24"),
        (np.zeros((2, 4), np.float32), {"block": 7}, "a block of 32-bit elements has one of"),
        (np.array([[0] * 40, [0] * 39 + [np.nan]], np.float32), {}, r"block 1 \(elements 32 to 63\) is not finite"),
    ],
)
def test_invalid_calls_are_refused(rows: NDArray[Any], options: dict[str, int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        InProcessNetwork(2).all_reduce(rows, block=options.get("block", 32), width=options.get("width", 32))


def test_a_network_without_workers_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 worker"):
        InProcessNetwork(0)


def test_too_many_workers_for_the_width_are_refused() -> None:
    rows = np.ones((65, 128), np.float32)
    with pytest.raises(ValueError, match="65 workers' elements does not fit into 8 bits"):
        InProcessNetwork(65).all_reduce(rows, block=128, width=8)
    with pytest.raises(ValueError, match="elements of 8 bits have only 1 bit of magnitude"):
        InProcessNetwork(64).all_reduce(rows[:64], block=128, width=8)
    assert np.array_equal(
        InProcessNetwork(64).all_reduce(rows[:64], block=128, width=8, few_bits=True), np.full(128, 64)
    )


def test_the_mean_of_integers_is_that_of_their_exact_sum() -> None:
    rows = np.array([[1073741831, -(2**31), 5]] * 3 + [[1073741831, -(2**31), -7]], np.int32)
    assert InProcessNetwork(4).all_reduce(rows, operation="mean").tolist() == [1073741831, -(2**31), 2]
