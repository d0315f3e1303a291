"""Random expressions of P4_16: integers of any width, signed and unsigned, and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

WIDTHS = (1, 2, 3, 7, 8, 8, 9, 12, 16, 16, 17, 24, 31, 32, 32, 33, 48, 63, 64, 65, 96, 127, 128, 129, 200)
NEAR = (0, 1, 2, 3)
"""Values that are taken more often than others, as are those as near to the greatest."""
DEPTH = 2
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Type(NamedTuple):
    """bit<width> or int<width>."""

    width: int
    signed: bool = False

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'bit'}<{self.width}>"


class Place(NamedTuple):
    """Something with a value, such as a field or a variable."""

    text: str
    type: Type


class Expressions:
    """Expressions over the values of places. Shifts are by unsigned numbers; p4c has no divisions for BMv2."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def number(self, width: int) -> int:
        """Return a number of that many bits, often one near 0 or near the greatest."""
        full = (1 << width) - 1
        if self._random.random() < 0.7:
            return abs(self._random.choice((0, 0, full)) - self._random.choice(NEAR)) & full
        return self._random.getrandbits(width)

    def literal(self, type: Type) -> str:
        number = self.number(type.width)
        if not type.signed:
            return f"{type.width}w{number:#x}"
        if number >> type.width - 1:
            return f"(-{type.width}s{(1 << type.width) - number})"
        return f"{type.width}s{number}"

    def value(self, type: Type, places: Sequence[Place], depth: int = DEPTH) -> str:
        """Return an expression of that type."""
        if depth == 0 or self._random.random() < 0.15:
            return self._leaf(type, places)
        kinds = [self._arithmetic, self._arithmetic, self._unary, self._shift, self._choice, self._leaf]
        if not type.signed:
            kinds.append(self._slice)
            kinds += [self._joined] if type.width > 1 else [self._truth]
        return self._random.choice(kinds)(type, places, depth - 1)

    def condition(self, places: Sequence[Place], depth: int = 1) -> str:
        chance = self._random.random()
        if depth and chance < 0.15:
            return f"!({self.condition(places, depth - 1)})"
        if depth and chance < 0.4:
            left, right = self.condition(places, depth - 1), self.condition(places, depth - 1)
            return f"({left}) {self._random.choice(('&&', '||'))} ({right})"
        type = self._random.choice(places).type
        left, right = self.value(type, places, depth), self._leaf(type, places)
        return f"{left} {self._random.choice(COMPARISONS)} {right}"

    def below(self, bound: int, places: Sequence[Place]) -> str:
        """Return a 32-bit expression of values less than a power of two."""
        return f"({self.cast(self._random.choice(places), Type(32))} & 32w{bound - 1})"

    def cast(self, place: Place, type: Type) -> str:
        if place.type == type:
            return place.text
        if place.type.signed == type.signed:
            return f"(({type}){place.text})"
        # A cast changes either the width or the sign.
        through = Type(type.width, place.type.signed)
        return f"(({type}){self.cast(place, through)})"

    def _leaf(self, type: Type, places: Sequence[Place], depth: int = 0) -> str:
        same = [place for place in places if place.type == type]
        chance = self._random.random()
        if same and chance < 0.7:
            return self._random.choice(same).text
        if places and chance < 0.85:
            return self.cast(self._random.choice(places), type)
        return self.literal(type)

    def _arithmetic(self, type: Type, places: Sequence[Place], depth: int) -> str:
        operator = self._random.choice(("+", "-", "*", "&", "|", "^", "|+|", "|-|"))
        return f"({self.value(type, places, depth)} {operator} {self.value(type, places, depth)})"

    def _unary(self, type: Type, places: Sequence[Place], depth: int) -> str:
        return f"({self._random.choice('-~')}{self.value(type, places, depth)})"

    def _shift(self, type: Type, places: Sequence[Place], depth: int) -> str:
        operator, shifted = self._random.choice(("<<", ">>")), self.value(type, places, depth)
        if not places or self._random.random() < 0.5:
            return f"({shifted} {operator} {self._random.randrange(type.width + 1)})"
        amount = self.cast(self._random.choice(places), Type(8))
        return f"({shifted} {operator} ({amount} & 8w{self._random.choice((7, 15, 255))}))"

    def _choice(self, type: Type, places: Sequence[Place], depth: int) -> str:
        if not places:
            return self.literal(type)
        left, right = self.value(type, places, depth), self.value(type, places, depth)
        return f"({self.condition(places, min(depth, 1))} ? {left} : {right})"

    def _slice(self, type: Type, places: Sequence[Place], depth: int) -> str:
        wider = [place for place in places if place.type.width > type.width and not place.type.signed]
        if not wider:
            return self._leaf(type, places)
        place = self._random.choice(wider)
        low = self._random.randrange(place.type.width - type.width + 1)
        return f"{place.text}[{low + type.width - 1}:{low}]"

    def _joined(self, type: Type, places: Sequence[Place], depth: int) -> str:
        low = self._random.randrange(1, type.width)
        left, right = Type(type.width - low), Type(low)
        return f"({self.value(left, places, depth)} ++ {self.value(right, places, depth)})"

    def _truth(self, type: Type, places: Sequence[Place], depth: int) -> str:
        if not places:
            return self.literal(type)
        return f"((bit<1>)({self.condition(places, min(depth, 1))}))"
