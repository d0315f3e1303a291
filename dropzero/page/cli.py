"""`dropzero page`: a run in the browser."""

from __future__ import annotations

import signal
from os.path import isfile
from pathlib import Path
from typing import Annotated

import typer

from dropzero.files import run_folder, run_names
from dropzero.page.samples import NAME
from dropzero.page.server import LOOPBACK, PORT, serving

app = typer.Typer(add_completion=False)


@app.command()
def page(
    run: Annotated[
        Path, typer.Argument(autocompletion=run_names, help="Name or folder of the run.", metavar="RUN")
    ] = Path("runs/latest"),
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port of the loopback, or if it is taken the next free one.")
    ] = PORT,
    listen: Annotated[
        str,
        typer.Option(
            help="Address to listen on: 0.0.0.0 in a container whose port is published on its host's loopback."
        ),
    ] = LOOPBACK,
) -> None:
    """Show a run in the browser, while it runs or afterwards. Stop with Ctrl-C."""
    run = run_folder(run)
    # Path.is_file() raises some errors, such as for a name that is too long.
    if not isfile(run / NAME):
        why = "it was run without a page" if isfile(run / "topology.json") else "it is not a run's folder"
        typer.echo(f"dropzero: there is no {NAME} in {run}: {why}", err=True)
        raise typer.Exit(2)
    try:
        with serving(run, port, listen=listen) as url:
            typer.echo(f"{run} is at {url} until Ctrl-C")
            signal.pause()
    except OSError as error:
        typer.echo(f"dropzero: cannot serve the page: {error.strerror}", err=True)
        raise typer.Exit(2) from error
    except KeyboardInterrupt:
        return
