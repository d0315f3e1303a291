"""The console for tables of measurements."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

WIDTH = 120
"""Width for files and pipes, so that tables are not truncated."""


def wide_console() -> Console:
    """Returns a console on stdout, as wide as the terminal if there is one."""
    return Console(width=None if sys.stdout.isatty() else WIDTH)


def table_of(
    headings: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None, *, names: int = 1
) -> Table:
    """Returns a table of numbers, on the right of their columns. The first `names` columns have names, on the left."""
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number < names else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def show(table: Table, text: str, as_json: Path | None) -> None:
    """Prints a result as a table, or as JSON if it goes to stdout (`-`). Writes the JSON to any other file. Raises
    OSError."""
    if as_json == Path("-"):
        print(text, end="")
        return
    # First, so that the result is not lost where the file cannot be written.
    wide_console().print(table)
    if as_json is not None:
        as_json.write_text(text)
