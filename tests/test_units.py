"""Numbers with units."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dropzero.units import RATES, SIZES, TIMES, bits, parse


@pytest.mark.parametrize(
    ("text", "units", "value"),
    [
        ("100G", RATES, 10**11),
        ("2.5M", RATES, 2_500_000),
        ("1us", TIMES, 1000),
        (".5 ms", TIMES, 500_000),
        ("2", TIMES, 2 * 10**9),
        ("1MB", SIZES, 10**6),
        ("12", SIZES, 12),
    ],
)
def test_numbers_have_units(text: str, units: Mapping[str, int], value: int) -> None:
    assert parse(text, units) == value


@pytest.mark.parametrize("text", ["", "G", "1Q", "-1G", "1e3", "1.2.3"])
def test_others_are_refused_with_the_units(text: str) -> None:
    with pytest.raises(ValueError, match="k, M, G, T"):
        parse(text, RATES)


@pytest.mark.parametrize(
    ("rate", "text"), [(9.31e10, "93.1 Gbit/s"), (1e6, "1 Mbit/s"), (999, "999 bit/s"), (0.0, "0 bit/s")]
)
def test_rates_are_written_with_units(rate: float, text: str) -> None:
    assert bits(rate) == text
