"""A terminal with a program, and what it shows."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_a_terminal(*command: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A program that has a terminal of its own, and the terminal's other end."""
    ours, its = pty.openpty()
    with subprocess.Popen(["setsid", "--ctty", "--wait", *command], stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        try:
            yield process, ours
        finally:
            process.terminate()
            os.close(ours)


def shown(terminal: int, until: str = "$.") -> str:
    """What is shown from now on, until a pattern or the end."""
    text = ""
    while re.search(until, text) is None:
        try:
            text += os.read(terminal, 4096).decode()
        except OSError:
            # Nobody has the terminal any more.
            break
    return text
