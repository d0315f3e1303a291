"""The comparison of emulated links with virtual time, without emulated links."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropzero.simulator.formulas import Overlap, Scheme, seconds
from lab.bench.testbed.member import Case
from lab.bench.virtual_time import Pair, plot, table, virtual_times


def test_virtual_calls_follow_each_other() -> None:
    times = virtual_times(2, 100.0, 0.0, Case(100_000, repetitions=3))
    formula = seconds(Scheme.DROPZERO, 400_000, 2, 100e6)
    assert len(times) == 3
    assert all(formula < each < 1.1 * formula for each in times)


def test_loss_makes_virtual_calls_longer() -> None:
    case = Case(100_000, 0.5, Overlap.RANDOM, repetitions=2)
    assert sum(virtual_times(2, 100.0, 0.1, case)) > 1.1 * sum(virtual_times(2, 100.0, 0.0, case))


def test_residuals_are_relative_to_emulated_times(tmp_path: Path) -> None:
    pairs = [
        Pair("Dropzero", 2, 20.0, 0.0, 1.0, 4_000_000, (1.0, 2.0, 9.0), (1.0, 1.5, 1.6)),
        Pair("Dropzero", 8, 100.0, 0.01, 0.1, 4_000_000, (1.0,), (1.1,)),
    ]
    assert [each.residual for each in pairs] == pytest.approx([-0.25, 0.1])
    assert table(pairs).row_count == 2
    plot(pairs, tmp_path / "residuals.png")
    assert (tmp_path / "residuals.png").read_bytes().startswith(b"\x89PNG")
