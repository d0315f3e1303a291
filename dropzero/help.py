"""How help is shown."""

from __future__ import annotations

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption


def hide_flag_types(command: TyperCommand | TyperGroup) -> None:
    """Has the help of a command and of all below it show `--flag`, not `--flag <bool>`."""
    for option in command.get_params(typer.Context(command)):
        if isinstance(option, TyperOption) and option.is_flag:
            option.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        hide_flag_types(inner)
