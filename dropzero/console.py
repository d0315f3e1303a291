"""The console for tables of measurements."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH = 120
"""Width for files and pipes, so that tables are not truncated."""


def wide_console() -> Console:
    """Returns a console on stdout, as wide as the terminal if there is one."""
    return Console(width=None if sys.stdout.isatty() else WIDTH)
