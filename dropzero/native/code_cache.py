"""A cache folder of compiled programs. Its files are executed, so only this user may write to it."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

log = logging.getLogger(__name__)

MOST_BYTES = 64 << 20
"""The maximum size of all files, enough for hundreds of programs. Beyond it, the least recently used are deleted."""
DIGEST_BYTES = 32


class Cache:
    """A folder of compiled programs. The first put() makes it, with mode 0700.

    Ignores a folder of another user, or one that others may write to. This and all other failures only cost the time to
    compile; those to store code are logged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> bytes | None:
        """Returns the code stored under a name, or None if it is missing, damaged, or another user's."""
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            folder = self._open()
            stack.callback(os.close, folder)
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            with open(file, "rb") as stream:
                found = os.fstat(file)
                content = stream.read() if stat.S_ISREG(found.st_mode) and _is_own(found) else b""
            if content[:DIGEST_BYTES] == _digest(name, content[DIGEST_BYTES:]):
                os.utime(name, dir_fd=folder)
                return content[DIGEST_BYTES:]
        return None

    def put(self, name: str, code: bytes) -> None:
        """Stores code atomically, because other processes may be reading it."""
        with _logged():
            os.close(self._made())
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(_digest(name, code) + code)
            Path(file.name).replace(self._folder / name)
            self._prune()

    @contextlib.contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """A block to compile the code of that name in: while another process or thread is in it, waits for the end of
        the block or of that process, and logs this. Does not wait if the folder cannot be written."""
        with contextlib.ExitStack() as stack:
            with _logged():
                folder = self._made()
                stack.callback(os.close, folder)
                flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
                lock = os.open(f"{name}.lock", flags, mode=0o600, dir_fd=folder)
                stack.callback(os.close, lock)
                _acquire(lock)
                stack.callback(_unlink, f"{name}.lock", folder)
            yield

    def _made(self) -> int:
        """Opens the folder, which it makes if it is missing. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._open()

    def _open(self) -> int:
        """Opens the folder, and checks its owner and mode. Raises OSError."""
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        found = os.fstat(folder)
        try:
            if not _is_own(found):
                raise PermissionError(f"{self._folder} is not this user's alone")
            if stat.S_IMODE(found.st_mode) != 0o700:
                os.fchmod(folder, 0o700)
        except OSError:
            os.close(folder)
            raise
        return folder

    def _prune(self) -> None:
        """Deletes the least recently used files. Other processes may do the same, and rename their new files."""
        files = []
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):
                    files.append((entry.stat(), entry.path))
        size = sum(found.st_size for found, _ in files)
        for found, path in sorted(files, key=lambda each: each[0].st_mtime_ns):
            if size <= MOST_BYTES:
                return
            Path(path).unlink(missing_ok=True)
            size -= found.st_size


def _is_own(found: os.stat_result) -> bool:
    """Whether no other user can have written the file."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@contextlib.contextmanager
def _logged() -> Iterator[None]:
    """A block that writes to the folder. An error only has the effect that code is compiled again, and is logged."""
    try:
        yield
    except OSError as error:
        _log(str(error))
        # From Python 3.13 on, pathlib's errors are in cycles, which would keep the callers' frames, with loaded code.
        error.__traceback__ = None


@functools.cache
def _log(error: str) -> None:
    log.warning("Compiled code cannot be kept, so every process compiles it (set XDG_CACHE_HOME): %s", error)


@functools.cache
def _log_wait(holder: str) -> None:
    log.warning("Waiting for process %s, which compiles the same code", holder)


def _acquire(lock: int) -> None:
    """Locks a file for this process. If another one has locked it, logs which, and waits until it is gone."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(lock, 20, 0).decode(errors="replace") or "another"
        _log_wait(holder)
        fcntl.flock(lock, fcntl.LOCK_EX)
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)


def _unlink(name: str, folder: int) -> None:
    """Deletes the file of a lock. Processes that already wait for it get it one after the other."""
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=folder)


def _digest(name: str, code: bytes) -> bytes:
    return hashlib.sha256(name.encode() + code).digest()
