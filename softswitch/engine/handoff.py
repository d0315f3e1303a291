"""From thread to thread in batches: what one has for another waits in a ring that has an end."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

ROOM = 1024
"""How many packets may wait."""

Item = TypeVar("Item")


class Drops:
    """Counts what was dropped, and logs how many these are: the first, and whenever they have doubled."""

    def __init__(self, what: str) -> None:
        """what: "packets for controllers", say, "which are too far behind"."""
        self.what = what
        self.count = 0

    def add(self) -> None:
        self.count += 1
        if not self.count & self.count - 1:
            log.warning("%s", str(self))

    def __str__(self) -> str:
        return f"Dropped so far: {self.count} {self.what}"


class Handoff(Generic[Item]):
    """put() in one thread, take() in another. What finds `room` items waiting is dropped.

    Attributes:
        drops: how many were
    """

    def __init__(self, what: str, wake: Callable[[], None], room: int = ROOM) -> None:
        """what: is handed over, as Drops takes it. wake: called in the thread of put() when something begins to wait;
        it has the other thread call take()."""
        self.drops = Drops(what)
        self._wake = wake
        self._room = room
        self._items: deque[Item] = deque()
        self._awake = False

    def put(self, item: Item) -> bool:
        """Whether there was room for it."""
        if len(self._items) >= self._room:
            self.drops.add()
            return False
        self._items.append(item)
        if not self._awake:
            self._awake = True
            self._wake()
        return True

    def take(self) -> list[Item]:
        """All that waits, the oldest first."""
        # First, so that what is put from here on wakes again.
        self._awake = False
        return [self._items.popleft() for _ in range(len(self._items))]
