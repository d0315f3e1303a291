"""The command `dropzero`: the commands of all rooms under one name."""

from __future__ import annotations

import sys

import typer
from typer.exceptions import Abort, TyperException

import controller.aggregator
import controller.cli
import experiments.cli
import softswitch.cli
import topologies.cli
import traces.cli
import worker.cli

app = typer.Typer(
    name="dropzero",
    help="Train with gradients added up inside a P4 switch, on an emulated rack on this machine.",
    no_args_is_help=True,
    add_completion=False,
)
app.add_typer(topologies.cli.app)
app.add_typer(softswitch.cli.app)
app.add_typer(controller.cli.app, name="controller")
app.add_typer(controller.aggregator.app)
app.add_typer(worker.cli.app)
app.add_typer(traces.cli.app, name="trace")
app.add_typer(experiments.cli.app)


def main() -> None:
    """Runs the command. What the user got wrong is one line on stderr and exit status 2."""
    try:
        status = app(standalone_mode=False)
    except TyperException as error:
        if message := error.format_message():
            print(f"dropzero: {message}", file=sys.stderr)
        sys.exit(2)
    except (Abort, KeyboardInterrupt):
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
