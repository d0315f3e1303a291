"""`examples/dctcp`: what DCTCP's authors show of its queues (section 4.1), on a slow and on a fast link."""

from __future__ import annotations

import pytest

from examples.dctcp.dctcp import share_a_link

LINKS = [(100_000_000, 250_000, 20, 300_000_000), (10_000_000_000, 25_000, 65, 30_000_000)]
"""Rate, delay, threshold, time."""


@pytest.mark.parametrize(("rate", "delay", "threshold", "time"), LINKS)
def test_dctcp_uses_the_whole_link_with_a_queue_at_the_threshold(
    rate: int, delay: int, threshold: int, time: int
) -> None:
    result = share_a_link(rate, delay, threshold, 2, time)
    assert result.used == pytest.approx(1, abs=0.001)
    assert threshold / 2 < min(result.queues)
    assert max(result.queues) < threshold + 10


@pytest.mark.parametrize(("rate", "delay", "threshold", "time"), LINKS)
def test_senders_that_halve_their_windows_let_the_queue_run_empty(
    rate: int, delay: int, threshold: int, time: int
) -> None:
    result = share_a_link(rate, delay, threshold, 2, time, halve=True)
    assert result.used < 0.995
    assert min(result.queues) == 0


def test_without_marks_the_queue_grows() -> None:
    rate, delay, threshold, time = LINKS[0]
    assert max(share_a_link(rate, delay, 1 << 18, 2, time).queues) > 10 * threshold
