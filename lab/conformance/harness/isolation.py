"""Call functions in separate processes, to survive crashes and hangs."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["lab.conformance.generated.embedded"])

Verdict = Callable[..., tuple[str, str]]


def call(function: Verdict, arguments: tuple[Any, ...], seconds: float) -> tuple[str, str]:
    """Return the function's (result, detail), or ("fail", the exception), ("crash", the signal) or ("hang", ...)."""
    ours, theirs = _context.Pipe(duplex=False)
    process = _context.Process(target=_run, args=(theirs, function, arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            return "hang", f"no end after {seconds:g} s"
        result: tuple[str, str] = ours.recv()
        return result
    except EOFError:
        process.join()
        code = process.exitcode or 0
        return "crash", signal.Signals(-code).name if code < 0 else f"exit status {code}"
    finally:
        process.kill()
        process.join()
        ours.close()


def _run(pipe: Connection, function: Verdict, arguments: tuple[Any, ...]) -> None:
    try:
        pipe.send(function(*arguments))
    except Exception as error:
        pipe.send(("fail", f"{type(error).__name__}: {error}"))
