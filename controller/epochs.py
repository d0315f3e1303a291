"""Epochs: numbers that never come again, even if the controller starts anew while the switch keeps its slots."""

from __future__ import annotations

import time
from collections.abc import Callable

START = 1_767_225_600
"""2026 began, in seconds since 1970."""
RATE = 16
"""Epochs a second that a restart of the controller outruns; 32 bits of them last 8 years."""


class Epochs:
    """An endless iterator: the clock's, or the one after the last, whichever is later."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._last = 0

    def __iter__(self) -> Epochs:
        return self

    def __next__(self) -> int:
        self._last = max(self._last + 1, int((self._clock() - START) * RATE))
        return self._last

    def outrun(self, epoch: int) -> None:
        """The next ones will be later than this one, which is in use already."""
        self._last = max(self._last, epoch)
