"""Specs: a compression in one line, such as `topk(0.01,block=32)+ef+fixed32`.

Parts are joined by +, in any order, at most one of each kind; the default of a kind is its first part. A part's
arguments are numbers, by position or by name, and words that switch something on. Words may follow named arguments, so
a spec is not a Python expression.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Self

import numpy as np

from dropzero.compressors.adaptive import BlockCat, Cat, Dynamic, RandCat
from dropzero.compressors.low_rank import PowerSgd
from dropzero.compressors.memory import Ef21, Ef21Sgdm, ErrorFeedback, Memory, Momentum, Shift
from dropzero.compressors.quantizers import Atomo, Dithering, FixedPoint, Integers, Majority, Natural, OneBit, Quantizer
from dropzero.compressors.rotation import Thc
from dropzero.compressors.schedule import Schedule, Warmup
from dropzero.compressors.sketch import CountSketch
from dropzero.compressors.sparsifiers import (
    CltK,
    Dgc,
    Everything,
    GaussianK,
    GTopK,
    PermK,
    RandK,
    Share,
    Sparsifier,
    Threshold,
    TopK,
)


class SpecError(ValueError):
    """A spec is wrong; the message names the wrong part and, if it is unknown, lists the possible ones."""


def _dgc(density: float) -> Dgc:
    return Dgc(density)


def _gtopk(density: float) -> GTopK:
    return GTopK(density)


def _fixed8(few_bits: bool = False) -> FixedPoint:
    return FixedPoint(8, few_bits)


BUCKET = 128
"""Elements that share a scale by default. The noise of one scale for a large vector, omega = sqrt(d) or more, lets
training diverge."""


def _qsgd(levels: int, own: bool = False, bucket: int = BUCKET) -> Dithering:
    return Dithering(levels, own=own, bucket=bucket)


def _terngrad(clip: float = 0.0, own: bool = False, bucket: int = BUCKET) -> Dithering:
    return Dithering(norm=np.inf, clip=clip, own=own, bucket=bucket)


def _quant(norm: float, bucket: int = BUCKET) -> Dithering:
    return Dithering(norm=norm, own=True, bucket=bucket)


def _warmup(*densities: float, every: int) -> Warmup:
    return Warmup(densities, every)


PARTS: Mapping[str, dict[str, Callable[..., Any]]] = {
    "sparsifier": {
        "none": Everything,
        "topk": TopK,
        "gaussiank": GaussianK,
        "randk": RandK,
        "permk": PermK,
        "threshold": Threshold,
        "dgc": _dgc,
        "gtopk": _gtopk,
        "cltk": CltK,
        "cat": Cat,
        "randcat": RandCat,
        "dynamic": Dynamic,
        "blockcat": BlockCat,
    },
    "memory": {
        "forget": Memory,
        "ef": ErrorFeedback,
        "diana": Shift,
        "ef21": Ef21,
        "ef21sgdm": Ef21Sgdm,
        "momentum": Momentum,
    },
    "quantizer": {
        "fixed32": lambda: FixedPoint(32),
        "fixed16": lambda: FixedPoint(16),
        "fixed8": _fixed8,
        "qsgd": _qsgd,
        "terngrad": _terngrad,
        "quant": _quant,
        "int": Integers,
        "thc": Thc,
        "onebit": OneBit,
        "majority": Majority,
        "natural": Natural,
        "atomo": Atomo,
        "powersgd": PowerSgd,
        "sketch": CountSketch,
    },
    "schedule": {"fixed": Schedule, "warmup": _warmup},
}
"""The parts of each kind by name; the first one is the default."""
WHOLE = ("onebit", "atomo", "powersgd", "sketch", "thc")
"""Quantizers that send every element."""


def register(kind: str, name: str, make: Callable[..., Any]) -> None:
    """Adds a new part, for the specs that this process parses from now on.

    Args:
        kind: a key of PARTS.
        name: lower-case letters and digits.
        make: a class or function. Its parameters, annotated with int, float or bool, are the part's arguments.

    Raises:
        ValueError: the kind is unknown, or the name is taken.
    """
    if kind not in PARTS:
        raise ValueError(f"the kind must be one of {', '.join(PARTS)}, not {kind!r}")
    if any(name in parts for parts in PARTS.values()):
        raise ValueError(f"there is already a part {name!r}")
    PARTS[kind][name] = make


_PART = re.compile(r"\s*([a-z0-9]+)\s*(?:\(([^()]*)\))?\s*")


@dataclass(frozen=True)
class Spec:
    """A parsed spec: its text and its parts. Parts have state, so each Compression parses its own spec."""

    text: str
    sparsifier: Sparsifier
    memory: Memory
    quantizer: Quantizer
    schedule: Schedule

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parses a spec. Raises SpecError with a one-line message."""
        chosen: dict[str, tuple[str, Any]] = {}
        for part in re.split(r"\+(?![^(]*\))", text):
            match = _PART.fullmatch(part)
            if not match:
                raise SpecError(f"{part.strip()!r} in {text!r} is not a part, such as topk(0.01,block=32)")
            name, arguments = match[1], match[2]
            kind = _kind(name, text)
            if kind in chosen:
                raise SpecError(f"{text!r} has two {kind}s, {chosen[kind][0]} and {name}")
            chosen[kind] = name, _made(name, PARTS[kind][name], arguments)
        for kind, parts in PARTS.items():
            name = next(iter(parts))
            chosen.setdefault(kind, (name, parts[name]()))
        spec = cls("".join(text.split()), **{kind: made for kind, (_, made) in chosen.items()})
        names = {kind: name for kind, (name, _) in chosen.items()}
        if names["quantizer"] in WHOLE and names["sparsifier"] != "none":
            raise SpecError(f"{names['quantizer']} sends every element: it can't follow {names['sparsifier']}")
        if names["quantizer"] == "majority" and names["memory"] != "forget":
            raise SpecError(
                f"a majority of signs is not the sum that {names['memory']} needs: majority takes no memory"
            )
        if names["quantizer"] == "sketch" and names["memory"] != "forget":
            raise SpecError(f"sketch keeps what it does not send in its table: it takes no {names['memory']}")
        if names["schedule"] == "warmup" and not isinstance(spec.sparsifier, Share):
            raise SpecError(f"warmup needs a sparsifier with a density, and {names['sparsifier']} has none")
        return spec

    def check(self, workers: int) -> None:
        """Raises SpecError if the sum of this many workers' messages does not fit into the elements on the wire."""
        try:
            self.quantizer.check(workers)
        except ValueError as error:
            raise SpecError(f"{self}: {error}") from None

    def __str__(self) -> str:
        return self.text


