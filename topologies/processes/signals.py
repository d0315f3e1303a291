"""Signals that ask a run to end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dropzero.topologies.processes.errors import Interruption

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _interrupt(number: int, frame: FrameType | None) -> None:
    # Once is enough: what follows is the cleaning up.
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise Interruption(number)


@contextmanager
def interruptible() -> Iterator[None]:
    """In the block, a signal that asks for the end raises Interruption, once."""
    before = {each: signal.signal(each, _interrupt) for each in ENDING}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def undisturbed() -> Iterator[None]:
    """In the block, such signals wait until its end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
