"""The command `dropzero`, which is also `python -m dropzero`."""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Runs the command. Until it has loaded, Ctrl-C ends it with one line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from dropzero.cli import main

    main()


def _end(number: int, frame: object) -> None:
    os.write(2, b"dropzero: interrupted\n")
    os._exit(128 + number)


if __name__ == "__main__":
    main()
