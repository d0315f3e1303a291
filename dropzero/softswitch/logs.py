"""The switch's log, in BMv2's format, on the console or in files. Without either, warnings go to stderr.

A separate thread writes the log, so that no other thread waits for a disk or a pipe. If it cannot keep up, entries are
dropped and counted. A message that is a list stands for several entries.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections import deque
from pathlib import Path
from typing import Protocol

LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}
LETTERS = {logging.DEBUG: "D", logging.INFO: "I", logging.WARNING: "W", logging.ERROR: "E", logging.CRITICAL: "C"}
STDOUT, STDERR = 1, 2
MOST_BYTES = 16 << 20
"""Limit on the bytes that wait to be written."""
LAST_SECONDS = 2.0
"""Seconds that the process waits at its end until the rest is written."""
FILE_BYTES, FILES = 5 << 20, 3
"""The defaults of --log-file-max-size and --log-file-max-files, as in BMv2."""


class Output(Protocol):
    def write(self, content: bytes) -> None: ...


class Descriptor:
    """STDOUT or STDERR."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, content: bytes) -> None:
        while content:
            content = content[os.write(self._descriptor, content) :]


class RotatedFiles:
    """Writes FILE.txt. Older files become FILE.1.txt, FILE.2.txt, ..., as in BMv2. Raises OSError."""

    def __init__(self, file: Path, most_bytes: int = FILE_BYTES, most_files: int = FILES) -> None:
        """most_files: how many older files to keep, 0 or more."""
        self._base = file
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._file = open(self._path(0), "wb", buffering=0)  # noqa: SIM115

    def write(self, content: bytes) -> None:
        if self._file.tell() and self._file.tell() + len(content) > self._most_bytes:
            self._rotate()
        self._file.write(content)

    def _rotate(self) -> None:
        self._file.close()
        for number in range(self._most_files, 0, -1):
            if self._path(number - 1).exists():
                self._path(number - 1).replace(self._path(number))
        self._file = open(self._path(0), "wb", buffering=0)  # noqa: SIM115

    def _path(self, number: int) -> Path:
        return self._base.with_name(f"{self._base.name}.{number}.txt" if number else f"{self._base.name}.txt")


class Writer(logging.Handler):
    """Writes records in a separate thread. Stops when the disk is full or the pipe is closed."""

    def __init__(self, output: Output) -> None:
        super().__init__()
        self._output = output
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._dropped = 0
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        content = (self.format(record) + "\n").encode(errors="replace")
        with self._changed:
            if self._bytes + len(content) <= MOST_BYTES:
                self._put(content)
            else:
                self._dropped += len(record.msg) if isinstance(record.msg, list) else 1

    def close(self) -> None:
        """Waits up to LAST_SECONDS until the rest is written."""
        super().close()
        with self._changed:
            self._ended = True
            self._put(b"")
        self._thread.join(LAST_SECONDS)

    def _put(self, content: bytes) -> None:
        if self._dropped:
            content = b"%d entries of the log were dropped here: they came too fast\n%b" % (self._dropped, content)
            self._dropped = 0
        self._waiting.append(content)
        self._bytes += len(content)
        self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                content = self._waiting.popleft()
                ended = self._ended and not self._waiting
            try:
                self._output.write(content)
            except OSError:
                return
            if ended:
                return
            with self._changed:
                self._bytes -= len(content)


class _Formatter(logging.Formatter):
    def __init__(self) -> None:
        super().__init__(datefmt="%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        time = f"{self.formatTime(record, self.datefmt)}.{int(record.msecs):03d}"
        letter = LETTERS.get(record.levelno, "?")
        head = f"[{time}] [bmv2] [{letter}] [thread {record.thread}] "
        if isinstance(record.msg, list):
            return "\n".join([head + entry for entry in record.msg])
        return head + logging.Formatter.format(self, record)


def begin(
    *, console: bool, file: Path | None, level: str | None, most_bytes: int = FILE_BYTES, most_files: int = FILES
) -> None:
    """Starts to log.

    console: log to stdout. file: log to this file, given without its ".txt". level: a key of LEVELS, by default "info".
    (BMv2's default logs every step of every packet, which is slow.)

    Raises:
        OSError: the file cannot be opened.
    """
    least = LEVELS[level or "info"]
    output: Output
    if file is not None:
        output = RotatedFiles(file, most_bytes, most_files)
    else:
        output = Descriptor(STDOUT if console else STDERR)
    handler = Writer(output)
    handler.setFormatter(_Formatter())
    atexit.register(handler.close)
    logger = logging.getLogger("dropzero.softswitch")
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(least if file is not None or console else max(least, logging.WARNING))
