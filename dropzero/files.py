"""The package's data files, in a checkout and in a wheel."""

from __future__ import annotations

import errno
from glob import glob
from os.path import exists
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a full disk."""
COMPILED = Path(__file__).parent / "switch_program"
"""p4c's output for the switch program."""
TOFINO = Path(__file__).parent / "tofino_program/program.json"
"""The same for the Tofino program, as v1model runs it."""


def run_names(incomplete: str) -> list[str]:
    """Completes the name of a run in `runs`, or the path of a folder."""
    named = [path.parent.name for path in Path("runs").glob("*/topology.json")]
    return [name for name in sorted(named) if name.startswith(incomplete)] + sorted(glob(f"{incomplete}*/"))


def run_folder(run: Path) -> Path:
    """Returns the folder of a run: `run` is its path, or its name in `runs`, as `dropzero runs` prints it."""
    named = Path("runs") / run
    # Path.exists() raises some errors, such as for a name that is too long.
    return named if not exists(run) and exists(named) else run
