"""Interval arithmetic: the values that an expression can have, and so the width of the integer that holds them."""

from __future__ import annotations

from dataclasses import dataclass

WIDEST = 1 << 14
"""The width of the widest integer that is computed exactly. Truncated results may depend on wider ones."""


@dataclass(frozen=True)
class Interval:
    """All integers from low to high."""

    low: int
    high: int

    @classmethod
    def of_width(cls, width: int, *, signed: bool = False) -> Interval:
        """The values of an integer type."""
        return cls(-(1 << width - 1), (1 << width - 1) - 1) if signed else cls(0, (1 << width) - 1)

    @property
    def signed(self) -> bool:
        return self.low < 0

    @property
    def width(self) -> int:
        """The bits of the narrowest integer type for the values: two's complement if one is negative, else unsigned."""
        if self.signed:
            return max(self.high.bit_length(), (-1 - self.low).bit_length()) + 1
        return max(1, self.high.bit_length())

    def __or__(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        products = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        return Interval(min(products), max(products))

    def __invert__(self) -> Interval:
        return Interval(~self.high, ~self.low)

    def bitwise(self, other: Interval) -> Interval:
        """The interval of | and ^."""
        both = self | other
        return Interval.of_width(both.width, signed=both.signed)

    def __and__(self, other: Interval) -> Interval:
        bounds = [interval.high for interval in (self, other) if not interval.signed]
        return Interval(0, min(bounds)) if bounds else self.bitwise(other)

    def __lshift__(self, amount: Interval) -> Interval:
        """Negative amounts count as 0. Amounts above WIDEST count as WIDEST, which already makes the result too
        wide."""
        amounts = [min(max(each, 0), WIDEST) for each in (amount.low, amount.high)]
        ends = [value << each for value in (self.low, self.high) for each in amounts]
        return Interval(min(ends), max(ends))

    def __rshift__(self, amount: Interval) -> Interval:
        amounts = [min(max(each, 0), 2 * WIDEST) for each in (amount.low, amount.high)]
        ends = [value >> each for value in (self.low, self.high) for each in amounts]
        return Interval(min(ends), max(ends))
