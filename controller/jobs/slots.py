"""Allocates the switch's slots to jobs: a contiguous range for each, first fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

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
        first = 0
        for i, share in enumerate([*self._taken, range(self.size, self.size)]):
            if share.start - first >= count:
                taken = range(first, first + count)
                self._taken.insert(i, taken)
                return taken
            first = share.stop
        raise NoSlotsError(self.lack(count))

    @property
    def widest(self) -> int:
        """Slots of the widest gap."""
        edges = [range(0), *self._taken, range(self.size, self.size)]
        return max(after.start - before.stop for before, after in pairwise(edges))

    def lack(self, count: int) -> str:
        """Why there is no share of `count` slots, as text."""
        return f"{count} slots requested, but the switch has only {self.widest} left in one piece"

    def arrange(self, before: Sequence[range | None], counts: Sequence[int], repack: bool) -> list[range | None]:
        """Exchanges shares for others of `counts` slots each; 0, None: none. Those of the same size stay where they
        are.

        repack: if the gaps are too narrow, move these, too; otherwise the first new share for which there is no gap,
        and all new ones behind it, are None.
        """
        after = [
            share if share is not None and len(share) == count else None
            for share, count in zip(before, counts, strict=True)
        ]
        for share, kept in zip(before, after, strict=True):
            if share is not None and kept is None:
                self.free(share)
        try:
            for at, count in enumerate(counts):
                if count and after[at] is None:
                    after[at] = self.take(count)
        except NoSlotsError:
            if repack:
                for share in filter(None, after):
                    self.free(share)
                after = [self.take(count) if count else None for count in counts]
        return after

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
