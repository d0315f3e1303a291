"""First and repeated calls in virtual time, next to the formula and other schemes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.wire_speed import measure, plot, table

MOST = {10_000: (2.4, 1.7), 30_000: (2.1, 2.1), 100_000: (1.9, 1.9), 1_000_000: (1.1, 1.1)}
"""By size: the most of `Speed.over` at 100 Gbit/s."""


@pytest.mark.parametrize("size", MOST)
def test_dense_calls_are_close_to_the_formula_and_faster_than_without_a_switch(size: int) -> None:
    """Virtual times are the same on each machine."""
    speed = measure(8, 100, 1.0, size)
    assert all(over < most for over, most in zip(speed.over, MOST[size], strict=True))
    assert max(speed.first, speed.repeated) < min(speed.others.values())


def test_a_tenth_of_the_blocks_is_faster_than_all() -> None:
    speed = measure(2, 100, 0.1, 1_000_000)
    assert not speed.others
    assert speed.first < 0.5 * measure(2, 100, 1.0, 1_000_000, ()).first


def test_tables_and_figures_show_every_case(tmp_path: Path) -> None:
    speeds = [measure(2, rate, 1.0, 10_000) for rate in (100, 400)]
    assert table(speeds).row_count == 2
    plot(speeds, tmp_path / "wire_speed.png")
    assert (tmp_path / "wire_speed.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_needs_no_other_schemes(tmp_path: Path) -> None:
    """They are not simulated for more workers than one switch serves."""
    plot([measure(64, 100, 1.0, 10_000, ())], tmp_path / "wire_speed.png")
    assert (tmp_path / "wire_speed.png").read_bytes().startswith(b"\x89PNG")
