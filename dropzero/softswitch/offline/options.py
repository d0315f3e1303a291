"""The options of the commands that set up a switch from files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer


@dataclass(frozen=True)
class State:
    """A switch's state before the first packet: see dropzero.softswitch.offline.state.set_up."""

    entries: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE",
            help="Write the entries in this file first: a p4.v1.WriteRequest or ReadResponse in text format, or the "
            "JSON of p4lang's tutorials. Repeatable.",
        ),
    ] = field(default_factory=list)
    p4info: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The program's P4Info, which entries need.", show_default="next to the JSON"),
    ] = None
    commands: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="Then run the simple_switch_CLI commands in this file. Repeatable."),
    ] = field(default_factory=list)
