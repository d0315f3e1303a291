"""The person at the terminal."""

from __future__ import annotations

import os
import shutil
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def program() -> list[str]:
    """This program, as a person would type it in this folder."""
    path = Path(sys.argv[0])
    if path.name != "dropzero":
        return [_from_here(sys.executable), "-m", "dropzero"]
    found = shutil.which("dropzero")
    return ["dropzero" if found and os.path.samefile(found, path) else _from_here(path)]


def _from_here(path: str | Path) -> str:
    # Not resolved: the Python of an environment is a link.
    absolute = Path(os.path.abspath(path))
    return str(absolute.relative_to(Path.cwd())) if absolute.is_relative_to(Path.cwd()) else str(absolute)


def attended() -> bool:
    """Whether a person sees what this program prints, and can answer it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        # A program in the background may not read.
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return False


def wait_for_enter(ask: Callable[[], None]) -> None:
    """Asks, and returns after Enter, Ctrl-C or the end of the input. What was typed before does not count."""
    # Both come before the question: a person, or a script, may answer it at once.
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    with suppress(KeyboardInterrupt):
        ask()
        sys.stdin.readline()
