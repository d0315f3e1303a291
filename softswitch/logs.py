"""The switch's log: lines in BMv2's form, on the console, in a file, or warnings only, on stderr."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}
LETTERS = {logging.DEBUG: "D", logging.INFO: "I", logging.WARNING: "W", logging.ERROR: "E", logging.CRITICAL: "C"}


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        record.letter = LETTERS.get(record.levelno, "?")
        return super().format(record)


def begin(*, console: bool, file: Path | None, level: str) -> None:
    """Logs from `level` on to stdout (console) or to `file`, whose name is given without its ".txt". Raises OSError."""
    handler: logging.Handler
    if file is not None:
        handler = logging.FileHandler(file.with_name(file.name + ".txt"), mode="w")
    else:
        handler = logging.StreamHandler(sys.stdout if console else sys.stderr)
    handler.setFormatter(_Formatter("[%(asctime)s.%(msecs)03d] [softswitch] [%(letter)s] %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("dropzero.softswitch")
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(LEVELS[level] if file is not None or console else max(LEVELS[level], logging.WARNING))
