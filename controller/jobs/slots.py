"""Allocates the switch's slots to jobs: a contiguous range for each, first fit."""

from __future__ import annotations

SLOTS = 4096
"""The same as SLOTS in p4src/headers.p4."""


class NoSlotsError(Exception):
    """There are not enough free slots in one piece."""


class Slots:
    """Records which of `size` slots are taken. A share is a range of them."""

    def __init__(self, size: int = SLOTS) -> None:
        self.size = size
        self._taken: list[range] = []

    def take(self, count: int) -> range:
        """Takes a share of `count` slots, at least one.

        Raises:
            NoSlotsError: no free range is that long.
        """
        first = widest = 0
        for i, share in enumerate([*self._taken, range(self.size, self.size)]):
            if share.start - first >= count:
                taken = range(first, first + count)
                self._taken.insert(i, taken)
                return taken
            widest = max(widest, share.start - first)
            first = share.stop
        raise NoSlotsError(f"{count} slots requested, but the switch has only {widest} left in one piece")

    def claim(self, share: range) -> None:
        """Marks a share that a job already has as taken.

        Raises:
            NoSlotsError: a part of it is taken or beyond the last slot.
        """
        if not 0 <= share.start < share.stop <= self.size:
            raise NoSlotsError(f"slots {share.start} to {share.stop - 1} do not exist: the switch has {self.size}")
        for other in self._taken:
            if share.start < other.stop and other.start < share.stop:
                raise NoSlotsError(f"some of the slots {share.start} to {share.stop - 1} are taken")
        self._taken = sorted([*self._taken, share], key=lambda each: each.start)

    def resize(self, share: range, count: int) -> range:
        """Exchanges a share for one of `count` slots, which may overlap it.

        Raises:
            NoSlotsError: no free range is that long; the old share stays taken.
        """
        self.free(share)
        try:
            return self.take(count)
        except NoSlotsError:
            self.claim(share)
            raise

    def free(self, share: range) -> None:
        """Frees a share."""
        self._taken.remove(share)
