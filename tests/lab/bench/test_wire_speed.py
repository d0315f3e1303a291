"""First and repeated calls in virtual time, next to the formula and other schemes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.wire_speed import measure, plot, table

SIZES = (1_000, 3_000, 10_000, 20_000, 30_000, 50_000, 100_000, 200_000, 300_000, 1_000_000)
FIRST, REPEATED = 3.0, 1.5
"""The most round trips in addition to the formula: to choose the block size, to announce blocks, and to sum the last
one; and half a round trip for the last packets."""


@pytest.mark.parametrize("rate", [100, 400])
@pytest.mark.parametrize("workers", [2, 8])
def test_dense_calls_are_close_to_the_formula_at_every_size(workers: int, rate: int) -> None:
    """Virtual times are the same on each machine."""
    speeds = [measure(workers, rate, 1.0, size, ()) for size in SIZES]
    first, repeated = zip(*(each.over for each in speeds), strict=True)
    assert max(first) < FIRST
    assert max(repeated) < REPEATED
    for times in ([each.first for each in speeds], [each.repeated for each in speeds]):
        assert times == sorted(times)


@pytest.mark.parametrize("size", [10_000, 100_000, 1_000_000])
def test_dense_calls_are_faster_than_without_a_switch(size: int) -> None:
    speed = measure(8, 100, 1.0, size)
    assert max(speed.first, speed.repeated) < min(speed.others.values())


def test_a_tenth_of_the_blocks_is_faster_than_all() -> None:
    speed = measure(2, 100, 0.1, 1_000_000)
    assert not speed.others
    assert speed.first < 0.5 * measure(2, 100, 1.0, 1_000_000, ()).first


@pytest.mark.parametrize(("workers", "rate"), [(2, 100), (8, 400)])
def test_a_first_call_of_one_percent_is_close_to_the_formula(workers: int, rate: int) -> None:
    """Of 30 MB, too: no two blocks share a bit of the union."""
    speed = measure(workers, rate, 0.01, 30_000_000, ())
    assert speed.first < 1.08 * speed.formula + FIRST * speed.round_trip


def test_tables_and_figures_show_every_case(tmp_path: Path) -> None:
    speeds = [measure(2, rate, 1.0, 10_000) for rate in (100, 400)]
    assert table(speeds).row_count == 2
    plot(speeds, tmp_path / "wire_speed.png")
    assert (tmp_path / "wire_speed.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_needs_no_other_schemes(tmp_path: Path) -> None:
    """They are not simulated for more workers than one switch serves."""
    plot([measure(64, 100, 1.0, 10_000, ())], tmp_path / "wire_speed.png")
    assert (tmp_path / "wire_speed.png").read_bytes().startswith(b"\x89PNG")
