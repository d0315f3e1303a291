"""Start and end of this package's commands."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from typer.exceptions import Abort, TyperException

from dropzero.topologies.networks.machine import check_machine
from dropzero.topologies.processes.errors import Interruption, RunError, SetupError
from dropzero.topologies.processes.signals import interruptible


@contextmanager
def prepared(out: Path) -> Iterator[None]:
    """A context that empties the folder; in it, a signal or an error ends the command with one line."""
    try:
        check_machine()
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        with interruptible():
            yield
    except SetupError as error:
        typer.echo(f"chaos: {error}", err=True)
        raise typer.Exit(2) from None
    except RunError as error:
        typer.echo(f"chaos: {error}", err=True)
        raise typer.Exit(1) from None
    except Interruption as interruption:
        raise typer.Exit(128 + interruption.signal) from None


def main(app: typer.Typer, name: str) -> None:
    """Run the command. A user's error prints one line on stderr and gives exit status 2."""
    try:
        status = app(prog_name=name, standalone_mode=False)
    except TyperException as error:
        typer.echo(f"chaos: {error.format_message()}", err=True)
        sys.exit(2)
    except (Abort, KeyboardInterrupt):
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
