"""Defaults that other commands take from a run: its switch, its controller, its captures."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from dropzero.help import READS
from dropzero.topologies.processes.errors import SetupError
from dropzero.topologies.registry.choice import HELP, VARIABLE, complete_run, named, only, runs_up
from dropzero.topologies.registry.state import State

Default = Callable[[bool], str | None]
"""Takes whether the run may be another person's, for a command that only reads."""

COMPLETING = "_DROPZERO_COMPLETE"
"""Set while a shell completes a line; then no run is looked up."""


def _run(foreign: bool) -> State | None:
    """Returns the command's run; None if no run is up or named: then the command's own defaults apply."""
    name = os.environ.get(VARIABLE)
    return named(name) if name else only(runs_up(), foreign=foreign)


def _switch(foreign: bool) -> str | None:
    """Returns the P4Runtime address of the first switch."""
    state = _run(foreign)
    return None if state is None else next(iter(state.switches.values()), None)


def _controller(foreign: bool) -> str | None:
    """Returns the address of the controller."""
    state = _run(foreign)
    return None if state is None else state.controller


def _captures(foreign: bool) -> str | None:
    """Returns the folder of the captures: those of the named run, or of one's own run that captures."""
    if name := os.environ.get(VARIABLE):
        return str(_captures_of(named(name)))
    mine = [state for state in runs_up() if state.mine and _captures_of(state).is_dir()]
    state = only(mine)
    return None if state is None else str(_captures_of(state))


def _captures_of(state: State) -> Path:
    return Path(state.folder) / "pcaps"


DEFAULTS: dict[str, dict[str, Default]] = {
    "controller": {"switch": _switch, "controller": _controller},
    "trace": {"folder": _captures},
    "worker": {"controller": _controller},
}
"""By command, then by parameter of the command or its subcommands."""


def from_run(program: TyperGroup) -> dict[str, Any]:
    """Adds --run to the commands that use a run. Returns their defaults from the run, as typer's default_map."""
    return {
        name: _filled(program.commands[name], defaults)
        for name, defaults in DEFAULTS.items()
        if name in program.commands
    }


def _filled(command: Any, defaults: dict[str, Default]) -> dict[str, Any]:
    if isinstance(command, TyperGroup):
        command.params.append(_option())
        return {name: _filled(each, defaults) for name, each in command.commands.items()}
    # `controller serve` takes several switches, which must all be given.
    taken = [each for each in command.params if each.name in defaults and not each.multiple]
    for parameter in taken:
        parameter.show_default = "the run's"
    if taken:
        command.params.append(_option())
    foreign = command.rich_help_panel == READS
    return {each.name: partial(_value, defaults[each.name], foreign, each.default) for each in taken}


def _value(default: Default, foreign: bool, otherwise: object) -> object:
    """Evaluates a default. Raises TyperException, which ends the command with one line, if the run is ambiguous."""
    if COMPLETING in os.environ:
        return otherwise
    try:
        return default(foreign) or otherwise
    except SetupError as error:
        raise TyperException(str(error)) from error


def _remember(name: str | None) -> None:
    if name:
        os.environ[VARIABLE] = name


def _template(
    run: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_run,
            envvar=VARIABLE,
            help=HELP,
            callback=_remember,
            is_eager=True,
            expose_value=False,
        ),
    ] = None,
) -> None: ...


def _option() -> Any:
    """The option --run, created by typer. It is read before the parameters that depend on it."""
    app = typer.Typer(add_completion=False)
    app.command()(_template)
    return get_command(app).params[0]
