"""`examples/flowlets`: each gap's order of packets and shares of the paths, on a slow and on a fast link."""

from __future__ import annotations

import pytest

from examples.flowlets.flowlets import spread

RATES = [10**8, 10**10]
ONE_PATH, NONE = 10**9, 0


def between_bursts(rate: int) -> int:
    """A gap, in microseconds, that is longer than the paths differ, and shorter than a pause."""
    return 10**12 // rate


@pytest.mark.parametrize("rate", RATES)
def test_flowlets_stay_in_order_and_share_both_paths(rate: int) -> None:
    result = spread(between_bursts(rate), rate=rate)
    assert result.late == 0
    assert result.shares == pytest.approx([0.5, 0.5], abs=0.05)


def test_packets_on_paths_of_their_own_overtake_each_other() -> None:
    result = spread(NONE)
    assert result.late > 0.1
    assert result.shares == pytest.approx([0.5, 0.5], abs=0.05)
    assert spread(NONE, delays=(10_000, 10_000)).late < result.late


@pytest.mark.parametrize("rate", RATES)
def test_a_flow_on_one_path_stays_in_order(rate: int) -> None:
    result = spread(ONE_PATH, flows=1, rate=rate)
    assert result.late == 0
    assert sorted(result.shares) == [0, 1]
