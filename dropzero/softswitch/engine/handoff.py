"""Passes items from one thread to another in batches, through a bounded queue."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

ROOM = 1024
"""Default limit on waiting items."""

Item = TypeVar("Item")


class Drops:
    """Counts dropped items, and logs their number at the first one and whenever it has doubled."""

    def __init__(self, what: str) -> None:
        """what: text for the log, for example "packets for controllers, which are too far behind"."""
        self.what = what
        self.count = 0

    def add(self) -> None:
        self.count += 1
        if not self.count & self.count - 1:
            log.warning("%s", str(self))

    def __str__(self) -> str:
        return f"Dropped so far: {self.count} {self.what}"


class Handoff(Generic[Item]):
    """A queue with put() in one thread and take() in another. Drops items while `room` items are waiting.

    Attributes:
        drops: counts the dropped items
    """

    def __init__(self, what: str, wake: Callable[[], None], room: int = ROOM) -> None:
        """what: the text for Drops. wake: called in the thread of put() when an item enters the empty queue; must make
        the other thread call take()."""
        self.drops = Drops(what)
        self._wake = wake
        self._room = room
        self._items: deque[Item] = deque()
        self._awake = False

    def put(self, item: Item) -> bool:
        """Adds an item. Returns False if it was dropped."""
        if len(self._items) >= self._room:
            self.drops.add()
            return False
        self._items.append(item)
        if not self._awake:
            self._awake = True
            self._wake()
        return True

    def take(self) -> list[Item]:
        """Removes and returns all waiting items, the oldest first."""
        # Before taking them, so that the next item wakes this thread again.
        self._awake = False
        return [self._items.popleft() for _ in range(len(self._items))]
