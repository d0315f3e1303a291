"""The numbers that options take."""

from __future__ import annotations

import math
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from dropzero.help import options


def refuse_infinite(command: TyperCommand | TyperGroup) -> None:
    """Makes the options of a command and its subcommands refuse infinity and NaN, which are in no range, or in all."""
    for option in options(command):
        option.callback = _after(option.callback)


def _after(callback: Any) -> Any:
    def finite(context: Any, option: Any, value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            raise typer.BadParameter(f"{value} is not a finite number.", ctx=context, param=option)
        return value if callback is None else callback(context, option, value)

    return finite
