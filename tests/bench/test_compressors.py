from __future__ import annotations

import pytest

from bench.compressors import BASELINE, GOALS, measure


def test_everything_with_a_goal_is_timed() -> None:
    results = measure(megabytes=1, rounds=2)

    assert {BASELINE, *GOALS} <= results.keys()
    assert results[BASELINE]["ratio"] == 1
    for result in results.values():
        assert result["rate"] == pytest.approx(1e-3 / result["seconds"])
    assert results["block top-k"]["memory"] < 2
    assert results["GaussianK"]["memory"] < 2