def density_spec(density: float) -> str:
    """The spec for a density: block top-k with error feedback, or everything for 1. Raises SpecError."""
    spec = "none" if density == 1 else f"topk({float(density)!r},block=32)+ef"
    Spec.parse(spec)
    return spec


def _kind(name: str, text: str) -> str:
    kinds = {part: kind for kind, parts in PARTS.items() for part in parts}
    if name in kinds:
        return kinds[name]
    if near := get_close_matches(name, kinds, 1):
        hint = f"did you mean {near[0]}?"
    else:
        hint = "; ".join(f"{kind}: {', '.join(parts)}" for kind, parts in PARTS.items())
    raise SpecError(f"there is no {name!r} in {text!r}; {hint}")


def _made(name: str, make: Callable[..., Any], arguments: str | None) -> Any:
    """Makes a part from the text between its parentheses."""
    signature = inspect.signature(make)
    places: list[Any] = []
    names: dict[str, Any] = {}
    for argument in map(str.strip, arguments.split(",") if arguments and not arguments.isspace() else ()):
        key, equals, value = (word.strip() for word in argument.partition("="))
        parameter = signature.parameters.get(key)
        if key in names:
            raise SpecError(f"{name} has two {key}")
        if equals:
            if parameter is None:
                raise SpecError(f"{name} takes no {key!r}: {_usage(name, signature)}")
            names[key] = _number(name, signature, value)
        elif parameter is not None and "bool" in str(parameter.annotation):
            names[key] = True
        else:
            places.append(_number(name, signature, argument))
    try:
        bound = signature.bind(*places, **names)
    except TypeError as error:
        raise SpecError(f"{name}: {error}; it is {_usage(name, signature)}") from None
    for key, value in bound.arguments.items():
        annotation = str(signature.parameters[key].annotation)
        if annotation == "int" and not isinstance(value, int):
            raise SpecError(f"{name}: {key} must be a whole number below 2^31, not {value:g}")
        if annotation == "bool" and not isinstance(value, bool):
            raise SpecError(f"{name}: {key} is switched on by its name alone: {_usage(name, signature)}")
    try:
        return make(*bound.args, **bound.kwargs)
    except ValueError as error:
        raise SpecError(f"{name}: {error}") from None


def _number(name: str, signature: inspect.Signature, text: str) -> int | float:
    for convert in (int, float):
        try:
            number = convert(text)
        except ValueError:
            continue
        # Compiled code cannot take larger integers, which are not sensible counts either.
        if convert is float or abs(number) < 2**31:
            return number
    raise SpecError(f"{name}: {text!r} is not a number: {_usage(name, signature)}")


def _usage(name: str, signature: inspect.Signature) -> str:
    """How the part is written."""
    words = []
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            words.append(f"{parameter.name.upper()},...")
        elif parameter.default is inspect.Parameter.empty:
            named = parameter.kind is inspect.Parameter.KEYWORD_ONLY
            words.append(f"{parameter.name}={parameter.name.upper()}" if named else parameter.name.upper())
        elif parameter.default is False:
            words.append(f"[{parameter.name}]")
        else:
            value = "NUMBER" if parameter.default is None else f"{parameter.default:g}"
            words.append(f"{parameter.name}={value}")
    return f"{name}({','.join(words)})"
