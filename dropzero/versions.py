"""The versions of the software that produced a result."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = "dropzero", "numpy", "numba", "grpcio"
"""Packages whose versions may matter."""


@cache
def versions() -> dict[str, str]:
    """The versions of this package, of Python, Linux and some packages, and the checkout's commit; without unknown
    ones."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    commit = _commit(Path(__file__).resolve().parents[1])
    return (
        found
        | ({"commit": commit} if commit else {})
        | {"python": platform.python_version(), "linux": platform.release()}
    )


def _commit(checkout: Path) -> str | None:
    """The commit of a checkout, with "-dirty" if files were changed; None outside of a checkout, or without git."""
    if not (checkout / ".git").exists():
        return None
    # The checkout may be another user's: runs need root.
    command = ["git", "-c", f"safe.directory={checkout}", "-C", str(checkout), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run([*command, "--exclude=*", "--abbrev=12"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
