"""An interactive shell with the operator's commands."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import typer
from typer.exceptions import Abort, TyperException

from dropzero.controller.commands.options import (
    DEFAULT_SWITCH,
    DEVICE_VARIABLE,
    SWITCH_VARIABLE,
    ControllerAddress,
    DeviceId,
    SwitchAddress,
)
from dropzero.controller.commands.verbs import app as verbs
from dropzero.membership.access import CONTROLLER_VARIABLE, DEFAULT_CONTROLLER, Credentials

PROMPT = "dropzero> "
HISTORY = Path("~/.dropzero_history")


def shell(
    context: typer.Context,
    switch: SwitchAddress = DEFAULT_SWITCH,
    device_id: DeviceId = 0,
    controller: ControllerAddress = DEFAULT_CONTROLLER,
) -> None:
    """Start an interactive shell with these commands. Also: `help`, `history`, `exit` (or Ctrl-D)."""
    settings = {SWITCH_VARIABLE: switch, DEVICE_VARIABLE: str(device_id), CONTROLLER_VARIABLE: controller}
    lines: list[str] = []
    with _environment(settings), _history():
        while (line := _asked()) is not None:
            if not line.strip():
                continue
            lines.append(line.strip())
            try:
                words = shlex.split(line)
            except ValueError as error:
                typer.echo(f"{error}", err=True)
                continue
            if words[0] in ("exit", "quit"):
                return
            if words[0] == "history":
                for number, each in enumerate(lines, 1):
                    typer.echo(f"{number:4} {each}")
                continue
            run([*words[1:], "--help"] if words[0] in ("help", "?") else words, context.obj)


def run(words: Sequence[str], credentials: Credentials) -> None:
    """Runs one command. Prints an error as one line, without ending the shell."""
    try:
        verbs(list(words), standalone_mode=False, prog_name="", obj=credentials)
    except TyperException as error:
        typer.echo(error.format_message(), err=True)
    except (Abort, KeyboardInterrupt):
        typer.echo("interrupted", err=True)


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """Makes these the defaults of the commands' options."""
    before = dict(os.environ)
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _history() -> Iterator[None]:
    """Saves the input history between sessions, if stdin is a terminal."""
    if not sys.stdin.isatty():
        yield
        return
    import readline

    path = HISTORY.expanduser()
    with suppress(OSError):
        readline.read_history_file(path)
    readline.parse_and_bind("tab: complete")
    readline.set_completer(_complete)
    try:
        yield
    finally:
        with suppress(OSError):
            readline.write_history_file(path)


def _complete(text: str, state: int) -> str | None:
    names = [*(command.name or command.callback.__name__ for command in verbs.registered_commands if command.callback)]
    names += [str(group.name) for group in verbs.registered_groups]
    found = [f"{name} " for name in sorted([*names, "exit", "help", "history"]) if name.startswith(text)]
    return found[state] if state < len(found) else None


def _asked() -> str | None:
    try:
        return input(PROMPT if sys.stdin.isatty() else "")
    except EOFError:
        return None
    except KeyboardInterrupt:
        return ""
