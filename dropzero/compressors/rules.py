"""Rules: another spec for some of a model's parameters, such as `topk(0.1,block=32)+ef; bias,norm: none`.

The first spec is for all parameters that match no rule. Rules follow it after semicolons: patterns, a colon, and a
spec. A pattern is a part of a parameter's name, a number of dimensions (`1d`: at most one), or a limit of its size
(`<1000`: fewer elements). Of several rules that match a parameter, the first one counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from math import prod
from typing import Self

from dropzero.compressors.spec import Spec, SpecError

_NAME = re.compile(r"[\w./-]+")
_SHAPE = re.compile(r"(\d+)d|<\s*(\d+)")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a model, such as `layer1.weight`: a part of the vector of all of them, in row-major order."""

    name: str
    shape: tuple[int, ...]

    @property
    def elements(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Rule:
    """The spec of the parameters that match one of the patterns."""

    patterns: tuple[str, ...]
    spec: Spec

    def matches(self, parameter: Parameter) -> bool:
        return any(_matches(pattern, parameter) for pattern in self.patterns)


@dataclass(frozen=True)
class Rules:
    """Parsed rules. Parts of specs have state, so each Compression parses its own.

    Attributes:
        default: the spec of all parameters that match no rule.
    """

    default: Spec
    rules: tuple[Rule, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses a spec, or rules. Raises SpecError with a one-line message."""
        first, *others = text.split(";")
        if ":" in first:
            raise SpecError(f"{text!r} must begin with the spec of all other parameters: SPEC; PATTERNS: SPEC")
        rules = []
        for each in others:
            patterns, colon, spec = each.partition(":")
            if not colon:
                raise SpecError(f"{each.strip()!r} in {text!r} is not a rule, such as bias,norm: none")
            found = tuple(map(str.strip, patterns.split(",")))
            for pattern in found:
                if not (_NAME.fullmatch(pattern) or _SHAPE.fullmatch(pattern)):
                    raise SpecError(
                        f"{pattern!r} in {text!r} is not a part of a name, nor a shape, such as 1d or <1000"
                    )
            rules.append(Rule(found, Spec.parse(spec)))
        return cls(Spec.parse(first), tuple(rules))

    @property
    def specs(self) -> list[Spec]:
        """The default, and those of the rules."""
        return [self.default, *(rule.spec for rule in self.rules)]

    @property
    def names(self) -> list[str]:
        """The patterns that are parts of names."""
        return [pattern for rule in self.rules for pattern in rule.patterns if not _SHAPE.fullmatch(pattern)]

    def check(self, workers: int) -> None:
        """Raises SpecError if the sum of this many workers' messages does not fit into the elements on the wire."""
        for spec in self.specs:
            spec.check(workers)

    def check_names(self, parameters: Sequence[Parameter]) -> None:
        """Raises SpecError if a rule names no parameter."""
        for pattern in self.names:
            if not any(_matches(pattern, each) for each in parameters):
                nearest = _nearest(pattern, parameters)
                raise SpecError(f"no parameter has {pattern!r} in its name; the nearest are {nearest}")

    def places(self, parameters: Sequence[Parameter]) -> list[int]:
        """For each parameter, the index in `specs` of its spec."""
        return [
            next((index for index, rule in enumerate(self.rules, 1) if rule.matches(each)), 0) for each in parameters
        ]

    def among(self, parameters: Sequence[Parameter]) -> Rules:
        """The rules without patterns that match none of the parameters."""
        kept = [
            replace(
                rule, patterns=tuple(each for each in rule.patterns if any(_matches(each, one) for one in parameters))
            )
            for rule in self.rules
        ]
        return replace(self, rules=tuple(rule for rule in kept if rule.patterns))

    def __str__(self) -> str:
        return ";".join([str(self.default), *(f"{','.join(rule.patterns)}:{rule.spec}" for rule in self.rules)])


def _matches(pattern: str, parameter: Parameter) -> bool:
    if match := _SHAPE.fullmatch(pattern):
        dimensions, limit = match.groups()
        if limit:
            return parameter.elements < int(limit)
        return max(1, len(parameter.shape)) == int(dimensions)
    return pattern in parameter.name


def _nearest(pattern: str, parameters: Sequence[Parameter]) -> str:
    def likeness(name: str) -> float:
        return max(SequenceMatcher(None, pattern, part).ratio() for part in (name, *name.split(".")))

    return ", ".join(sorted(dict.fromkeys(each.name for each in parameters), key=likeness, reverse=True)[:3])
