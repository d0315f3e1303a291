"""Signals that ask a run to end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType

from dropzero.topologies.processes.errors import Interruption

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _interrupt(number: int, frame: FrameType | None) -> None:
    # Ignore further signals: the run is being cleaned up.
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise Interruption(number)


@contextmanager
def interruptible() -> Iterator[None]:
    """A context in which the first ending signal raises Interruption, and later ones are ignored."""
    before = {each: signal.signal(each, _interrupt) for each in ENDING}
    report = sys.unraisablehook

    def repeat(unraisable: sys.UnraisableHookArgs) -> None:
        # Raised in a callback of C code, as the compiler's, which does not pass exceptions on.
        if isinstance(unraisable.exc_value, Interruption):
            number = unraisable.exc_value.signal
            signal.signal(number, _interrupt)
            Timer(0.01, os.kill, (os.getpid(), number)).start()
        else:
            report(unraisable)

    sys.unraisablehook = repeat
    try:
        yield
    finally:
        sys.unraisablehook = report
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def typed() -> Iterator[None]:
    """A context in which Ctrl-C raises KeyboardInterrupt, for a prompt where it ends only the current command."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A context in which ending signals are held back until its end.

    It uses handlers, not a signal mask: masks belong to threads, and the kernel gives a signal to any thread that does
    not mask it.
    """
    held: list[int] = []
    before = {each: signal.signal(each, lambda number, _: held.append(number)) for each in ENDING}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in held:
            signal.raise_signal(number)
