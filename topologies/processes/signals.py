"""Signals that ask a run to end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dropzero.topologies.processes.errors import Interruption

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _interrupt(number: int, frame: FrameType | None) -> None:
    # Only once: clean-up follows.
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise Interruption(number)


@contextmanager
def interruptible() -> Iterator[None]:
    """A context in which the first ending signal raises Interruption, and later ones are ignored."""
    before = {each: signal.signal(each, _interrupt) for each in ENDING}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def typed() -> Iterator[None]:
    """A context in which Ctrl-C raises KeyboardInterrupt, for a prompt that ends only the command that it waits for."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A context in which ending signals are held back until it is left.

    By handlers, because a mask is a thread's: the kernel gives a process's signal to any thread that does not mask it.
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
