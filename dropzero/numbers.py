"""The numbers that options take: their ranges in words, and their errors."""

from __future__ import annotations

import math
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from dropzero.help import options

NOUNS = {"int": "whole number", "int range": "whole number", "float": "number", "float range": "number"}
"""What a person calls the values of typer's types."""


def explain_numbers(command: TyperCommand | TyperGroup) -> None:
    """Makes the help and the errors of a command and its subcommands describe numbers in words. Their options refuse
    infinity and NaN, which are in no range, or in all."""
    for option in options(command):
        option.callback = _after(option.callback)
        if option.type.name in NOUNS:
            _explain(option.type)


def _after(callback: Any) -> Any:
    def finite(context: Any, option: Any, value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            raise typer.BadParameter(f"{value} is not a finite number.", ctx=context, param=option)
        return value if callback is None else callback(context, option, value)

    return finite


def _explain(kind: Any) -> None:
    convert, range_of = kind.convert, _range(getattr(kind, "min", None), getattr(kind, "max", None))
    wanted = f"a {NOUNS[kind.name]}{range_of}"

    def converted(value: Any, param: Any, context: Any) -> Any:
        try:
            return convert(value, param, context)
        except typer.BadParameter as error:
            raise typer.BadParameter(f"{value} is not {wanted}.", ctx=context, param=param) from error

    kind.convert = converted
    # Help shows `<1 to 240>`, instead of `<int range> [1<=x<=240]`.
    kind.name = range_of.removeprefix(" from ").removeprefix(" of ") or NOUNS[kind.name]
    kind._describe_range = lambda: ""


def _range(least: float | None, most: float | None) -> str:
    if least is None:
        return "" if most is None else f" of at most {most:,}"
    return f" of {least:g} or more" if most is None else f" from {least:g} to {most:,}"
