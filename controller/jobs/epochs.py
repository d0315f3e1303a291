"""Epochs: numbers that never come again on a switch for as long as it keeps its slots.

The switches themselves say which are taken: all below a number that is kept beside their address. The controller raises
it by a range before it uses the first epoch of that, and one that starts anew goes on above what any switch says.
"""

from __future__ import annotations

RANGE = 1024
"""How many epochs are taken at a time, so that a switch seldom has to be told."""
END = (1 << 32) - 1
"""The first number that is no epoch: more cannot be taken."""


class Epochs:
    """An endless iterator: each is the one after the last. Whether a switch still has it, the switch is asked."""

    def __init__(self) -> None:
        self._last = 0

    def __iter__(self) -> Epochs:
        return self

    def __next__(self) -> int:
        self._last += 1
        return self._last

    def outrun(self, epoch: int) -> None:
        """The next ones will be later than this one."""
        self._last = max(self._last, epoch)


def taken_with(epoch: int) -> int:
    """The number below which all epochs are taken when this one is to be used."""
    return min((epoch // RANGE + 1) * RANGE, END)
