"""The errors of commands that start a network, as one line."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NoReturn

import typer

from dropzero.files import FULL
from dropzero.messages import complain
from dropzero.topologies.ownership import owned_by_caller
from dropzero.topologies.processes.errors import Interruption, RunError, SetupError


@contextmanager
def reported(out: Path | None = None) -> Iterator[None]:
    """Reports the error that ends the command as one line, and exits with its status. out: where the run's files go,
    which are the caller's afterwards."""
    try:
        with owned_by_caller(out) if out else nullcontext():
            yield
    except SetupError as error:
        _end(str(error), 2)
    except RunError as error:
        _end(str(error), 1)
    except OSError as error:
        if error.errno not in FULL:
            raise
        _end(f"no space left in {out or error.filename or 'the folder of the output'}", 1)
    except Interruption as interruption:
        _end(f"stopped by {signal.Signals(interruption.signal).name}; cleaned up", 128 + interruption.signal)


def _end(message: str, status: int) -> NoReturn:
    complain(message)
    raise typer.Exit(status)
