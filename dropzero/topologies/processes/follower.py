"""Reads a file while it is written."""

from __future__ import annotations

from pathlib import Path


class Follower:
    """The lines of a growing file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0

    def new(self, *, last: bool = False) -> list[str]:
        """Returns the lines completed since the last call; none while the file does not exist. last: also return an
        incomplete line."""
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._offset)
            found = file.read()
        whole = found if last else found[: found.rfind(b"\n") + 1]
        self._offset += len(whole)
        return whole.decode(errors="replace").removesuffix("\n").split("\n") if whole else []
