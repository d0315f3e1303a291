"""Allocates a switch's slots to jobs: a contiguous range for each, first fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

SLOTS = 4096
"""The same as SLOTS in p4src/headers.p4."""


class NoSlotsError(Exception):
    """There are not enough free slots in one piece."""


class Slots:
    """Records which of a switch's `size` slots are taken. A share is a range of them."""

    def __init__(self, size: int = SLOTS, taken: Iterable[range] = (), switch: str = "the switch") -> None:
        """taken: shares, none of which overlap. switch: its name, for messages."""
        self.size = size
        self._taken = sorted(taken, key=lambda each: each.start)
        self._switch = switch

    def take(self, count: int) -> range:
        """Takes a share of `count` slots, at least one. Raises NoSlotsError if no free range is that long."""
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
        return f"{count} slots requested, but {self._switch} has only {self.widest} left in one piece"

    def is_free(self, share: range) -> bool:
        """Whether all slots of a share are there, and free."""
        inside = 0 <= share.start < share.stop <= self.size
        return inside and all(share.stop <= other.start or other.stop <= share.start for other in self._taken)


def arranged(size: int, before: Sequence[range | None], counts: Sequence[int]) -> list[range | None]:
    """Exchanges all shares of a switch with `size` slots for others of `counts` slots each; 0, None: none.

    Those of the same size stay where they are, unless some change and the gaps are too narrow: then all may move. If
    none changes, the first new share that fits into no gap, and all new ones after it, are None.
    """
    sizes = list(zip(before, counts, strict=True))
    after = [share if share is not None and len(share) == count else None for share, count in sizes]
    slots = Slots(size, filter(None, after))
    try:
        for at, count in enumerate(counts):
            if count and after[at] is None:
                after[at] = slots.take(count)
    except NoSlotsError:
        if any(share is not None and len(share) != count for share, count in sizes):
            slots = Slots(size)
            return [slots.take(count) if count else None for count in counts]
    return after
