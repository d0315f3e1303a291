"""A small disk that can be filled."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Self

MEGABYTES = 16


class Disk:
    """A context manager that mounts a tmpfs on a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "chaos", str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True, capture_output=True)
        self.folder.rmdir()

    def fill(self) -> None:
        """Fill it, so that writes fail."""
        with suppress(OSError), self._ballast.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))

    def clear(self) -> None:
        """Make room again."""
        self._ballast.unlink(missing_ok=True)
