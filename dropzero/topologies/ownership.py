"""The owner of a run's files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def owned_by_caller(out: Path) -> Iterator[None]:
    """A context after which all files in `out` belong to the person who called sudo, if that is how this process became
    root, with `latest` and those folders around `out` that were missing."""
    made = out.absolute()
    while not made.parent.exists():
        made = made.parent
    try:
        yield
    finally:
        if os.geteuid() == 0 and "SUDO_UID" in os.environ:
            user, group = (int(os.environ.get(name, "0")) for name in ("SUDO_UID", "SUDO_GID"))
            for path in (*reversed(list(made.rglob("*"))), made, out.parent / "latest"):
                # `latest` may be missing, and namespaces have no other users.
                with suppress(OSError):
                    os.chown(path, user, group, follow_symlinks=False)
