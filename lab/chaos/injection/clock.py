"""`python -m lab.chaos.injection.clock FILE MODULE ARGUMENTS...`: runs a module with a time.time() that is off by the
number of seconds in the file, which may change."""

from __future__ import annotations

import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path


def wrong(file: Path) -> Callable[[], float]:
    """Return a replacement of time.time that is off by the seconds in `file`."""
    right = time.time

    def clock() -> float:
        # gRPC passes deadlines of this clock to native code, which uses the real one.
        if str(sys._getframe(1).f_globals.get("__name__", "")).startswith("grpc"):
            return right()
        try:
            return right() + float(file.read_text() or 0)
        except (OSError, ValueError):
            return right()

    return clock


def main() -> None:
    file, module, *arguments = sys.argv[1:]
    time.time = wrong(Path(file))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
