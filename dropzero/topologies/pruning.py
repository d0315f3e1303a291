"""Which past runs to delete, and how much that frees."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

MARK = "topology.json"
"""Every run writes it when it starts, and nothing else does."""


@dataclass(frozen=True)
class Folder:
    """A run's folder. started: when the run started, in nanoseconds since the epoch. size: its bytes on disk."""

    path: Path
    started: int
    size: int


def run_folders(folder: Path) -> list[Folder]:
    """Returns the folders of the runs in a folder, the newest first. Raises OSError."""
    found = [
        Folder(path, (path / MARK).stat().st_mtime_ns, _size(path))
        for path in folder.iterdir()
        if not path.is_symlink() and (path / MARK).is_file()
    ]
    return sorted(found, key=lambda each: each.started, reverse=True)


def old_runs(folder: Path, keep: int, spared: Collection[Path]) -> list[Folder]:
    """Returns all run folders but the newest `keep`, the one that `latest` points to, and the spared ones (resolved
    paths). Raises OSError."""
    latest = (folder / "latest").resolve()
    return [each for each in run_folders(folder)[keep:] if each.path.resolve() not in {latest, *spared}]


def _size(path: Path) -> int:
    return sum(
        os.lstat(os.path.join(parent, name)).st_blocks * 512
        for parent, folders, files in os.walk(path)
        for name in (*folders, *files)
    )
