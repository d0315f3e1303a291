"""The switch's slots, shared out among the jobs: a contiguous share each, the first gap that is wide enough."""

from __future__ import annotations

SLOTS = 1024
"""As SLOTS in p4src/headers.p4."""


class NoSlotsError(Exception):
    """No gap is as wide as the share asked for."""


class Slots:
    """Which slots are taken. Shares are ranges."""

    def __init__(self, size: int = SLOTS) -> None:
        self.size = size
        self._taken: list[range] = []

    def take(self, count: int) -> range:
        """A share of `count` slots, at least one.

        Raises:
            NoSlotsError: no gap is that wide.
        """
        first = widest = 0
        for i, share in enumerate([*self._taken, range(self.size, self.size)]):
            if share.start - first >= count:
                taken = range(first, first + count)
                self._taken.insert(i, taken)
                return taken
            widest = max(widest, share.start - first)
            first = share.stop
        raise NoSlotsError(f"{count} slots wanted, the switch has {widest} left in one piece")

    def free(self, share: range) -> None:
        """Gives a taken share back."""
        self._taken.remove(share)
