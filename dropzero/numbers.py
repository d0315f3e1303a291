"""The numbers that options take."""

from __future__ import annotations

import math
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


def refuse_infinite(command: TyperCommand | TyperGroup) -> None:
    """Makes the options of a command and its subcommands refuse infinity and NaN, which are in no range, or in all."""
    for option in command.get_params(typer.Context(command)):
        option.callback = _after(option.callback)
    for inner in getattr(command, "commands", {}).values():
        refuse_infinite(inner)


def _after(callback: Any) -> Any:
    def finite(context: Any, option: Any, value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            raise typer.BadParameter(f"{value} is not a finite number.", ctx=context, param=option)
        return value if callback is None else callback(context, option, value)

    return finite
