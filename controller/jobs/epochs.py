"""Epochs: numbers that are used only once on a switch, for as long as it keeps its slots.

Each switch keeps, beside its address, the number below which all epochs are taken. The controller raises it by RANGE
before it uses the first epoch of the range. A controller that starts goes on above what any switch says.
"""

from __future__ import annotations

RANGE = 1024
"""Epochs taken at a time, so that switches are seldom written to."""
END = (1 << 32) - 1
"""The first number that is not an epoch."""


class Epochs:
    """Counts up without end; a switch refuses an epoch that is beyond its last one."""

    def __init__(self) -> None:
        self._last = 0

    def __iter__(self) -> Epochs:
        return self

    def __next__(self) -> int:
        self._last += 1
        return self._last

    def outrun(self, epoch: int) -> None:
        """Goes on after this epoch."""
        self._last = max(self._last, epoch)


def taken_with(epoch: int) -> int:
    """The number below which all epochs must be taken before this one is used."""
    return min((epoch // RANGE + 1) * RANGE, END)
