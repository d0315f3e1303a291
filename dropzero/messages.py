"""Messages to the person at the command line."""

from __future__ import annotations

import os
import re
import sys

SETTINGS_VARIABLE = "DROPZERO_SETTINGS"
"""The Makefile's settings, if it started this program: then messages name these instead of options."""
FLAGS = {"pcap": "PCAP=1", "no-page": "PAGE=0"}


def complain(message: str) -> None:
    """Prints an error as one line on stderr."""
    print(f"dropzero: {as_typed(message)}", file=sys.stderr)


def as_typed(message: str) -> str:
    """Returns a message with the names that the person has typed: `WORKERS` for `--workers` after `make run`."""
    settings = os.environ.get(SETTINGS_VARIABLE, "").split()

    def named(option: re.Match[str]) -> str:
        setting = FLAGS.get(option[1], option[1].upper().replace("-", "_"))
        return setting if setting.partition("=")[0] in settings else option[0]

    return re.sub(r"--([a-z][a-z-]*)", named, message)
