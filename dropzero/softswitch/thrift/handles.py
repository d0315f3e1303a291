"""Handles: BMv2's numbers of the entries in a table."""

from __future__ import annotations

from heapq import heappop, heappush

from dropzero.softswitch.program.model import Match
from dropzero.softswitch.thrift.errors import EXPIRED_HANDLE, INVALID_HANDLE
from dropzero.softswitch.thrift.server import Declined

INDEX_BITS = 24

EntryKey = tuple[tuple[Match, ...], int]
"""The match and the priority of an entry."""


class Handles:
    """Numbers the entries of one table.

    A handle's lowest INDEX_BITS bits are the lowest free index. The bits above count how often that index was freed.
    """

    def __init__(self) -> None:
        self._keys: dict[int, EntryKey] = {}
        """By index."""
        self._handles: dict[EntryKey, int] = {}
        self._freed: list[int] = []
        """A heap of indices."""
        self._versions: dict[int, int] = {}
        """How often each index was freed."""

    def handle(self, key: EntryKey) -> int:
        """Returns an entry's handle. An entry without one gets one."""
        if key not in self._handles:
            index = heappop(self._freed) if self._freed else len(self._keys)
            self._keys[index] = key
            self._handles[key] = self._versions.get(index, 0) << INDEX_BITS | index
        return self._handles[key]

    def key(self, handle: int) -> EntryKey:
        """Returns the entry with a handle. Raises Declined if there is none."""
        key = self._keys.get(index_of(handle))
        if key is None:
            raise Declined(INVALID_HANDLE)
        if self._handles[key] != handle:
            raise Declined(EXPIRED_HANDLE)
        return key

    def forget(self, handle: int) -> None:
        """Frees the handle of an entry that was deleted."""
        index = index_of(handle)
        del self._handles[self._keys.pop(index)]
        # Thrift's numbers are signed, so a version has 7 bits.
        self._versions[index] = self._versions.get(index, 0) + 1 & 0x7F
        heappush(self._freed, index)


def index_of(handle: int) -> int:
    return handle & (1 << INDEX_BITS) - 1
