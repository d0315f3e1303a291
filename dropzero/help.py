"""The format of help texts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption


def panel(name: str) -> partial[Any]:
    """Returns typer.Option for a group of options in the help."""
    return partial(typer.Option, rich_help_panel=name)


NetworkOption, TrainingOption, FaultOption = map(panel, ("Network", "Training", "Faults"))
JobOption, OutputOption = map(panel, ("Jobs", "Output"))
READS, CHANGES = "Look at a run", "Change a run"
"""Groups of the operator's commands. Only one that reads may pick another person's run by itself."""


def examples(*commands: str) -> str:
    """Returns the end of a command's help: each example is a paragraph of its own."""
    return "\n\n".join(("Examples:", *commands))


def hide_flag_types(command: TyperCommand | TyperGroup) -> None:
    """Makes the help of a command and its subcommands show `--flag`, not `--flag <bool>`."""
    for option in options(command):
        if isinstance(option, TyperOption) and option.is_flag:
            option.metavar = ""


def options(command: TyperCommand | TyperGroup) -> Iterator[Any]:
    """Yields the options and arguments of a command and its subcommands."""
    yield from command.get_params(typer.Context(command))
    for inner in getattr(command, "commands", {}).values():
        yield from options(inner)
