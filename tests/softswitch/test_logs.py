"""The log: writers never wait for it, its size is bounded, and it counts what it drops."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from dropzero.softswitch import logs
from dropzero.softswitch.engine.trace import Entries
from dropzero.softswitch.logs import RotatedFiles, Writer


class Blocked:
    """Writes nothing until it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.written = b""

    def write(self, content: bytes) -> None:
        self.released.wait(600)
        self.written += content


def record(message: object) -> logging.LogRecord:
    return logging.LogRecord("x", logging.INFO, "", 0, message, (), None)


def test_messages_that_come_faster_than_they_are_written_are_dropped_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logs, "MOST_BYTES", 100)
    output = Blocked()
    writer = Writer(output)
    for number in range(20):
        writer.emit(record(f"line {number:04}"))
    writer.emit(record(Entries(["one", "two", "x" * 100])))
    output.released.set()
    writer.close()
    lines = output.written.decode().splitlines()
    assert lines[:10] == [f"line {number:04}" for number in range(10)]
    assert lines[10:] == ["13 entries of the log were dropped here: they came too fast"]


def test_files_are_rotated(tmp_path: Path) -> None:
    files = RotatedFiles(tmp_path / "log", 100, 2)
    for number in range(50):
        files.write(b"line %04d\n" % number)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.1.txt", "log.2.txt", "log.txt"]
    assert [len((tmp_path / name).read_bytes()) for name in ("log.txt", "log.1.txt", "log.2.txt")] == [100, 100, 100]
    assert (tmp_path / "log.txt").read_text().startswith("line 0040")
    assert (tmp_path / "log.2.txt").read_text().startswith("line 0020")
    files._file.close()


def test_a_full_disk_ends_only_the_log(tmp_path: Path) -> None:
    class Full:
        def write(self, content: bytes) -> None:
            raise OSError

    writer = Writer(Full())
    for _ in range(3):
        writer.emit(record("line"))
    writer.close()
