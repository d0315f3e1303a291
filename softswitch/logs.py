"""The switch's log, in BMv2's format, on the console or in a file; or only warnings, on stderr."""

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
    """Starts logging from `level` on to stdout (console) or to `file`, named without its ".txt". Raises OSError."""
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
