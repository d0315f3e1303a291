"""Run other projects' programs, and find in their output what matters."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

TIMED_OUT = "no end after"


def output(
    command: Sequence[str],
    seconds: float | None = None,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    text: str = "",
) -> tuple[int | None, str]:
    """Run a command in a folder, with `text` as its input, and kill it after `seconds`. Return its exit status, or None
    if it was killed, and its output with that of stderr."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        said = expired.stdout.decode(errors="replace") if isinstance(expired.stdout, bytes) else expired.stdout or ""
        return None, f"{said}\n{TIMED_OUT} {seconds:g} s"
    return done.returncode, done.stdout


def last_line(said: str) -> str:
    return next((line for line in reversed(said.splitlines()) if line.strip()), "no output")


def first_error(said: str) -> str:
    """Return the first line with an error, or the last line."""
    return next((line for line in said.splitlines() if "error" in line.lower() or "Bug" in line), last_line(said))
