"""The interval of an operation holds every result, and its width every value."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.compiler.intervals import Interval

values = st.integers(-(1 << 40), 1 << 40)


@st.composite
def intervals_with_value(draw: st.DrawFn) -> tuple[Interval, int]:
    low, value, high = sorted(draw(st.tuples(values, values, values)))
    return Interval(low, high), value


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.and_])
@given(left=intervals_with_value(), right=intervals_with_value())
def test_results_lie_in_the_interval(
    op: Callable[..., object], left: tuple[Interval, int], right: tuple[Interval, int]
) -> None:
    interval, result = op(left[0], right[0]), op(left[1], right[1])
    assert isinstance(interval, Interval)
    assert isinstance(result, int)
    assert interval.low <= result <= interval.high


@given(left=intervals_with_value(), right=intervals_with_value())
def test_or_and_xor_lie_in_the_bitwise_interval(left: tuple[Interval, int], right: tuple[Interval, int]) -> None:
    interval = left[0].bitwise(right[0])
    for result in (left[1] | right[1], left[1] ^ right[1]):
        assert interval.low <= result <= interval.high


@given(left=intervals_with_value(), amount=st.integers(0, 70), least=st.integers(0, 70))
def test_shifts_lie_in_the_interval(left: tuple[Interval, int], amount: int, least: int) -> None:
    amounts = Interval(min(amount, least), max(amount, least))
    assert (left[0] << amounts).low <= left[1] << amount <= (left[0] << amounts).high
    assert (left[0] >> amounts).low <= left[1] >> amount <= (left[0] >> amounts).high


@given(intervals_with_value())
def test_every_value_fits_the_width(pair: tuple[Interval, int]) -> None:
    interval, value = pair
    whole = Interval.of_width(interval.width, signed=interval.signed)
    assert whole.low <= value <= whole.high
    assert (~interval).low <= ~value <= (~interval).high
