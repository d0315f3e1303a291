"""An ordinary user of this machine, for programs that start without root's rights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import ROOT

NUMBER = 100_000_000 + 100 * os.getpid()
"""The first of a hundred user IDs for this process alone, because the processes of a user share namespaces."""

needs_users = pytest.mark.skipif(
    os.geteuid() != 0 or len(Path("/proc/self/uid_map").read_text().splitlines()[0].split()[2]) < 5,
    reason="the machine's root is needed, who can be another user, too",
)
"""Skips a test in an ordinary user's namespaces, which have no other users."""


@dataclass(frozen=True)
class OrdinaryUser:
    """A user without an account. folder: its home. number: of the user and its group."""

    folder: Path
    number: int = NUMBER

    def command(self, *words: str) -> list[str]:
        """Returns the command line that runs a command as this user, in `folder`."""
        own = ["HOME=" + str(self.folder), f"PATH={os.defpath}", f"PYTHONPATH={ROOT}", "PYTHONDONTWRITEBYTECODE=1"]
        # Another kernel of the BLAS would train other weights.
        own += [f"{name}={value}" for name, value in os.environ.items() if name.startswith("OPENBLAS_")]
        drop = ["setpriv", f"--reuid={self.number}", f"--regid={self.number}", "--clear-groups", "--"]
        return ["env", "--ignore-environment", f"--chdir={self.folder}", *own, *drop, *words]

    def dropzero(self, *words: str) -> list[str]:
        """Returns the command line of `dropzero` as this user."""
        return self.command(sys.executable, "-m", "dropzero", *words)

    def said(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs `dropzero` as this user. Returns its output."""
        return subprocess.run(self.dropzero(*words), capture_output=True, text=True, check=False)


@contextmanager
def ordinary_user(number: int = NUMBER) -> Iterator[OrdinaryUser]:
    """A context with a user who has this user's compiled code. Skips the test if the user cannot run Dropzero."""
    # pytest's own folders are closed to others, and a user may have another /tmp.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        user, folder = OrdinaryUser(Path(name), number), Path(name)
        cache = folder / ".cache" / "dropzero"
        cache.mkdir(parents=True, mode=0o700)
        for code in Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "dropzero").glob("*"):
            # Other processes replace these files.
            with suppress(FileNotFoundError):
                shutil.copy(code, cache)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, number, number)
        if (seen := user.said("--version")).returncode:
            pytest.skip(f"an ordinary user cannot run this checkout: {seen.stderr.splitlines()[-1]}")
        yield user
