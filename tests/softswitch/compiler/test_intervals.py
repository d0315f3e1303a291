"""The span of an operation holds every result, and its width every value."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropzero.softswitch.compiler.intervals import Span

values = st.integers(-(1 << 40), 1 << 40)


@st.composite
def spans_with_value(draw: st.DrawFn) -> tuple[Span, int]:
    low, value, high = sorted(draw(st.tuples(values, values, values)))
    return Span(low, high), value


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.and_])
@given(left=spans_with_value(), right=spans_with_value())
def test_results_lie_in_the_span(op: Callable[..., object], left: tuple[Span, int], right: tuple[Span, int]) -> None:
    span, result = op(left[0], right[0]), op(left[1], right[1])
    assert isinstance(span, Span)
    assert isinstance(result, int)
    assert span.low <= result <= span.high


@given(left=spans_with_value(), right=spans_with_value())
def test_or_and_xor_lie_in_the_bitwise_span(left: tuple[Span, int], right: tuple[Span, int]) -> None:
    span = left[0].bitwise(right[0])
    for result in (left[1] | right[1], left[1] ^ right[1]):
        assert span.low <= result <= span.high


@given(left=spans_with_value(), amount=st.integers(0, 70), least=st.integers(0, 70))
def test_shifts_lie_in_the_span(left: tuple[Span, int], amount: int, least: int) -> None:
    amounts = Span(min(amount, least), max(amount, least))
    assert (left[0] << amounts).low <= left[1] << amount <= (left[0] << amounts).high
    assert (left[0] >> amounts).low <= left[1] >> amount <= (left[0] >> amounts).high


@given(spans_with_value())
def test_every_value_fits_the_width(pair: tuple[Span, int]) -> None:
    span, value = pair
    whole = Span.of_width(span.width, signed=span.signed)
    assert whole.low <= value <= whole.high
    assert (~span).low <= ~value <= (~span).high
