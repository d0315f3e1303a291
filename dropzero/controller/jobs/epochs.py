"""Epochs: numbers that a switch never uses twice while it keeps its slots.

Each switch stores, next to its address, the number below which all epochs are taken. The controller raises this number
by RANGE before it uses the first epoch of a range. A new controller continues above the numbers of all switches.
"""

from __future__ import annotations

RANGE = 1024
"""Epochs taken at a time, so that the controller rarely writes to the switches."""
END = (1 << 32) - 1
"""The first number that is not an epoch."""


class Epochs:
    """Counts epochs without limit. A switch refuses those from END on."""

    def __init__(self) -> None:
        self._last = 0

    def __iter__(self) -> Epochs:
        return self

    def __next__(self) -> int:
        self._last += 1
        return self._last

    def outrun(self, epoch: int) -> None:
        """Continues after this epoch."""
        self._last = max(self._last, epoch)

    def pass_over(self, epoch: int) -> None:
        """Continues after this epoch if an earlier controller may have begun it: then it is in this range or the
        next."""
        if epoch <= self._last + RANGE:
            self.outrun(epoch)


def taken_with(epoch: int) -> int:
    """The number below which all epochs must be taken before `epoch` is used."""
    return min((epoch // RANGE + 1) * RANGE, END)
