from __future__ import annotations

import pytest

from lab.bench.compressors import BASELINE, GOALS, MEMORY, measure


def test_every_compressor_with_a_goal_is_timed() -> None:
    results = measure(megabytes=1, rounds=2)

    assert {BASELINE, *GOALS} <= results.keys()
    assert results[BASELINE]["ratio"] == 1
    for result in results.values():
        assert result["rate"] == pytest.approx(1e-3 / result["seconds"])


def test_no_pass_takes_more_than_twice_the_gradient() -> None:
    """The gradient and the result, and a percent for constant overhead."""
    results = measure(megabytes=100, rounds=1)

    assert {name: results[name]["memory"] for name in GOALS if results[name]["memory"] > 1.01 * MEMORY} == {}
    assert results["top-k"]["memory"] <= 1.01 * MEMORY
