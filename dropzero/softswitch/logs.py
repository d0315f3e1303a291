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
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

import typer

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


@dataclass(frozen=True)
class Log:
    """The options of the log. Raises ValueError if an option is wrong, or two exclude each other."""

    log_console: Annotated[bool, typer.Option("--log-console", help="Log to stdout.")] = False
    log_file: Annotated[Path | None, typer.Option(metavar="FILE", help="Log to FILE.txt.")] = None
    log_level: Annotated[
        str | None,
        typer.Option(
            "--log-level",
            "-L",
            help="trace, debug, info, warn, error or off. trace and debug log every packet, which is slow.",
            show_default="info",
        ),
    ] = None
    log_file_max_size: Annotated[
        int, typer.Option(metavar="BYTES", min=1, help="Size at which FILE.txt becomes FILE.1.txt.")
    ] = FILE_BYTES
    log_file_max_files: Annotated[
        int, typer.Option(metavar="COUNT", min=0, help="Number of older log files to keep.")
    ] = FILES

    def __post_init__(self) -> None:
        if self.log_console and self.log_file is not None:
            raise ValueError("--log-console and --log-file exclude each other")
        if self.log_level not in (None, *LEVELS):
            raise ValueError(f"--log-level is one of {', '.join(LEVELS)}, not {self.log_level!r}")

    def begin(self) -> None:
        """Starts to log. Raises OSError if the file cannot be opened."""
        output: Output
        if self.log_file is not None:
            output = RotatedFiles(self.log_file, self.log_file_max_size, self.log_file_max_files)
        else:
            output = Descriptor(STDOUT if self.log_console else STDERR)
        handler = Writer(output)
        handler.setFormatter(_Formatter())
        atexit.register(handler.close)
        logger = logging.getLogger("dropzero.softswitch")
        logger.handlers = [handler]
        logger.propagate = False
        least = LEVELS[self.log_level or "info"]
        logger.setLevel(least if self.log_file is not None or self.log_console else max(least, logging.WARNING))
        if self.log_level is None:
            logger.info("Packets are not logged; BMv2 logs them by default. To log them, add --log-level debug")
