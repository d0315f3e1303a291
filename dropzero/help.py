"""The format of help texts."""

from __future__ import annotations

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption


def hide_flag_types(command: TyperCommand | TyperGroup) -> None:
    """Makes the help of a command and its subcommands show `--flag`, not `--flag <bool>`."""
    for option in command.get_params(typer.Context(command)):
        if isinstance(option, TyperOption) and option.is_flag:
            option.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        hide_flag_types(inner)
