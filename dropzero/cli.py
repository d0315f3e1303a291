"""The command `dropzero`: the commands of all rooms under one name."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

import typer
from typer.core import TyperGroup
from typer.exceptions import Abort, TyperException
from typer.main import get_command

from dropzero.help import hide_flag_types
from dropzero.topologies.defaults import from_run

ROOMS = {
    "run": "dropzero.topologies.cli",
    "rack": "dropzero.topologies.cli",
    "exec": "dropzero.topologies.cli",
    "stop": "dropzero.topologies.cli",
    "switch": "dropzero.softswitch.cli",
    "controller": "dropzero.controller.cli",
    "aggregator": "dropzero.controller.aggregator",
    "worker": "dropzero.worker.cli",
    "trace": "dropzero.traces.cli",
    "experiment": "dropzero.experiments.cli",
    "precision": "dropzero.experiments.precision",
}
"""The module that has a command, in the order in which --help lists them."""


def build(command: str = "") -> typer.Typer:
    """The program, with that command's room alone, for all of them take half a second to load; with all for anything
    else."""
    app = typer.Typer(
        name="dropzero",
        help="Train with gradients added up inside a P4 switch, on an emulated rack on this machine.",
        no_args_is_help=True,
        add_completion=False,
    )
    # Or typer would leave out the name of a command that is the only one.
    app.callback()(lambda: None)
    for room in [ROOMS[command]] if command in ROOMS else dict.fromkeys(ROOMS.values()):
        app.add_typer(import_module(room).app)
    return app


def main() -> None:
    """Runs the command. What the user got wrong is one line on stderr and exit status 2."""
    # Modules are many objects that stay: to look through them for garbage is a quarter of what loading takes.
    gc.set_threshold(100_000)
    # What it complains of, the commands say in their own words.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        program = get_command(build(*sys.argv[1:2]))
        assert isinstance(program, TyperGroup)
        hide_flag_types(program)
        status = program(default_map=from_run(program), standalone_mode=False)
    except TyperException as error:
        if message := error.format_message():
            print(f"dropzero: {message}", file=sys.stderr)
        sys.exit(2)
    except (Abort, KeyboardInterrupt):
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
