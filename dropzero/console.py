"""Where tables of measurements are printed."""

from __future__ import annotations

import sys

from rich.console import Console

WIDTH = 120
"""Columns of a file or a pipe: tables lose none of theirs."""


def wide_console() -> Console:
    """On stdout; as wide as the terminal, if it is one."""
    return Console(width=None if sys.stdout.isatty() else WIDTH)
